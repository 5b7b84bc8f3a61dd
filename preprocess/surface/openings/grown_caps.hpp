// SPDX-License-Identifier: GPL-3.0-or-later
// Ends of vessels that are closed by nearly flat caps, by region growing about a fitted plane.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "preprocess/surface/topology/edge_table.hpp"

namespace tessera::preprocess::surface {

// Region of triangles about a plane, and the reason why it is no opening (empty: it is one).
struct GrownCap {
  std::vector<std::uint32_t> triangle;
  std::string reason;
  double radius = 0.0;     // m, of the circle of the same area
  double sharpness = 0.0;  // degrees, of the flattest part of the rim
};

// Regions grow from triangles on edges of more than 8 degrees, as long as a triangle's normal is
// within 12 degrees (then 25 and 40, for noise) of the region's and its corners within a fifth of
// the region's radius of its plane (Poppinga et al., IROS 2008, fit planes as they grow). Islands
// and spurs of less than 5 % of the area are bridged. Where the middle of a dome would do, the
// whole is taken if its rim is sharper. A region is an end if it is compact (4 pi A / P^2 > 0.15,
// ends of 10:1; below 0.5 the wall must turn away by 60 degrees, for the flank of a coarse vessel
// is as long), the vessel behind it at least as deep as it is long where few long edges bound it
// (otherwise it is a facet or the flank of a duct; at least 0.35 as deep where it is no rounder
// than a square), the wall lies behind it all round (liesBehind()) and turns away (turnsAway()).
// Ends that touch each other are walls, but one whose rim is sharper by 30 degrees stays: the end
// of a flattened vessel. Regions that nearly are one are returned with the reason. isTaken:
// triangles of known caps and of walls that must stay; regions next to them are no ends. mesh:
// closed and outward.
std::vector<GrownCap> growCaps(const geometry::TriangleMesh& mesh,
                               const std::vector<std::uint32_t>& twin,
                               const std::vector<char>& isTaken);

// Patch that a user declares an opening, about the triangles nearest to a point (several at a
// vertex): the end that growCaps() would accept there, otherwise the largest of the regions within
// 40, 25 and 12 degrees of the normal at the point that is compact (4 pi A / P^2 > 0.4), has one
// rim and from which the wall turns away by more than 20 degrees all round, as on a rounded end.
// Without any the reason is set.
GrownCap growCapAt(const geometry::TriangleMesh& mesh, const std::vector<std::uint32_t>& twin,
                   const std::vector<char>& isTaken, std::span<const std::uint32_t> nearest);

}  // namespace tessera::preprocess::surface
