// SPDX-License-Identifier: GPL-3.0-or-later
// Intersection of a plane with a surface: its curves, and those that form one cross-section of a
// vessel.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "preprocess/geometry/mesh.hpp"
#include "preprocess/geometry/plane_axes.hpp"

namespace tessera::preprocess::surface {

using geometry::PlaneAxes;

// --cut: the vessel that the plane crosses nearest to the point ends there.
struct CutPlane {
  Double3 point{};    // m
  Double3 normal{};   // unit, towards the part that is cut off
  std::string given;  // the option's text, for messages
};

// Surface whose triangles are split at a plane, so that each lies on one side of it.
struct SplitMesh {
  geometry::TriangleMesh mesh;        // vertices: those of the surface, then new ones on its edges
  std::vector<std::uint32_t> origin;  // of each triangle: index in the surface
  std::vector<signed char> side;  // of each vertex: behind the plane (-1), on it (0), beyond (1)
  // Side of a triangle; 0: in the plane.
  [[nodiscard]] int sideOf(std::size_t t) const;
};

// Vertices within the tolerance (m) of the plane count as on it.
SplitMesh splitAt(const geometry::TriangleMesh& mesh, const CutPlane& plane, double tolerance);

using VertexPair = std::array<std::uint32_t, 2>;  // ascending

// Connected edges between triangles behind the plane and others.
struct PlaneCurve {
  std::vector<VertexPair> edge;
  bool isClosed = true;  // every vertex has an even number of its edges
};

// Ordered by their lowest vertices.
std::vector<PlaneCurve> curvesOf(const SplitMesh& split);

// Curves around one region of the plane inside the surface, outermost first.
struct CrossSection {
  std::vector<PlaneCurve> curve;
  double distance = 0.0;   // m, of the plane's point; 0: inside or on the rim
  double perimeter = 0.0;  // m, of the outermost curve
};

// Cross-section nearest to the plane's point; where a curve lies in another one, as around a
// catheter, the region between them. An open curve is returned alone. curves: at least one.
CrossSection nearestSection(const SplitMesh& split, const std::vector<PlaneCurve>& curves,
                            const CutPlane& plane);

}  // namespace tessera::preprocess::surface
