// SPDX-License-Identifier: GPL-3.0-or-later
// One field of a CSV file.
#pragma once

#include <string>

namespace tessera {

// In quotes where RFC 4180 asks for them: names come from the user.
inline std::string csvField(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

}  // namespace tessera
