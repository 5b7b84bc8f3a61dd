// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/geometry/mesh_measure.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <functional>

namespace tessera::preprocess::geometry {
namespace {

template <class PerTriangle>
double sumOver(const TriangleMesh& mesh, PerTriangle value) {
  using Range = tbb::blocked_range<std::size_t>;
  return tbb::parallel_deterministic_reduce(
      Range(0, mesh.triangle.size(), 1 << 13), 0.0,
      [&](const Range& range, double sum) {
        for (std::size_t t = range.begin(); t < range.end(); ++t) sum += value(t);
        return sum;
      },
      std::plus<>{});
}

}  // namespace

Bounds boundsOf(const TriangleMesh& mesh) {
  const Double3& first = mesh.vertex[mesh.triangle.front()[0]];
  Bounds bounds{first, first};
  for (const stage::Triangle& t : mesh.triangle)
    for (const std::uint32_t v : t)
      for (std::size_t c = 0; c < 3; ++c) {
        bounds.low[c] = std::min(bounds.low[c], mesh.vertex[v][c]);
        bounds.high[c] = std::max(bounds.high[c], mesh.vertex[v][c]);
      }
  return bounds;
}

double surfaceArea(const TriangleMesh& mesh) {
  return sumOver(mesh, [&](std::size_t t) { return 0.5 * length(areaVector(mesh, t)); });
}

double enclosedVolume(const TriangleMesh& mesh) {
  const Double3 from = mesh.vertex[mesh.triangle.front()[0]];
  return sumOver(mesh, [&](std::size_t t) {
    return dot(areaVector(mesh, t), mesh.vertex[mesh.triangle[t][0]] - from) / 6.0;
  });
}

}  // namespace tessera::preprocess::geometry
