// SPDX-License-Identifier: GPL-3.0-or-later
// Velocity of a wall along a link that ends on it, and at edges where walls of different velocities
// meet. The links of the fluid that cross a section carry less than the integral of the velocity:
// the diagonal ones whose middle is on the wall count as outside, and a wall that slides at U takes
// U / 6 spacings of flow along with it. Where it ends that flow has to leave it through the node in
// the corner: a link into the corner that slides along keeps it in the fluid instead, and the flow
// through every section is U / 6 spacings too large, an error of first order in the whole cavity.
// So a link that ends in an edge takes from each wall only the velocity along that wall's normal:
// nothing from a lid and resting sides, all of a piston's.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "solver/boundary/wall_condition.hpp"
#include "tiler/opening_links.hpp"

namespace tessera::solver::boundary {

// Walls of a geometry and where its links meet them.
struct MovingWalls {
  const tiler::TiledGeometry& geometry;
  const std::vector<WallCondition>& conditions;  // one per wall label; empty: all at rest
  bool halfway;                                  // all walls are taken halfway along their links

  // c . u_w in lattice axes, m/s, of the wall link c of a node; links: of that node. part: of the
  // link, where the velocity is taken; by default where the link meets the wall.
  [[nodiscard]] double velocityAlong(const Int3& node, const tiler::NodeLinks& links,
                                     const std::array<int, 3>& c,
                                     std::optional<double> part = {}) const;

 private:
  // A wall link: its patch and the part of the link in the fluid.
  struct End {
    const WallCondition* wall = nullptr;  // null: not a wall, or a symmetry plane
    double distance = 0.0;
  };
  [[nodiscard]] End endOf(const tiler::NodeLinks& links, const std::array<int, 3>& c) const;
};

}  // namespace tessera::solver::boundary
