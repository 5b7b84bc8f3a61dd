// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/openings/flat_caps.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <numbers>

#include "preprocess/surface/openings/cap_rim.hpp"

namespace tessera::preprocess::surface {

using geometry::areaVector;

namespace {

constexpr double cosSharp = std::numbers::sqrt2 / 2.0;  // 45 degrees
constexpr double cosCoplanar = 0.9962;                  // 5 degrees
constexpr std::uint32_t noRegion = ~std::uint32_t{0};

struct Region {
  std::vector<std::uint32_t> triangle;
  std::vector<std::uint32_t> rim;  // half-edges of the region's triangles
  bool isCandidate = false;
  bool isKnown = false;  // an opening already
};

// What the search for regions works on.
struct Faces {
  const geometry::TriangleMesh& mesh;
  std::vector<std::uint32_t> twin;
  std::vector<std::uint32_t> regionOf;  // by triangle

  [[nodiscard]] Double3 normal(std::uint32_t t) const { return unit(areaVector(mesh, t)); }
  // The angle at which the surface turns down over a half-edge is sharp.
  [[nodiscard]] bool isSharp(std::uint32_t half) const {
    if (twin[half] == noHalfEdge) return false;
    const Double3 here = areaVector(mesh, half / 3);
    const Double3 there = areaVector(mesh, twin[half] / 3);
    return dot(here, there) <= cosSharp * std::sqrt(dot(here, here) * dot(there, there));
  }
};

// Triangles with a sharp edge, the largest first: only they can lie on the rim of a cap.
std::vector<std::uint32_t> seedsOf(const Faces& faces) {
  const std::size_t triangles = faces.mesh.triangle.size();
  std::vector<char> sharp(triangles, 0);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, triangles, 1 << 12),
                    [&](const tbb::blocked_range<std::size_t>& range) {
                      for (std::size_t t = range.begin(); t < range.end(); ++t)
                        for (std::size_t c = 0; c < 3 && !sharp[t]; ++c)
                          sharp[t] = faces.isSharp(static_cast<std::uint32_t>(3 * t + c)) ? 1 : 0;
                    });
  std::vector<std::pair<double, std::uint32_t>> seeds;
  for (std::uint32_t t = 0; t < triangles; ++t)
    if (sharp[t]) seeds.emplace_back(-length(areaVector(faces.mesh, t)), t);
  std::sort(seeds.begin(), seeds.end());
  std::vector<std::uint32_t> order(seeds.size());
  std::transform(seeds.begin(), seeds.end(), order.begin(), [](const auto& s) { return s.second; });
  return order;
}

// The connected triangles in the plane of the seed.
Region growRegion(Faces& faces, std::uint32_t seed, std::uint32_t index, double tolerance) {
  const Double3 normal = faces.normal(seed);
  const Double3& onPlane = faces.mesh.vertex[faces.mesh.triangle[seed][0]];
  const auto inPlane = [&](std::uint32_t t) {
    for (const std::uint32_t v : faces.mesh.triangle[t])
      if (std::abs(dot(faces.mesh.vertex[v] - onPlane, normal)) > tolerance) return false;
    const Double3 area = areaVector(faces.mesh, t);
    return dot(area, normal) >= cosCoplanar * length(area);
  };
  Region region;
  faces.regionOf[seed] = index;
  region.triangle.push_back(seed);
  for (std::size_t i = 0; i < region.triangle.size(); ++i)
    for (std::uint32_t half = 3 * region.triangle[i]; half < 3 * region.triangle[i] + 3; ++half) {
      const std::uint32_t other = faces.twin[half] == noHalfEdge ? noRegion : faces.twin[half] / 3;
      if (other != noRegion && faces.regionOf[other] == noRegion && inPlane(other)) {
        faces.regionOf[other] = index;
        region.triangle.push_back(other);
      }
    }
  for (const std::uint32_t t : region.triangle)
    for (std::uint32_t half = 3 * t; half < 3 * t + 3; ++half)
      if (faces.twin[half] == noHalfEdge || faces.regionOf[faces.twin[half] / 3] != index)
        region.rim.push_back(half);
  return region;
}

bool looksLikeCap(const Faces& faces, const Region& region) {
  Double3 sum{};
  for (const std::uint32_t t : region.triangle) sum = sum + 0.5 * areaVector(faces.mesh, t);
  const RimShape rim = rimShape(faces.mesh, faces.twin, region.rim, unit(sum), cosSharp);
  const double compactness = 4.0 * std::numbers::pi * length(sum) / (rim.perimeter * rim.perimeter);
  return rim.fallingAway >= 0.75 * rim.perimeter && compactness > 0.5 &&
         isOneLoop(faces.mesh, region.rim);
}

// Whether a region that is so lies across the rim.
bool touches(const Faces& faces, const std::vector<Region>& regions, const Region& region,
             bool Region::*isSo) {
  return std::any_of(region.rim.begin(), region.rim.end(), [&](std::uint32_t half) {
    if (faces.twin[half] == noHalfEdge) return false;
    const std::uint32_t other = faces.regionOf[faces.twin[half] / 3];
    return other != noRegion && regions[other].*isSo;
  });
}

}  // namespace

FlatCaps findFlatCaps(const geometry::TriangleMesh& mesh, double tolerance,
                      const std::vector<Cap>& known) {
  Faces faces{mesh, twinsOf(mesh, edgesOf(mesh)),
              std::vector<std::uint32_t>(mesh.triangle.size(), noRegion)};
  std::vector<Region> regions;
  for (const Cap& cap : known) {
    for (const std::uint32_t t : cap.triangle)
      faces.regionOf[t] = static_cast<std::uint32_t>(regions.size());
    regions.emplace_back().isKnown = true;
  }
  for (const std::uint32_t seed : seedsOf(faces)) {
    if (faces.regionOf[seed] != noRegion) continue;
    Region region = growRegion(faces, seed, static_cast<std::uint32_t>(regions.size()), tolerance);
    region.isCandidate = looksLikeCap(faces, region);
    regions.push_back(std::move(region));
  }
  FlatCaps found;
  std::size_t ambiguous = 0;
  for (const Region& region : regions) {
    if (!region.isCandidate || touches(faces, regions, region, &Region::isKnown)) continue;
    if (touches(faces, regions, region, &Region::isCandidate))
      ++ambiguous;
    else
      found.caps.push_back({region.triangle, "", CapOrigin::FlatCap});
  }
  if (ambiguous > 0)
    found.warnings.push_back(std::to_string(ambiguous) +
                             " flat faces touch each other and are taken as walls; say which are "
                             "openings with --faces, e.g. --faces x-,x+.");
  return found;
}

}  // namespace tessera::preprocess::surface
