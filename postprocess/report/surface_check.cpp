// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/report/surface_check.hpp"

#include <tbb/parallel_sort.h>

#include <algorithm>
#include <vector>

#include "preprocess/geometry/mesh.hpp"

namespace tessera::postprocess::report {

namespace {

std::size_t edgesWithoutTwo(const std::vector<stage::Triangle>& triangle) {
  std::vector<std::uint64_t> edge;
  edge.reserve(3 * triangle.size());
  for (const stage::Triangle& t : triangle)
    for (std::size_t k = 0; k < 3; ++k) {
      const auto [low, high] = std::minmax(t[k], t[(k + 1) % 3]);
      edge.push_back(static_cast<std::uint64_t>(low) << 32 | high);
    }
  tbb::parallel_sort(edge.begin(), edge.end());
  std::size_t found = 0;
  for (std::size_t i = 0; i < edge.size();) {
    std::size_t end = i + 1;
    while (end < edge.size() && edge[end] == edge[i]) ++end;
    if (end - i != 2) ++found;
    i = end;
  }
  return found;
}

Double3 asDouble(const Float3& v) {
  return {static_cast<double>(v[0]), static_cast<double>(v[1]), static_cast<double>(v[2])};
}

}  // namespace

SurfaceCheck checkSurface(const tiler::TiledGeometry& geometry) {
  const preprocess::geometry::Surface& surface = geometry.surface;
  SurfaceCheck check;
  check.openEdges = edgesWithoutTwo(surface.triangle);
  for (const stage::Triangle& t : surface.triangle) {
    const Double3 a = asDouble(surface.vertex[t[0]]), b = asDouble(surface.vertex[t[1]]),
                  c = asDouble(surface.vertex[t[2]]);
    check.area += 0.5 * length(cross(b - a, c - a));
    check.volume += dot(a, cross(b, c)) / 6.0;
  }
  const double h = geometry.frame.spacing;
  check.area *= h * h;
  check.volume *= h * h * h;
  check.nodeVolume = static_cast<double>(geometry.fluidNodes) * h * h * h;
  return check;
}

}  // namespace tessera::postprocess::report
