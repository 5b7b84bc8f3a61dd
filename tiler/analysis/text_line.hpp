// SPDX-License-Identifier: GPL-3.0-or-later
// One line of a table, printf's way.
#pragma once

#include <array>
#include <cstdarg>
#include <cstdio>
#include <string>

namespace tessera::tiler::analysis {

// With its line feed; cut at 255 bytes.
__attribute__((format(printf, 1, 2))) inline std::string textLine(const char* format, ...) {
  std::array<char, 256> text{};
  va_list values;
  va_start(values, format);
  std::vsnprintf(text.data(), text.size(), format, values);
  va_end(values);
  return std::string(text.data()) + "\n";
}

}  // namespace tessera::tiler::analysis
