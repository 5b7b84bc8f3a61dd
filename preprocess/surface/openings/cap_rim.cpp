// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/openings/cap_rim.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace tessera::preprocess::surface {

std::vector<std::uint32_t> rimOf(const std::vector<std::uint32_t>& twin,
                                 std::span<const std::uint32_t> triangles) {
  const std::unordered_set<std::uint32_t> inside(triangles.begin(), triangles.end());
  std::vector<std::uint32_t> rim;
  for (const std::uint32_t t : triangles)
    for (std::uint32_t half = 3 * t; half < 3 * t + 3; ++half)
      if (twin[half] == noHalfEdge || !inside.contains(twin[half] / 3)) rim.push_back(half);
  return rim;
}

bool isOneLoop(const geometry::TriangleMesh& mesh, const std::vector<std::uint32_t>& rim) {
  if (rim.empty()) return false;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> next;
  for (const std::uint32_t half : rim)
    next.emplace_back(fromVertex(mesh, half), toVertex(mesh, half));
  std::sort(next.begin(), next.end());
  for (std::size_t i = 1; i < next.size(); ++i)
    if (next[i].first == next[i - 1].first) return false;
  std::uint32_t at = next.front().second;
  std::size_t steps = 1;
  for (; at != next.front().first && steps <= next.size(); ++steps) {
    const auto found = std::lower_bound(next.begin(), next.end(), std::pair{at, 0U});
    if (found == next.end() || found->first != at) return false;
    at = found->second;
  }
  return steps == next.size();
}

RimShape rimShape(const geometry::TriangleMesh& mesh, const std::vector<std::uint32_t>& twin,
                  const std::vector<std::uint32_t>& rim, const Double3& normal, double cosine) {
  RimShape shape;
  for (const std::uint32_t half : rim) {
    const Double3& a = mesh.vertex[fromVertex(mesh, half)];
    const double edge = length(mesh.vertex[toVertex(mesh, half)] - a);
    shape.perimeter += edge;
    if (twin[half] == noHalfEdge) continue;
    const std::uint32_t across = twin[half];
    const std::uint32_t tip = mesh.triangle[across / 3][(across % 3 + 2) % 3];
    const Double3 here = geometry::areaVector(mesh, half / 3),
                  there = geometry::areaVector(mesh, across / 3);
    const bool turns = dot(here, there) <= cosine * std::sqrt(dot(here, here) * dot(there, there));
    if (turns && dot(mesh.vertex[tip] - a, normal) < 0.0) shape.fallingAway += edge;
  }
  return shape;
}

}  // namespace tessera::preprocess::surface
