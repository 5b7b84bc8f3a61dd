// SPDX-License-Identifier: GPL-3.0-or-later
// The samples' vessel as wide as the seed paper's case: with 730 nodes on its longest side the box
// has 730 x 491 x 261, 15 million of them fluid.
#pragma once

#include <algorithm>
#include <cmath>

#include "preprocess/geometry/frame.hpp"
#include "preprocess/sample/vessels.hpp"

namespace tessera {

using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::sample;

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

// Puts the mesh into lattice coordinates, the longest side on so many nodes.
inline Int3 fitLattice(TriangleMesh& mesh, int longest, Frame& frame) {
  Double3 low = mesh.vertex.at(0);
  Double3 high = low;
  for (const Double3& p : mesh.vertex)
    for (std::size_t a = 0; a < 3; ++a) {
      low[a] = std::min(low[a], p[a]);
      high[a] = std::max(high[a], p[a]);
    }
  const Double3 extent = high - low;
  frame.spacing = *std::max_element(extent.begin(), extent.end()) / longest;
  Int3 nodes;
  for (std::size_t a = 0; a < 3; ++a) {
    nodes[a] = static_cast<int>(std::ceil(extent[a] / frame.spacing - 1e-9));
    frame.origin[a] = 0.5 * (low[a] + high[a]) - 0.5 * (nodes[a] - 1) * frame.spacing;
  }
  for (Double3& p : mesh.vertex) p = frame.toLattice(p);
  return nodes;
}

}  // namespace tessera
