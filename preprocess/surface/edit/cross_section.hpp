// SPDX-License-Identifier: GPL-3.0-or-later
// Where a plane crosses a surface: the curves it crosses it along, and which of them are one
// cross-section of a vessel.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "preprocess/geometry/mesh.hpp"

namespace tessera::preprocess::surface {

// --cut: the vessel that the plane crosses nearest to the point ends there.
struct CutPlane {
  Double3 point{};    // m
  Double3 normal{};   // unit, towards what is cut away
  std::string given;  // the option's text, for sentences
};

// A surface of which each triangle lies on one side of a plane, the crossed ones being divided.
struct SplitMesh {
  geometry::TriangleMesh mesh;  // vertices: those of the surface, then those made on its edges
  std::vector<std::uint32_t> origin;  // of each triangle: that of the surface
  std::vector<signed char> side;  // of each vertex: before the plane (-1), on it (0), beyond (1)
  // Of a triangle: 0 where it lies in the plane.
  [[nodiscard]] int sideOf(std::size_t t) const;
};

// Vertices within the tolerance (m) of the plane are on it.
SplitMesh splitAt(const geometry::TriangleMesh& mesh, const CutPlane& plane, double tolerance);

using VertexPair = std::array<std::uint32_t, 2>;  // ascending

// Edges between triangles before the plane and others, as far as they hang together.
struct PlaneCurve {
  std::vector<VertexPair> edge;
  bool isClosed = true;  // an even number of its edges meets at every vertex
};

// In the order of their lowest vertices.
std::vector<PlaneCurve> curvesOf(const SplitMesh& split);

// The curves around one region of the plane inside the surface, outermost first.
struct CrossSection {
  std::vector<PlaneCurve> curve;
  double away = 0.0;       // m, of the point from it; 0: the point lies in it or on its rim
  double perimeter = 0.0;  // m, of the outermost
};

// The one nearest to the plane's point; where a curve lies in another one, as around a catheter,
// the region between them. A curve that is not closed comes alone. curves: at least one.
CrossSection nearestSection(const SplitMesh& split, const std::vector<PlaneCurve>& curves,
                            const CutPlane& plane);

}  // namespace tessera::preprocess::surface
