// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/openings/end_depth.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace tessera::preprocess::surface {

using geometry::Bounds;
using geometry::TriangleMesh;

namespace {

constexpr std::size_t depthSamples = 16;
constexpr std::size_t runLength = 64;  // triangles
constexpr double none = std::numeric_limits<double>::infinity();
constexpr Bounds emptyBounds{{none, none, none}, {-none, -none, -none}};

bool overlap(const Bounds& a, const Bounds& b) {
  for (std::size_t c = 0; c < 3; ++c)
    if (a.low[c] > b.high[c] || b.low[c] > a.high[c]) return false;
  return true;
}

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
// spread over its area, at most `most`.
double depthBehind(const TriangleMesh& mesh, const TriangleRuns& runs,
                   std::span<const std::uint32_t> region, const Double3& normal, double most) {
  const std::vector<Double3> places = placesOn(mesh, region);
  if (places.empty()) return 0.0;
  Bounds reached = emptyBounds;
  for (const Double3& place : places) {
    reached.extend(place);
    reached.extend(place - most * normal);
  }
  const std::vector<std::uint32_t> wall = runs.meeting(reached);
  std::vector<double> depth(places.size(), most);
  for (std::size_t k = 0; k < places.size(); ++k)
    for (const std::uint32_t t : wall)
      depth[k] = std::min(depth[k], distanceOut(mesh, t, places[k], -1.0 * normal));
  const auto middle = depth.begin() + static_cast<std::ptrdiff_t>(depth.size() / 2);
  std::nth_element(depth.begin(), middle, depth.end());
  return *middle;
}

}  // namespace

TriangleRuns::TriangleRuns(const TriangleMesh& mesh)
    : triangles_(mesh.triangle.size()),
      box_((mesh.triangle.size() + runLength - 1) / runLength, emptyBounds) {
  tbb::parallel_for(std::size_t{0}, box_.size(), [&](std::size_t run) {
    const std::size_t end = std::min(triangles_, (run + 1) * runLength);
    for (std::size_t t = run * runLength; t < end; ++t)
      for (const std::uint32_t v : mesh.triangle[t]) box_[run].extend(mesh.vertex[v]);
  });
}

std::vector<std::uint32_t> TriangleRuns::meeting(const Bounds& box) const {
  std::vector<std::uint32_t> found;
  for (std::size_t run = 0; run < box_.size(); ++run) {
    if (!overlap(box_[run], box)) continue;
    const std::size_t end = std::min(triangles_, (run + 1) * runLength);
    for (std::size_t t = run * runLength; t < end; ++t)
      found.push_back(static_cast<std::uint32_t>(t));
  }
  return found;
}

double depthOverLength(const TriangleMesh& mesh, const TriangleRuns& runs,
                       std::span<const std::uint32_t> region, std::span<const EndEdge> edges,
                       const RimFrame& frame) {
  double reach = 0.0;
  for (const EndEdge& edge : edges) reach = std::max(reach, length(edge.from - frame.centre));
  return depthBehind(mesh, runs, region, frame.normal, 2.0 * reach) / (2.0 * reach);
}

}  // namespace tessera::preprocess::surface
