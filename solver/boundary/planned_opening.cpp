// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/boundary/planned_opening.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "pipelines/stage/text.hpp"
#include "tiler/opening_links.hpp"

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

std::vector<Double3> PlannedOpening::images(const Double3& point) const {
  std::vector<Double3> all{point};
  for (const MirrorPlane& plane : planes)
    for (std::size_t k = 0, count = all.size(); k < count; ++k) {
      all.push_back(all[k]);
      all.back()[plane.axis] = 2.0 * plane.at - all.back()[plane.axis];
    }
  return all;
}

namespace {

constexpr double mostAcross = 0.05;  // of an opening's normal, across a plane it ends at

// Twice the coordinates of planes halfway between nodes that links along axes of a node end on.
void addPlanes(const PlannedOpening& opening, const tiles::OpeningLink& at,
               std::array<std::set<int>, 3>& planes) {
  const tiler::TiledGeometry& g = opening.lattice.geometry;
  const tiler::NodeLinks links = tiler::linksOf(g, at.tile, at.local);
  const Int3 node = g.nodeOf(at.tile, at.local);
  std::uint64_t link = links.first;
  for (std::uint32_t rest = links.mask; rest != 0; rest &= rest - 1, ++link) {
    const preprocess::geometry::Patch patch = g.linkPatch[link];
    if (preprocess::geometry::isOpening(patch) || !opening.symmetric[patch]) continue;
    const Int3 c = preprocess::geometry::directionStep(std::countr_zero(rest));
    for (std::size_t a = 0; a < 3; ++a)
      if (std::abs(c[a]) == std::abs(c[0]) + std::abs(c[1]) + std::abs(c[2]) &&
          std::abs(opening.shape.normal[a]) < mostAcross)
        planes[a].insert(2 * node[a] + c[a]);
  }
}

}  // namespace

std::vector<MirrorPlane> planesAt(const PlannedOpening& opening) {
  std::vector<MirrorPlane> planes;
  if (std::find(opening.symmetric.begin(), opening.symmetric.end(), true) ==
      opening.symmetric.end())
    return planes;
  std::array<std::set<int>, 3> found;
  for (std::size_t n = 0; n < opening.links.size(); ++n) addPlanes(opening, opening.link(n), found);
  for (std::size_t a = 0; a < 3; ++a)
    if (found[a].size() == 1) planes.push_back({a, 0.5 * *found[a].begin()});
  return planes;
}

LatticeOpening wholeOpening(LatticeOpening opening, const std::vector<MirrorPlane>& planes) {
  for (const MirrorPlane& plane : planes) {
    opening.centre[plane.axis] = plane.at;
    opening.area *= 2.0;
    opening.radius *= opening.dimensions == 2 ? 2.0 : std::sqrt(2.0);
  }
  return opening;
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
