// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/openings/opening_candidates.hpp"

#include <numbers>

#include "preprocess/surface/openings/caps.hpp"
#include "preprocess/surface/openings/rim_turn.hpp"

namespace tessera::preprocess::surface {

OpeningCandidate candidateOf(const geometry::TriangleMesh& mesh,
                             const std::vector<std::uint32_t>& triangles,
                             const std::string& reason) {
  OpeningCandidate candidate{{}, {}, 0.0, reason, triangles};
  Double3 sum{};
  double size = 0.0;
  for (const std::uint32_t t : triangles) {
    const Double3 vector = geometry::areaVector(mesh, t);
    sum = sum + 0.5 * vector;
    size += length(vector);
    for (const std::uint32_t v : mesh.triangle[t])
      candidate.centre = candidate.centre + (length(vector) / 3.0) * mesh.vertex[v];
  }
  candidate.area = length(sum);
  candidate.normal = unit(sum);
  candidate.centre = (1.0 / size) * candidate.centre;
  return candidate;
}

bool isFlatRing(const geometry::TriangleMesh& mesh, const std::vector<std::uint32_t>& twin,
                const std::vector<std::uint32_t>& rim, const Double3& normal) {
  constexpr double cosine = std::numbers::sqrt2 / 2.0, sharpShare = 0.9, compact = 0.5;
  constexpr std::size_t fewestEdges = 6;  // of both loops
  if (rim.size() < fewestEdges || isOneLoop(mesh, rim)) return false;
  const RimShape shape = rimShape(mesh, twin, rim, normal, cosine);
  if (shape.sharp < sharpShare * shape.perimeter) return false;
  const OuterLoop outer = outerLoop(mesh, rim);
  if (outer.half.empty() || outer.share > 0.99) return false;
  const Double3& start = mesh.vertex[fromVertex(mesh, outer.half.front())];
  Double3 area{};
  for (const std::uint32_t half : outer.half)
    area = area + 0.5 * cross(mesh.vertex[fromVertex(mesh, half)] - start,
                              mesh.vertex[toVertex(mesh, half)] - start);
  const double perimeter = outer.share * shape.perimeter;
  return 4.0 * std::numbers::pi * dot(area, normal) > compact * perimeter * perimeter;
}

}  // namespace tessera::preprocess::surface
