// SPDX-License-Identifier: GPL-3.0-or-later
// One field of a CSV file.
#pragma once

#include <array>
#include <charconv>
#include <string>

namespace tessera::postprocess::results {

// In quotes where RFC 4180 asks for them: names come from the user.
inline std::string csvField(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

// Shortest text that reads back as the same number.
inline std::string csvNumber(double value) {
  std::array<char, 40> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

}  // namespace tessera::postprocess::results
