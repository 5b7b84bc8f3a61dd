// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/results/text.hpp"

#include "preprocess/geometry/mesh.hpp"

namespace tessera::postprocess::results {

std::vector<std::string_view> partsOf(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    std::string_view part = text.substr(0, end);
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
    parts.push_back(part);
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<Double3> parseTriple(std::string_view text, stage::Dimension dimension) {
  const std::vector<std::string_view> parts = partsOf(text, ',');
  if (parts.size() != 3) return std::nullopt;
  Double3 value{};
  for (std::size_t a = 0; a < 3; ++a) value[a] = stage::parseQuantity(parts[a], dimension);
  return value;
}

std::optional<Double3> parseDirection(std::string_view text) {
  const std::optional<Double3> direction = parseTriple(text, stage::Dimension::None);
  if (!direction || !(length(*direction) > 0.0)) return std::nullopt;
  return (1.0 / length(*direction)) * *direction;
}

}  // namespace tessera::postprocess::results
