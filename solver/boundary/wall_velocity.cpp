// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/boundary/wall_velocity.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::solver::boundary {

namespace {

// Parts of a link: walls whose planes a link meets closer to each other meet there themselves.
constexpr double edgeTolerance = 1.0 / 64.0;

}  // namespace

MovingWalls::End MovingWalls::endOf(const tiler::NodeLinks& links,
                                    const std::array<int, 3>& c) const {
  const int direction = preprocess::geometry::directionOf(c[0], c[1], c[2]);
  if ((links.mask >> direction & 1U) == 0) return {};
  const std::uint64_t link = tiler::linkIndex(links.first, links.mask, direction);
  const preprocess::geometry::Patch patch = geometry.linkPatch[link];
  if (preprocess::geometry::isOpening(patch) || patch >= conditions.size()) return {};
  if (conditions[patch].kind == WallKind::Symmetry) return {};
  return {&conditions[patch],
          halfway ? 0.5 : preprocess::geometry::distanceFromCode(geometry.linkDistance[link])};
}

double MovingWalls::velocityAlong(const Int3& node, const tiler::NodeLinks& links,
                                  const std::array<int, 3>& c, std::optional<double> part) const {
  const End own = endOf(links, c);
  if (own.wall == nullptr) return 0.0;
  Double3 end{};
  for (std::size_t a = 0; a < 3; ++a) end[a] = node[a] + part.value_or(own.distance) * c[a];
  const Double3 at = geometry.frame.toWorld(end);
  // Velocities in lattice axes: of the link's own wall, and of those that the link meets with one
  // of its components, across that component's axis.
  const auto inLattice = [&](const WallCondition& wall) {
    const Double3 u = wall.velocityAt(at);
    Double3 along{};
    for (std::size_t a = 0; a < 3; ++a) along[a] = dot(geometry.frame.axis[a], u);
    return along;
  };
  std::array<const WallCondition*, 3> across{};
  std::vector<const WallCondition*> met;
  for (std::size_t a = 0; a < 3; ++a) {
    std::array<int, 3> component{};
    component[a] = c[a];
    if (c[a] == 0 || component == c) continue;
    const End side = endOf(links, component);
    if (side.wall == nullptr || std::abs(side.distance - own.distance) > edgeTolerance) continue;
    across[a] = side.wall;
    if (std::find(met.begin(), met.end(), side.wall) == met.end()) met.push_back(side.wall);
  }
  if (met.size() < 2) met = {own.wall};
  double speed = 0.0;
  for (std::size_t a = 0; a < 3; ++a) {
    if (met.size() > 1 && across[a] != nullptr) {
      speed += c[a] * inLattice(*across[a])[a];
      continue;
    }
    for (const WallCondition* wall : met)
      speed += c[a] * inLattice(*wall)[a] / static_cast<double>(met.size());
  }
  return speed;
}

}  // namespace tessera::solver::boundary
