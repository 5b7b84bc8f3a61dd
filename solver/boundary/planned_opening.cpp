// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/boundary/planned_opening.hpp"

#include <algorithm>

#include "pipelines/stage/text.hpp"

namespace tessera::solver::boundary {

double PlannedOpening::area(std::size_t n) const {
  const std::size_t i = link(n).direction;
  return 6.0 * lattice.info.weights[i] * dot(velocityOf(lattice.info, i), shape.normal);
}

Double3 PlannedOpening::position(std::size_t n, double part) const {
  const tiles::OpeningLink& at = link(n);
  const Int3 node = lattice.geometry.nodeOf(at.tile, at.local);
  Double3 position{};
  for (std::size_t a = 0; a < 3; ++a)
    position[a] = node[a] + part * lattice.info.velocities[at.direction][a];
  return position;
}

std::string labelOf(const preprocess::geometry::Opening& opening) {
  return fmt::format("opening {} ({})", opening.id, opening.name);
}

std::vector<double> linkAreas(const tiles::TileOrder& order, const tiler::TiledGeometry& geometry,
                              const model::LatticeInfo& info) {
  std::vector<double> areas;
  areas.reserve(order.openingLinks.size());
  for (const tiles::OpeningLink& link : order.openingLinks) {
    const LatticeOpening opening = inLattice(geometry.openings[link.opening], geometry);
    const double cn = dot(velocityOf(info, link.direction), opening.normal);
    areas.push_back(std::max(0.0, 6.0 * info.weights[link.direction] * cn));
  }
  return areas;
}

}  // namespace tessera::solver::boundary
