// SPDX-License-Identifier: GPL-3.0-or-later
// Cross-section of the fluid in a plane: the part connected to a point of it.
#pragma once

#include <cstdint>
#include <vector>

#include "preprocess/geometry/lattice_geometry.hpp"

namespace tessera::preprocess::lattice {

// Lattice coordinates (nodes).
struct SectionPlane {
  Double3 point{};   // in the fluid
  Double3 normal{};  // unit
};

struct PlaneSection {
  double area = 0.0;            // nodes^2
  Double3 centre{};             // centroid
  std::vector<Double3> sample;  // points of a square grid in it
  double pitch = 0.0;           // of the grid, nodes
  [[nodiscard]] bool isFound() const { return !sample.empty(); }
};

// Flood of a grid of this pitch from the point, over nearest nodes that are fluid. Not found when
// the point is no fluid, when the section reaches farther than `reach` or is larger than maxArea.
PlaneSection sectionAt(const geometry::LatticeGeometry& geometry, const SectionPlane& plane,
                       double pitch, double reach, double maxArea);

// Area from the surface's exact outline around the samples (Green's theorem); that of the samples
// without a surface, or when the two differ by more than their resolution explains (where a sheet
// lies in the plane, or another wall runs close by).
double exactArea(const geometry::Surface& surface, const SectionPlane& plane,
                 const PlaneSection& section);

}  // namespace tessera::preprocess::lattice
