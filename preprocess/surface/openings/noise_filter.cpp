// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/openings/noise_filter.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "preprocess/geometry/mesh.hpp"

namespace tessera::preprocess::surface {

using geometry::TriangleMesh;

namespace {

using Vectors = std::vector<Double3>;

Double3 unitOrZero(const Double3& v) {
  const double size = length(v);
  return size > 0.0 ? (1.0 / size) * v : Double3{};
}

Double3 middleOf(const TriangleMesh& mesh, std::size_t t) {
  const stage::Triangle& c = mesh.triangle[t];
  return (1.0 / 3.0) * (mesh.vertex[c[0]] + mesh.vertex[c[1]] + mesh.vertex[c[2]]);
}

template <class Value>
void forTriangles(std::size_t triangles, Value value) {
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, triangles, 1 << 12),
                    [&](const tbb::blocked_range<std::size_t>& range) {
                      for (std::size_t t = range.begin(); t < range.end(); ++t) value(t);
                    });
}

// Sums of a quantity over a triangle and those across its edges, with a weight each.
template <class Weight>
Double3 sumAcross(const std::vector<std::uint32_t>& twin, std::size_t t, const Vectors& of,
                  Weight weight) {
  Double3 sum = weight(t) * of[t];
  for (std::size_t half = 3 * t; half < 3 * t + 3; ++half)
    if (twin[half] != noHalfEdge) {
      const std::size_t other = twin[half] / 3;
      sum = sum + weight(other) * of[other];
    }
  return sum;
}

// Unit normals, filtered.
Vectors filteredNormals(const TriangleMesh& mesh, const std::vector<std::uint32_t>& twin) {
  constexpr int repeats = 8;
  constexpr double range = 0.3;  // of the difference of unit normals
  const std::size_t triangles = mesh.triangle.size();
  std::vector<double> area(triangles);
  Vectors normal(triangles), mean(triangles), next(triangles);
  forTriangles(triangles, [&](std::size_t t) {
    const Double3 vector = geometry::areaVector(mesh, static_cast<std::uint32_t>(t));
    area[t] = length(vector);
    normal[t] = unitOrZero(vector);
  });
  for (int repeat = 0; repeat < repeats; ++repeat) {
    forTriangles(triangles, [&](std::size_t t) {
      mean[t] = unitOrZero(sumAcross(twin, t, normal, [&](std::size_t s) { return area[s]; }));
    });
    forTriangles(triangles, [&](std::size_t t) {
      next[t] = unitOrZero(sumAcross(twin, t, normal, [&](std::size_t s) {
        const Double3 off = mean[s] - mean[t];
        return area[s] * std::exp(-dot(off, off) / (2.0 * range * range));
      }));
    });
    normal.swap(next);
  }
  return normal;
}

// Moves vertices along the normals of their triangles, by the mean distance to the planes through
// the triangles' middles.
void fitVertices(TriangleMesh& mesh, const Vectors& normal) {
  constexpr int repeats = 12;
  std::vector<double> number(mesh.vertex.size(), 0.0);
  for (const stage::Triangle& corner : mesh.triangle)
    for (const std::uint32_t v : corner) number[v] += 1.0;
  Vectors shift(mesh.vertex.size());
  for (int repeat = 0; repeat < repeats; ++repeat) {
    std::fill(shift.begin(), shift.end(), Double3{});
    for (std::size_t t = 0; t < mesh.triangle.size(); ++t) {
      const Double3 middle = middleOf(mesh, t);
      for (const std::uint32_t v : mesh.triangle[t])
        shift[v] = shift[v] + dot(normal[t], middle - mesh.vertex[v]) * normal[t];
    }
    for (std::size_t v = 0; v < shift.size(); ++v)
      if (number[v] > 0.0) mesh.vertex[v] = mesh.vertex[v] + (1.0 / number[v]) * shift[v];
  }
}

}  // namespace

bool isNoisy(const TriangleMesh& mesh, const std::vector<std::uint32_t>& twin) {
  constexpr std::size_t mostSamples = 50'000;
  constexpr double cosBent = 0.9903;  // 8 degrees
  constexpr double leastShare = 0.25, leastRatio = 0.6;
  const std::size_t stride = std::max<std::size_t>(1, twin.size() / mostSamples);
  std::size_t edges = 0, outward = 0, inward = 0;
  for (std::size_t half = 0; half < twin.size(); half += stride) {
    if (twin[half] == noHalfEdge) continue;
    ++edges;
    const std::uint32_t across = twin[half];
    const Double3 here = geometry::areaVector(mesh, static_cast<std::uint32_t>(half / 3));
    const Double3 there = geometry::areaVector(mesh, across / 3);
    if (dot(here, there) > cosBent * length(here) * length(there)) continue;
    const Double3& tip = mesh.vertex[mesh.triangle[across / 3][(across % 3 + 2) % 3]];
    ++(dot(tip - middleOf(mesh, half / 3), here) < 0.0 ? outward : inward);
  }
  const auto fewer = static_cast<double>(std::min(outward, inward));
  return fewer >= leastShare * static_cast<double>(edges) &&
         fewer >= leastRatio * static_cast<double>(std::max(outward, inward));
}

std::optional<TriangleMesh> withoutNoise(const TriangleMesh& mesh,
                                         const std::vector<std::uint32_t>& twin) {
  if (!isNoisy(mesh, twin)) return std::nullopt;
  TriangleMesh filtered = mesh;
  fitVertices(filtered, filteredNormals(mesh, twin));
  return filtered;
}

double leastRadiusInNoise(const TriangleMesh& mesh) {
  const double mean = geometry::surfaceArea(mesh) / static_cast<double>(mesh.triangle.size());
  return 3.0 * std::sqrt(4.0 / std::numbers::sqrt3 * mean);
}

}  // namespace tessera::preprocess::surface
