// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <utility>

#include "pipelines/stage/text.hpp"

namespace tessera::stage {

// A value and the limit that it exceeds, with so many significant digits or as many more as tell
// them apart: 2.0004 and 2 for three.
inline std::pair<std::string, std::string> numbersApart(double value, double limit,
                                                        int digits = 3) {
  constexpr int all = 17;  // that distinguish two doubles
  while (digits < all && number(value, digits) == number(limit, digits)) ++digits;
  return {number(value, digits), number(limit, digits)};
}

}  // namespace tessera::stage
