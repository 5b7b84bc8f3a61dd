// SPDX-License-Identifier: GPL-3.0-or-later
// Regions of triangles that grow from a seed about a fitted plane (Poppinga et al., IROS 2008).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

#include "preprocess/surface/topology/edge_table.hpp"

namespace tessera::preprocess::surface {

// Plane fitted to a region: area-weighted mean normal and centroid.
struct GrownPlane {
  Double3 areaVector{};  // m2, twice
  Double3 moment{};
  double area = 0.0;  // m2, twice the sum of the triangles

  void add(const geometry::TriangleMesh& mesh, std::uint32_t t) {
    const Double3 vector = geometry::areaVector(mesh, t);
    const double size = length(vector);
    areaVector = areaVector + vector;
    area += size;
    for (const std::uint32_t v : mesh.triangle[t]) moment = moment + (size / 3.0) * mesh.vertex[v];
  }
  [[nodiscard]] Double3 normal() const { return unit(areaVector); }
  [[nodiscard]] double radius() const {
    return std::sqrt(0.5 * length(areaVector) / std::numbers::pi);
  }
};

// The plane that accepts triangles, fixed or refitted after each.
struct AcceptingPlane {
  Double3 normal{}, centre{};
  double radius = 0.0;

  explicit AcceptingPlane(const GrownPlane& plane)
      : normal(plane.normal()), centre((1.0 / plane.area) * plane.moment), radius(plane.radius()) {}
  // cosine: of the largest angle to the plane's normal.
  [[nodiscard]] bool accepts(const geometry::TriangleMesh& mesh, std::uint32_t t,
                             double cosine) const {
    const Double3 vector = geometry::areaVector(mesh, t);
    const double size = length(vector);
    if (dot(vector, normal) < cosine * size) return false;
    constexpr double flatness = 0.2;  // radii from the plane
    const double most = flatness * radius + 0.1 * std::sqrt(0.5 * size);
    return std::all_of(mesh.triangle[t].begin(), mesh.triangle[t].end(), [&](std::uint32_t v) {
      return std::abs(dot(mesh.vertex[v] - centre, normal)) <= most;
    });
  }
};

// Region growing with one membership mark per triangle.
class Grower {
 public:
  Grower(const geometry::TriangleMesh& mesh, const std::vector<std::uint32_t>& twin,
         const std::vector<char>& isTaken)
      : mesh_(mesh),
        twin_(twin),
        isTaken_(isTaken),
        mark_(mesh.triangle.size(), 0),
        search_(mesh.triangle.size(), 0) {}

  // Grows about the plane as it is fitted, then twice about the plane found.
  std::vector<std::uint32_t> grow(std::uint32_t seed, double cosine) {
    GrownPlane plane;
    plane.add(mesh_, seed);
    AcceptingPlane fitted(plane);
    std::vector<std::uint32_t> region = spread(seed, [&](std::uint32_t t) {
      if (!fitted.accepts(mesh_, t, cosine)) return false;
      plane.add(mesh_, t);
      fitted = AcceptingPlane(plane);
      return true;
    });
    for (int repeat = 0; repeat < 2; ++repeat) {
      if (!fitted.accepts(mesh_, seed, cosine)) break;
      std::vector<std::uint32_t> again =
          spread(seed, [&](std::uint32_t t) { return fitted.accepts(mesh_, t, cosine); });
      const bool same = again.size() == region.size();
      region = std::move(again);
      if (same) break;
      plane = {};
      for (const std::uint32_t t : region) plane.add(mesh_, t);
      fitted = AcceptingPlane(plane);
    }
    remark(region);
    return region;
  }

  // Grows about a fixed normal.
  std::vector<std::uint32_t> growAbout(std::uint32_t seed, const Double3& normal, double cosine) {
    return spread(seed, [&](std::uint32_t t) {
      const Double3 vector = geometry::areaVector(mesh_, t);
      return dot(vector, normal) >= cosine * length(vector);
    });
  }

  [[nodiscard]] bool isInside(std::uint32_t t) const { return mark_[t] == stamp_; }

  // Half-edges of the region's triangles without another of them across.
  [[nodiscard]] std::vector<std::uint32_t> rimOf(const std::vector<std::uint32_t>& region) const {
    std::vector<std::uint32_t> rim;
    for (const std::uint32_t t : region)
      for (std::uint32_t half = 3 * t; half < 3 * t + 3; ++half)
        if (!isAcross(half)) rim.push_back(half);
    return rim;
  }

  // Adds enclosed islands and removes spurs.
  void bridge(std::vector<std::uint32_t>& region) {
    constexpr double smallPart = 0.05;  // of the area
    double area = 0.0;
    for (const std::uint32_t t : region) area += length(geometry::areaVector(mesh_, t));
    firstSearch_ = ++lastSearch_;
    tooMany_.clear();
    for (const std::uint32_t half : rimOf(region)) addIsland(half, smallPart * area, region);
    removeSpurs(0.2 * smallPart * area, region);
  }

 private:
  [[nodiscard]] bool isAcross(std::uint32_t half) const {
    return twin_[half] != noHalfEdge && isInside(twin_[half] / 3);
  }
  void remark(const std::vector<std::uint32_t>& region) {
    ++stamp_;
    for (const std::uint32_t t : region) mark_[t] = stamp_;
  }
  template <class Accepts>
  std::vector<std::uint32_t> spread(std::uint32_t seed, Accepts accepts) {
    ++stamp_;
    std::vector<std::uint32_t> region{seed};
    mark_[seed] = stamp_;
    for (std::size_t i = 0; i < region.size(); ++i)
      for (std::uint32_t half = 3 * region[i]; half < 3 * region[i] + 3; ++half) {
        if (twin_[half] == noHalfEdge) continue;
        const std::uint32_t other = twin_[half] / 3;
        if (isInside(other) || isTaken_[other] || !accepts(other)) continue;
        mark_[other] = stamp_;
        region.push_back(other);
      }
    return region;
  }
  // Removes triangles below an area with a single neighbour in the region, four times. After the
  // first time only neighbours of removed ones can have become spurs.
  void removeSpurs(double most, std::vector<std::uint32_t>& region) {
    const std::uint32_t lostNeighbour = ++lastSearch_;
    for (int repeat = 0; repeat < 4; ++repeat) {
      const std::size_t before = region.size();
      std::erase_if(region, [&](std::uint32_t t) {
        if ((repeat > 0 && search_[t] != lostNeighbour) || !isSpur(t, most)) return false;
        mark_[t] = 0;
        for (std::uint32_t half = 3 * t; half < 3 * t + 3; ++half)
          if (isAcross(half)) search_[twin_[half] / 3] = lostNeighbour;
        return true;
      });
      if (region.size() == before) break;
    }
  }
  [[nodiscard]] bool isSpur(std::uint32_t t, double most) const {
    int inner = 0;
    for (std::uint32_t half = 3 * t; half < 3 * t + 3; ++half) inner += isAcross(half) ? 1 : 0;
    return inner == 1 && length(geometry::areaVector(mesh_, t)) < most;
  }
  // Adds what lies across a half-edge if the region encloses it and its area is at most `most`.
  void addIsland(std::uint32_t half, double most, std::vector<std::uint32_t>& region) {
    if (twin_[half] == noHalfEdge || isAcross(half)) return;
    std::vector<std::uint32_t> island;
    if (!findIsland(twin_[half] / 3, most, 16 + region.size() / 4, island)) return;
    for (const std::uint32_t t : island) {
      mark_[t] = stamp_;
      region.push_back(t);
    }
    for (const std::uint32_t t : tooMany_) search_[t] = 0;  // the region's growth raised the limit
    tooMany_.clear();
  }
  // Triangles outside of the region that are connected to the first; false if they are too many,
  // too large or not enclosed. A search that meets an earlier one about the same region fails like
  // it: both would reach the same triangles.
  bool findIsland(std::uint32_t first, double most, std::size_t limit,
                  std::vector<std::uint32_t>& island) {
    const auto hasFailed = [&](std::uint32_t t) { return search_[t] >= firstSearch_; };
    if (hasFailed(first)) return false;
    const std::uint32_t search = ++lastSearch_;
    const auto isFound = [&](std::uint32_t t) { return search_[t] == search; };
    const auto failByNumber = [&] {
      for (const std::uint32_t t : island) search_[t] = firstSearch_;
      tooMany_.insert(tooMany_.end(), island.begin(), island.end());
      return false;
    };
    island.assign(1, first);
    search_[first] = search;
    double area = 0.0;
    for (std::size_t i = 0; i < island.size(); ++i) {
      area += length(geometry::areaVector(mesh_, island[i]));
      if (area > most || isTaken_[island[i]]) return false;
      if (island.size() > limit) return failByNumber();
      for (std::uint32_t k = 3 * island[i]; k < 3 * island[i] + 3; ++k) {
        if (twin_[k] == noHalfEdge) return false;
        const std::uint32_t other = twin_[k] / 3;
        if (isInside(other) || isFound(other)) continue;
        if (hasFailed(other)) return search_[other] == firstSearch_ && failByNumber();
        search_[other] = search;
        island.push_back(other);
      }
    }
    return true;
  }

  const geometry::TriangleMesh& mesh_;
  const std::vector<std::uint32_t>& twin_;
  const std::vector<char>& isTaken_;
  std::vector<std::uint32_t> mark_;
  std::uint32_t stamp_ = 0;
  std::vector<std::uint32_t> search_;               // last search for islands that met a triangle
  std::uint32_t firstSearch_ = 0, lastSearch_ = 0;  // about the current region
  std::vector<std::uint32_t> tooMany_;  // met by searches that failed for the number of triangles
};

}  // namespace tessera::preprocess::surface
