// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <utility>

#include "pipelines/stage/text.hpp"

namespace tessera::stage {

// A value and the limit that it exceeds, with so many significant digits or as many more as tell
// them apart. text(value, digits): with its unit, for instance.
template <class Text>
std::pair<std::string, std::string> textsApart(double value, double limit, int digits,
                                               const Text& text) {
  constexpr int all = 17;  // that distinguish two doubles
  while (digits < all && text(value, digits) == text(limit, digits)) ++digits;
  return {text(value, digits), text(limit, digits)};
}

// The same of plain numbers: 2.0004 and 2 for three digits.
inline std::pair<std::string, std::string> numbersApart(double value, double limit,
                                                        int digits = 3) {
  return textsApart(value, limit, digits, [](double each, int n) { return number(each, n); });
}

}  // namespace tessera::stage
