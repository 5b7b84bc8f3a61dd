// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/geometry/opening_names.hpp"

#include <algorithm>
#include <set>

namespace tessera::preprocess::geometry {

std::optional<NumberedName> numberedName(const std::string& name) {
  constexpr std::size_t mostDigits = 9;
  const std::size_t last = name.find_last_not_of("0123456789");
  const std::size_t digits = last == std::string::npos ? 0 : last + 1;
  if (digits == name.size() || name.size() - digits > mostDigits) return std::nullopt;
  NumberedName numbered{name.substr(0, digits), std::stoll(name.substr(digits))};
  const std::string& stem = numbered.stem;
  const bool isSide =
      stem.size() == 2 && stem[0] >= 'x' && stem[0] <= 'z' && (stem[1] == '-' || stem[1] == '+');
  return isSide ? std::nullopt : std::optional(numbered);
}

bool areNumbered(std::span<const Opening> openings) {
  std::set<std::int64_t> numbers;
  std::string stem;
  for (const Opening& opening : openings) {
    const std::optional<NumberedName> name = numberedName(opening.name);
    if (!name || (!numbers.empty() && name->stem != stem)) return false;
    stem = name->stem;
    if (!numbers.insert(name->number).second) return false;
  }
  return !numbers.empty();
}

const Opening* otherMeaningOf(std::int64_t id, std::span<const Opening> openings) {
  const auto meant = std::find_if(openings.begin(), openings.end(),
                                  [&](const Opening& opening) { return opening.id == id; });
  if (meant == openings.end()) return nullptr;
  const std::optional<NumberedName> own = numberedName(meant->name);
  for (const Opening& opening : openings) {
    const std::optional<NumberedName> other = numberedName(opening.name);
    if (opening.id == id || !other || other->number != id) continue;
    const std::string& stem = other->stem;
    if ((own && own->stem == stem) || stem.empty() || stem == "face" || stem == "opening")
      return &opening;
  }
  return nullptr;
}

}  // namespace tessera::preprocess::geometry
