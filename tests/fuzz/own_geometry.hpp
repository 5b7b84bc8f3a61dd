// SPDX-License-Identifier: GPL-3.0-or-later
// The geometry whose files are damaged: a duct with an obstacle, two openings and walls of two
// labels, in tiles of one mesh. Longer where seeds are large.
#pragma once

#include "tests/fixtures/geometry/geometries.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace tessera::fuzz {

using namespace tessera::preprocess::geometry;

constexpr int largeLength = 220;

inline LatticeGeometry ductLattice() {
  LatticeGeometry geometry = testing::imageLattice(
      {seedsAreLarge ? largeLength : 9, 6, 5},
      [](int x, int y, int z) { return x != 4 || y != 2 || z != 2; }, {},
      {{0, false, 1}, {0, true, 2}}, 1e-4);
  testing::setWalls(geometry, 2, [](const Int3& node, const Int3&, double& distance, int& label) {
    distance = 0.3;
    label = node[1] > 2 ? 1 : 0;
  });
  return geometry;
}

}  // namespace tessera::fuzz
