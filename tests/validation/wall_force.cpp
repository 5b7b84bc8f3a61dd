// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/validation/wall_force.hpp"

#include <algorithm>
#include <bit>

namespace tessera::validation {

using namespace tessera::preprocess::geometry;
using namespace tessera::solver::boundary;
using namespace tessera::solver::model;
using namespace tessera::tiler;

namespace {

// Index of population i in Simulation::populations(); none for a node that is not fluid.
constexpr std::size_t none = static_cast<std::size_t>(-1);

std::size_t populationAt(const TiledGeometry& geometry, const Int3& node, std::size_t i,
                         std::size_t q) {
  const TilePlace place = geometry.placeOf(node);
  const std::int32_t tile = geometry.tileAt(place.tile[0], place.tile[1], place.tile[2]);
  const auto local = static_cast<std::size_t>(place.local);
  if (tile < 0 || geometry.nodeType[static_cast<std::size_t>(tile) * tileNodes + local] == 0)
    return none;
  return (static_cast<std::size_t>(tile) * q + i) * tileNodes + local;
}

}  // namespace

WallForce::WallForce(const Flow& flow, Patch label) {
  const TiledGeometry& geometry = flow.tiles->geometry;
  const LatticeInfo& lattice = flow.simulation->setup().variant->lattice;
  const std::size_t q = lattice.velocities.size();
  for (std::size_t t = 0; t < geometry.tiles(); ++t) {
    std::size_t link = geometry.linkStart[t];
    for (std::size_t k = geometry.boundaryStart[t]; k < geometry.boundaryStart[t + 1]; ++k) {
      const Int3 node = geometry.nodeOf(t, geometry.boundaryLocal[k]);
      for (std::uint32_t rest = geometry.boundaryMask[k]; rest != 0; rest &= rest - 1, ++link) {
        if (geometry.linkPatch[link] != label) continue;
        const Int3 step = directionStep(std::countr_zero(rest));
        const auto found = std::find(lattice.velocities.begin(), lattice.velocities.end(), step);
        if (found == lattice.velocities.end()) continue;
        const auto i = static_cast<std::size_t>(found - lattice.velocities.begin());
        const std::size_t o = i % 2 == 1 ? i + 1 : i - 1;
        const Int3 before{node[0] - step[0], node[1] - step[1], node[2] - step[2]};
        links_.push_back({populationAt(geometry, node, i, q), populationAt(geometry, node, o, q),
                          populationAt(geometry, before, i, q),
                          distanceFromCode(geometry.linkDistance[link]), step});
      }
    }
  }
}

Double3 WallForce::of(const Flow& flow) const {
  const std::vector<double> f = flow.simulation->populations();
  Double3 force{};
  for (const Link& link : links_) {
    const double twice = 2.0 * link.distance;
    double returning = f[link.out];
    if (twice < 1.0 && link.behind != none)
      returning = twice * f[link.out] + (1.0 - twice) * f[link.behind];
    else if (twice > 1.0)
      returning = (f[link.out] + (twice - 1.0) * f[link.back]) / twice;
    for (std::size_t a = 0; a < 3; ++a) force[a] += link.c[a] * (f[link.out] + returning);
  }
  return force;
}

}  // namespace tessera::validation
