// SPDX-License-Identifier: GPL-3.0-or-later
// The samples' vessel as wide as the seed paper's case: with 730 nodes on its longest side the box
// has 730 x 491 x 261, 15 million of them fluid.
#pragma once

#include <cmath>

#include "preprocess/sample/vessels.hpp"

namespace tessera {

inline AneurysmShape wideVessel() {
  AneurysmShape shape;
  shape.parentLength = 20e-3;
  shape.branchLength = {13e-3, 13e-3};
  shape.branchAngle = {35.0 * M_PI / 180.0, 35.0 * M_PI / 180.0};
  shape.sacDiameter = 11e-3;
  shape.sacHeight = 13e-3;
  shape.neckDiameter = 6e-3;
  return shape;
}

}  // namespace tessera
