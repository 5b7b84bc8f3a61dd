// SPDX-License-Identifier: GPL-3.0-or-later
// Connected parts of a geometry, each as a geometry of its own.
#pragma once

#include <span>
#include <vector>

#include "preprocess/geometry/lattice_geometry.hpp"
#include "preprocess/lattice/connectivity/components.hpp"

namespace tessera::preprocess::lattice {

// Fluid, links and openings of one part; the surface is the whole one.
struct PartGeometry {
  geometry::LatticeGeometry geometry;  // openings are numbered anew, from 1 in their order
  std::vector<int> ids;                // of the openings in the whole geometry
  std::vector<CutNode> cuts;
};

// Numbers of the parts (Opening::part) with two openings or more, ascending.
std::vector<int> partsBetweenOpenings(std::span<const geometry::Opening> openings);

// cuts: cutNodesOf() the whole geometry.
PartGeometry partGeometry(const geometry::LatticeGeometry& whole, std::span<const CutNode> cuts,
                          int part);

}  // namespace tessera::preprocess::lattice
