// SPDX-License-Identifier: GPL-3.0-or-later
// Text of results: CSV fields; points and directions as written on a command line, "x,y,z".
#pragma once

#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipelines/stage/case/quantity.hpp"
#include "preprocess/geometry/frame.hpp"

namespace tessera::postprocess::results {

// Parts between separators without surrounding spaces; one empty part for an empty text.
std::vector<std::string_view> partsOf(std::string_view text, char separator);

// Three quantities of a dimension between commas; nullopt if they are not three. Throws
// StageError(Usage) for an invalid quantity.
std::optional<Double3> parseTriple(std::string_view text, stage::Dimension dimension);

// Three plain numbers, scaled to a unit vector; nullopt if they are not three or all zero.
std::optional<Double3> parseDirection(std::string_view text);

// CSV field of a text, such as a name, in quotes where RFC 4180 requires them. What a spreadsheet
// would take for a formula gets an apostrophe in front.
inline std::string csvField(const std::string& text) {
  const bool formula =
      !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string::npos;
  if (!formula && text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = formula ? "\"'" : "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

// Shortest text that parses to the same number.
inline std::string csvNumber(double value) {
  std::array<char, 40> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

}  // namespace tessera::postprocess::results
