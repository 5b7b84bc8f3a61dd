// SPDX-License-Identifier: GPL-3.0-or-later
// Cross-section of the fluid in a plane: the part connected to a point of it.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "preprocess/geometry/lattice_geometry.hpp"
#include "preprocess/lattice/throats/coarse_fluid.hpp"

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

// Flood of a grid of this pitch (at most a node where walls are thin) from the point, over nearest
// nodes that are fluid, not in front of thin walls that face along the normal, and not beyond
// others. Not found when the point is no such node, when the section reaches farther than `reach`
// or is larger than maxArea.
PlaneSection sectionAt(const geometry::BitLattice& fluid, const ThinWalls& thin,
                       const SectionPlane& plane, double pitch, double reach, double maxArea);

// Sections that thin walls leave of one of the fluid without them, the largest first.
std::vector<PlaneSection> piecesOf(const geometry::BitLattice& fluid, const ThinWalls& thin,
                                   const SectionPlane& plane, const PlaneSection& whole);

// Area within the surface's outline around the samples (Green's theorem). Absent where that is not
// closed: without a surface, where a sheet lies in the plane, or where another wall runs close by.
using Corners = std::array<Double3, 3>;
std::optional<double> exactArea(const std::vector<Corners>& surface, const SectionPlane& plane,
                                const PlaneSection& section);

// Triangles of the surface whose boxes reach closer than this to a point on every axis.
std::vector<Corners> trianglesNear(const geometry::Surface& surface,
                                   std::span<const stage::Triangle> triangles, const Double3& point,
                                   double distance);

// Area of a section of the fluid without thin walls, less what sheets cover of it that lie in its
// plane. Absent as exactArea() is, and where a sheet runs obliquely.
std::optional<double> areaBesideSheets(const geometry::Surface& surface, const SectionPlane& plane,
                                       const PlaneSection& whole);

}  // namespace tessera::preprocess::lattice
