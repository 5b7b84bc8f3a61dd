// SPDX-License-Identifier: GPL-3.0-or-later
// Place of ExpectedErrors::nodesAcross in words.
#pragma once

#include "postprocess/results/results.hpp"

namespace tessera::postprocess::results {

// "across the narrowest section"; without openings, as in a rock, there is none and 4 V / A stands
// for it.
inline const char* acrossText(const Results& results) {
  return results.openings.empty() ? "across on average, by volume and wall area"
                                  : "across the narrowest section";
}

}  // namespace tessera::postprocess::results
