// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "solver/boundary/opening_force.hpp"
#include "solver/boundary/profiles.hpp"
#include "solver/boundary/symmetry.hpp"
#include "tiler/opening_links.hpp"

namespace tessera::solver::boundary {

namespace {

using preprocess::geometry::Patch;
using End = OpeningForceLink::End;

Double3 asDouble(const Int3& step) {
  return {static_cast<double>(step[0]), static_cast<double>(step[1]), static_cast<double>(step[2])};
}

Double3 along(const Double3& normal, const Double3& vector) {
  return dot(normal, vector) * normal;
}

void addAt(const Double3& arm, const Double3& force, LatticeForce& sum) {
  const Double3 torque = cross(arm, force);
  for (std::size_t a = 0; a < 3; ++a) {
    sum.force[a] += force[a];
    sum.torque[a] += torque[a];
  }
}

// Walls at one node of an opening.
class WallsAtNode {
 public:
  WallsAtNode(const tiler::TiledGeometry& geometry, const tiles::OpeningLink& link)
      : geometry_(geometry), links_(tiler::linksOf(geometry, link.tile, link.local)) {
    const auto first = geometry.boundaryLocal.begin() +
                       static_cast<std::ptrdiff_t>(geometry.boundaryStart[link.tile]);
    const auto last = geometry.boundaryLocal.begin() +
                      static_cast<std::ptrdiff_t>(geometry.boundaryStart[link.tile + 1]);
    const auto at = std::lower_bound(first, last, link.local) - geometry.boundaryLocal.begin();
    normal_ =
        preprocess::geometry::normalFromCode(geometry.boundaryNormal[static_cast<std::size_t>(at)]);
  }

  // Wall that a link through an opening ends beyond, too: beyond the plane along the opening's
  // normal through the end of the node's wall link whose direction is nearest.
  [[nodiscard]] std::optional<Patch> beyond(const Double3& c, const Double3& opening) const {
    const Double3 across = normal_ - along(opening, normal_);
    if (!(dot(c, across) > 1e-6)) return std::nullopt;
    double nearest = -1.0, height = 0.0;
    Patch label = 0;
    std::uint64_t link = links_.first;
    for (std::uint32_t rest = links_.mask; rest != 0; rest &= rest - 1, ++link) {
      const Patch patch = geometry_.linkPatch[link];
      if (preprocess::geometry::isOpening(patch)) continue;
      const Double3 to = asDouble(preprocess::geometry::directionStep(std::countr_zero(rest)));
      const double alike = dot(to, c) / length(to);
      if (!(dot(to, across) > 0.0) || !(alike > nearest)) continue;
      nearest = alike;
      height =
          preprocess::geometry::distanceFromCode(geometry_.linkDistance[link]) * dot(to, across);
      label = patch;
    }
    if (nearest < 0.0 || !(dot(c, across) > height)) return std::nullopt;
    return label;
  }

 private:
  const tiler::TiledGeometry& geometry_;
  tiler::NodeLinks links_;
  Double3 normal_{};  // of the nearest wall
};

// Rim of an opening, by areas in squared spacings.
struct Rim {
  Double3 missing{};         // of the opening by its geometry, less that of its links
  double beyondWalls = 0.0;  // along the normal, of its links that end beyond walls
  double ofWalls = 0.0;      // of links of walls that end beyond its plane
  bool isWhole = true;       // no other opening at it
};

// Area of the wall links of a node that end beyond the plane of an opening.
double areaOfWalls(const tiler::TiledGeometry& geometry, const tiles::OpeningLink& at,
                   const LatticeOpening& opening, const model::LatticeInfo& info) {
  const tiler::NodeLinks links = tiler::linksOf(geometry, at.tile, at.local);
  const double height =
      dot(opening.centre - asDouble(geometry.nodeOf(at.tile, at.local)), opening.normal);
  double area = 0.0;
  for (std::size_t i = 1; i < info.velocities.size(); ++i) {
    const auto& c = info.velocities[i];
    const int direction = preprocess::geometry::directionOf(c[0], c[1], c[2]);
    if ((links.mask >> direction & 1U) == 0) continue;
    const std::uint64_t link = tiler::linkIndex(links.first, links.mask, direction);
    if (preprocess::geometry::isOpening(geometry.linkPatch[link])) continue;
    const double through = dot(velocityOf(info, i), opening.normal);
    if (through > std::max(height, 0.0)) area += 6.0 * info.weights[i] * through;
  }
  return area;
}

// Nodes of openings, each opening of a node once.
void addNodes(const tiles::TileOrder& order, const tiler::TiledGeometry& geometry,
              const model::LatticeInfo& info, std::vector<Rim>& rims) {
  const tiles::OpeningLink* last = nullptr;
  for (const tiles::OpeningLink& at : order.openingLinks) {
    const bool sameNode = last != nullptr && last->tile == at.tile && last->local == at.local;
    if (!sameNode || last->opening != at.opening)
      rims[at.opening].ofWalls +=
          areaOfWalls(geometry, at, inLattice(geometry.openings[at.opening], geometry), info);
    if (sameNode && last->opening != at.opening)
      rims[at.opening].isWhole = rims[last->opening].isWhole = false;
    last = &at;
  }
}

std::vector<Rim> rimsOf(const OpeningForces& plan, const tiles::TileOrder& order,
                        const tiler::TiledGeometry& geometry, const model::LatticeInfo& info) {
  std::vector<Rim> rims(geometry.openings.size());
  for (std::size_t o = 0; o < rims.size(); ++o) {
    const LatticeOpening shape = inLattice(geometry.openings[o], geometry);
    rims[o].missing = shape.area * shape.normal;
  }
  for (const OpeningForceLink& link : plan.links) {
    const Double3 area = 6.0 * link.weight * link.velocity;
    const Double3& normal = plan.normals[link.opening];
    Rim& of = rims[link.opening];
    if (link.end == End::Wall)
      of.beyondWalls += dot(area, normal);
    else
      of.missing = of.missing - (link.end == End::Plane ? along(normal, area) : area);
  }
  addNodes(order, geometry, info, rims);
  return rims;
}

// The area missing, or, where links do not know all of the opening (it meets another one, parts
// overlap, fluid is left out), that of all links that end beyond it and walls.
Double3 areaAt(const Rim& rim, const Double3& normal) {
  const Double3 counted = (rim.beyondWalls + rim.ofWalls) * normal;
  const bool isKnown = rim.isWhole && length(rim.missing - counted) < length(counted);
  return isKnown ? rim.missing : counted;
}

void shareAreas(const std::vector<Rim>& rims, OpeningForces& plan) {
  for (OpeningForceLink& link : plan.links) {
    if (link.end != End::Wall) continue;
    const Rim& rim = rims[link.opening];
    const Double3& normal = plan.normals[link.opening];
    const double share = 6.0 * link.weight * dot(link.velocity, normal) / rim.beyondWalls;
    link.area = share * areaAt(rim, normal);
  }
}

}  // namespace

void OpeningForces::add(std::span<const LinkSample> samples, std::vector<LatticeForce>& walls,
                        std::vector<LatticeForce>& openings) const {
  for (std::size_t k = 0; k < links.size(); ++k) {
    const OpeningForceLink& link = links[k];
    const Double3 force = samples[k].exchanged * link.velocity;
    if (link.end == End::Opening) {
      addAt(link.arm, force, openings[link.opening]);
      continue;
    }
    const Double3 share = link.end == End::Wall ? (samples[k].summedR / 3.0) * link.area
                                                : along(normals[link.opening], force);
    addAt(link.crossing, share, openings[link.opening]);
    addAt(link.crossing, -1.0 * share, walls[link.wall]);
    addAt(link.arm, force, walls[link.wall]);
  }
}

void OpeningForces::addAreas(std::vector<LatticeForce>& walls,
                             std::vector<LatticeForce>& openings) const {
  std::vector<LinkSample> samples;
  for (const OpeningForceLink& link : links) samples.push_back({0.0, 0.0, 6.0 * link.weight, 3.0});
  add(samples, walls, openings);
}

OpeningForces planOpeningForces(const tiles::TileOrder& order, const tiler::TiledGeometry& geometry,
                                const WallForceInput& input, const model::LatticeInfo& info) {
  OpeningForces plan;
  for (const preprocess::geometry::Opening& opening : geometry.openings)
    plan.normals.push_back(inLattice(opening, geometry).normal);
  const std::vector<bool> symmetric = symmetryLabels(input.conditions, geometry);
  const Double3 about = geometry.frame.toLattice(input.torqueAbout);
  for (const tiles::OpeningLink& at : order.openingLinks) {
    const Double3 c = velocityOf(info, at.direction);
    OpeningForceLink link;
    link.velocity = c;
    link.arm = asDouble(geometry.nodeOf(at.tile, at.local)) - about;
    link.crossing = at.position - about;
    link.weight = info.weights[at.direction];
    link.opening = at.opening;
    const Double3& normal = plan.normals[at.opening];
    if (dot(c, normal) > 0.0)
      if (const auto wall = WallsAtNode(geometry, at).beyond(c, normal)) {
        link.wall = *wall;
        link.end = symmetric[*wall] ? End::Plane : End::Wall;
      }
    plan.links.push_back(link);
  }
  shareAreas(rimsOf(plan, order, geometry, info), plan);
  return plan;
}

}  // namespace tessera::solver::boundary
