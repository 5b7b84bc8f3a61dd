// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/openings/end_depth.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace tessera::preprocess::surface {

using geometry::TriangleMesh;

namespace {

constexpr std::size_t depthSamples = 16;

// Middles of triangles at equal steps of the region's area.
std::vector<Double3> placesOn(const TriangleMesh& mesh, std::span<const std::uint32_t> region) {
  double area = 0.0;
  for (const std::uint32_t t : region) area += length(geometry::areaVector(mesh, t));
  std::vector<Double3> places;
  double passed = 0.0;
  for (const std::uint32_t t : region) {
    passed += length(geometry::areaVector(mesh, t));
    const stage::Triangle& c = mesh.triangle[t];
    while (places.size() < depthSamples && (static_cast<double>(places.size()) + 0.5) * area <=
                                               passed * static_cast<double>(depthSamples))
      places.push_back((1.0 / 3.0) * (mesh.vertex[c[0]] + mesh.vertex[c[1]] + mesh.vertex[c[2]]));
  }
  return places;
}

// Distance (m) along a ray to a triangle that it leaves the solid by; infinite: it does not.
double distanceOut(const TriangleMesh& mesh, std::size_t t, const Double3& from,
                   const Double3& along) {
  constexpr double none = std::numeric_limits<double>::infinity();
  const stage::Triangle& c = mesh.triangle[t];
  const Double3 first = mesh.vertex[c[1]] - mesh.vertex[c[0]];
  const Double3 second = mesh.vertex[c[2]] - mesh.vertex[c[0]];
  const Double3 vector = cross(first, second);
  const double leaving = dot(vector, along);
  if (!(leaving > 0.0)) return none;
  const Double3 offset = from - mesh.vertex[c[0]];
  const Double3 turned = cross(offset, along);
  const double u = -dot(second, turned), v = dot(first, turned);
  if (u < 0.0 || v < 0.0 || u + v > leaving) return none;
  const double distance = -dot(vector, offset) / leaving;
  return distance > 0.0 ? distance : none;
}

// Distance (m) from a region against its unit normal to the wall that faces it, median over places
// spread over its area.
double depthBehind(const TriangleMesh& mesh, std::span<const std::uint32_t> region,
                   const Double3& normal) {
  const std::vector<Double3> places = placesOn(mesh, region);
  if (places.empty()) return 0.0;
  std::vector<double> depth(places.size(), std::numeric_limits<double>::infinity());
  tbb::parallel_for(std::size_t{0}, places.size(), [&](std::size_t k) {
    for (std::size_t t = 0; t < mesh.triangle.size(); ++t)
      depth[k] = std::min(depth[k], distanceOut(mesh, t, places[k], -1.0 * normal));
  });
  const auto middle = depth.begin() + static_cast<std::ptrdiff_t>(depth.size() / 2);
  std::nth_element(depth.begin(), middle, depth.end());
  return *middle;
}

}  // namespace

double depthOverLength(const TriangleMesh& mesh, std::span<const std::uint32_t> region,
                       std::span<const EndEdge> edges, const RimFrame& frame) {
  double reach = 0.0;
  for (const EndEdge& edge : edges) reach = std::max(reach, length(edge.from - frame.centre));
  return depthBehind(mesh, region, frame.normal) / (2.0 * reach);
}

}  // namespace tessera::preprocess::surface
