// SPDX-License-Identifier: GPL-3.0-or-later
// Wall conditions of a case: the scheme of [solver] walls, and [[wall]] tables of walls that move
// or are symmetry planes. SI units, world axes.
#pragma once

#include <string>
#include <vector>

#include "pipelines/stage/case/case_file.hpp"
#include "solver/comm/ranks.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::solver::boundary {

// Auto is resolved by run::prepare().
enum class WallScheme { Halfway, Bouzidi, SingleNode, Multireflection, Auto };
// Their words in the case, in that order.
inline const std::vector<std::string> wallSchemeNames{"halfway", "bouzidi", "single-node",
                                                      "multireflection", "auto"};
enum class WallKind { Rest, Moving, Symmetry };

struct WallCondition {
  WallKind kind = WallKind::Rest;
  Double3 velocity{};  // m/s
  Double3 centre{};    // m, a point on the axis that the wall turns about
  Double3 rate{};      // rad/s along that axis, right-handed

  // m/s of the wall at a point in the world.
  [[nodiscard]] Double3 velocityAt(const Double3& world) const;
};

// One for each wall label of the geometry, in its order. Throws StageError(Usage) with file and
// line.
std::vector<WallCondition> readWalls(const stage::CaseFile& file,
                                     const tiler::TiledGeometry& geometry);

// Scheme of "auto": multireflection where the geometry says where walls lie between nodes, on any
// rank; halfway for voxels.
WallScheme automaticWalls(const tiler::TiledGeometry& geometry, comm::Ranks& ranks);

// Whether some walls need more than the halfway bounce-back of the step.
bool needWallLinks(WallScheme scheme, const std::vector<WallCondition>& conditions);

// The largest speed of a wall, m/s; conditions may be empty.
double fastestWall(const std::vector<WallCondition>& conditions,
                   const tiler::TiledGeometry& geometry);

}  // namespace tessera::solver::boundary
