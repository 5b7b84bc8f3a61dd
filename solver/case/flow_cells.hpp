// SPDX-License-Identifier: GPL-3.0-or-later
// Cells of the fluid with the permeability of the vessel around them, for estimates of the flow
// before a run. With R the radius of the largest ball in the fluid that covers a point and d the
// distance of the point from the wall, the permeability is (2 R d - d^2) / 4, in 2D / 2: in a round
// tube and between planes that of Poiseuille's parabola at the point (Shabro et al., Transport in
// Porous Media 94 (2012) 775; Chung et al., SPE Journal 24 (2019) 1154).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "solver/comm/ranks.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::solver::cases {

struct FlowCells {
  static constexpr std::int32_t wall = -1;

  int dimensions = 3;
  double side = 0.0;                                // m
  std::vector<double> permeability;                 // m2, of each cell
  std::vector<std::array<std::int32_t, 6>> beyond;  // -x, +x, -y ...: a cell, a wall, or the
                                                    // number of cells plus an opening's index
  [[nodiscard]] std::int32_t count() const { return static_cast<std::int32_t>(beyond.size()); }
};

// One cell for each node, or for each 2^3, 3^3 ... of them where there are more than `most`,
// then with the node in the middle. The same on all ranks; collective.
FlowCells flowCells(const tiler::TiledGeometry& geometry, comm::Ranks& ranks, std::size_t most);

}  // namespace tessera::solver::cases
