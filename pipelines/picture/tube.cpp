// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/picture/tube.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tessera::picture {
namespace {

constexpr std::uint32_t sides = 6;

Float3 toFloat(const Double3& v) {
  return {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])};
}

Double3 anyAcross(const Double3& along) {
  const Double3 helper = std::abs(along[0]) < 0.6 ? Double3{1, 0, 0} : Double3{0, 1, 0};
  return unit(cross(along, helper));
}

// Indices of points that differ from their predecessor.
std::vector<std::size_t> distinct(std::span<const Double3> points) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (kept.empty() || points[i] != points[kept.back()]) kept.push_back(i);
  return kept;
}

using Ring = std::array<Float3, sides>;

// Appends the vertices around one point; returns their normals.
Ring appendRing(const Double3& centre, const Double3& across, const Double3& along, double radius,
                RenderMesh& mesh) {
  const Double3 other = cross(along, across);
  Ring normal{};
  for (std::uint32_t s = 0; s < sides; ++s) {
    const double angle = 2.0 * std::numbers::pi * s / sides;
    const Double3 n = std::cos(angle) * across + std::sin(angle) * other;
    normal[s] = toFloat(n);
    mesh.vertex.push_back(centre + radius * n);
  }
  return normal;
}

void joinRings(std::uint32_t from, std::uint32_t to, const Ring& a, const Ring& b,
               RenderMesh& mesh) {
  for (std::uint32_t s = 0; s < sides; ++s) {
    const std::uint32_t t = (s + 1) % sides;
    mesh.triangle.push_back({from + s, from + t, to + t});
    mesh.normal.push_back({a[s], a[t], b[t]});
    mesh.triangle.push_back({from + s, to + t, to + s});
    mesh.normal.push_back({a[s], b[t], b[s]});
  }
}

}  // namespace

void appendTube(std::span<const Double3> points, std::span<const float> shade, double radius,
                RenderMesh& mesh) {
  const std::vector<std::size_t> kept = distinct(points);
  if (kept.size() < 2) return;
  Double3 across{};
  Ring before{};
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const Double3& next = points[kept[std::min(i + 1, kept.size() - 1)]];
    const Double3& last = points[kept[i == 0 ? 0 : i - 1]];
    const Double3 along = unit(next - last);
    across = across - dot(across, along) * along;
    across = length(across) > 1e-6 ? unit(across) : anyAcross(along);
    const auto ring = static_cast<std::uint32_t>(mesh.vertex.size());
    const Ring normal = appendRing(points[kept[i]], across, along, radius, mesh);
    if (!shade.empty()) mesh.shade.insert(mesh.shade.end(), sides, shade[kept[i]]);
    if (i > 0) joinRings(ring - sides, ring, before, normal, mesh);
    before = normal;
  }
}

RenderMesh wires(std::span<const Double3> vertex, std::span<const Edge> edges, double radius,
                 std::span<const float> shade) {
  RenderMesh wire;
  wire.plain = ink;
  for (const auto& [a, b] : edges) {
    const std::array ends{vertex[a], vertex[b]};
    if (shade.empty())
      appendTube(ends, {}, radius, wire);
    else
      appendTube(ends, std::array{shade[a], shade[b]}, radius, wire);
  }
  return wire;
}

}  // namespace tessera::picture
