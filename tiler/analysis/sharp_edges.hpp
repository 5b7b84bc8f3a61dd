// SPDX-License-Identifier: GPL-3.0-or-later
// Sharp edges of a wall, such as those of a duct: along them the wall shear stress falls to zero.
#pragma once

#include <array>
#include <vector>

#include "preprocess/geometry/lattice_geometry.hpp"

namespace tessera::tiler::analysis {

// Edges between triangles of the wall that turn by more than 30 degrees: both ends, in the
// surface's units. Edges at openings are not among them.
std::vector<std::array<Double3, 2>> sharpEdges(const preprocess::geometry::Surface& surface);

// Whether points lie within a distance of one of these edges, of which points half that distance
// apart are looked at; all in spacings.
class NearEdges {
 public:
  NearEdges(const std::vector<std::array<Double3, 2>>& edges, double distance);
  [[nodiscard]] bool contain(const Double3& point) const;

 private:
  struct Sample {
    Int3 cell;  // of the edge length `distance_`
    Double3 point;
  };
  [[nodiscard]] Int3 cellOf(const Double3& point) const;

  double distance_;
  std::vector<Sample> samples_;  // ascending by cell
};

}  // namespace tessera::tiler::analysis
