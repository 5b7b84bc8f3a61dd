// SPDX-License-Identifier: GPL-3.0-or-later
// Force of the fluid on openings by momentum exchange, and the share of the walls that meet them at
// their rims. A link through an opening loses the momentum c_i (f_i + f_o) to what is beyond it,
// f_o the population that enters: pressure and the flux of momentum. So walls, openings, body force
// and the change of momentum are in balance to round-off.
//
// A rim is a corner of the fluid, outward normals n of the opening and t of the wall. Of the links
// with c . n > 0 those with c . t > 0 that end beyond both are |c . n| |c . t| a unit length of the
// rim; as many with c . t < 0 have neither node in the fluid, but cut the corner. Flux of momentum
// through the opening's plane needs half of the former and half of the latter, whose f_i + f_o is
// s - d where that of their mirror image in the wall is s + d, s even and d odd in c . t. So of
//   c (s + d) a link beyond both
// gives c . n s n to the opening and the rest to the wall: its friction d, and the pressure on the
// wall up to the plane. Given to the opening as a whole, links beyond both leave a wall without
// friction over about a spacing at each end; divided by which of the two they cross first, those
// that cut the corner are missing, and with them a part 1 / (6 R) of the pressure on an opening of
// R nodes radius.
// Links labelled as the wall's are the wall's as a whole, so s of the others, of the pressure at
// their nodes, is scaled such that the area vector of the opening is that of the geometry: the
// number of links that cross a plane within a rim varies by a per cent with its place.
// At a symmetry plane c . n n (s + d) is the opening's: fluid crosses the corner there, d = 0.
#pragma once

#include <span>
#include <vector>

#include "solver/boundary/link.hpp"
#include "solver/boundary/plan_wall_force.hpp"

namespace tessera::solver::boundary {

struct OpeningForceLink {
  enum class End : std::uint8_t { Opening, Wall, Plane };  // also beyond a wall, a symmetry plane
  Double3 velocity{};                                      // c_i
  Double3 arm{};       // of the node, from the point of the torques, spacings
  Double3 crossing{};  // of the link with the opening, likewise
  Double3 area{};      // End::Wall: of the opening, whose pressure is taken off the wall
  double weight = 0.0;
  std::uint16_t opening = 0;
  preprocess::geometry::Patch wall = 0;
  End end = End::Opening;
};

// Result of planOpeningForces(), of the links of all ranks.
struct OpeningForces {
  std::vector<OpeningForceLink> links;  // as TileOrder::openingLinks
  std::vector<Double3> normals;         // by opening, out of the fluid

  // Adds the forces of the links to those of walls, by label, and of openings. Lattice units,
  // summed over the steps of the samples.
  void add(std::span<const LinkSample> samples, std::vector<LatticeForce>& walls,
           std::vector<LatticeForce>& openings) const;
  // The same of a pressure of 1.
  void addAreas(std::vector<LatticeForce>& walls, std::vector<LatticeForce>& openings) const;
};

// input: as of planWallForces().
OpeningForces planOpeningForces(const tiles::TileOrder& order, const tiler::TiledGeometry& geometry,
                                const WallForceInput& input, const model::LatticeInfo& info);

}  // namespace tessera::solver::boundary
