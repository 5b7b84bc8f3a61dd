// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/quantity/wall_curvature.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>

#include "preprocess/geometry/plane_axes.hpp"

namespace tessera::postprocess::quantity {

namespace {

constexpr double patchRadius = 0.75;  // nodes
constexpr double patchCosine = 0.9;   // between the normals of a patch's triangles and its first
constexpr double reach = 3.0;         // nodes
constexpr double leastCosine = 0.5;   // between normals of patches of one regression
constexpr double leastSpread = 0.01;  // smaller over larger variance of their positions
constexpr std::uint32_t none = ~std::uint32_t{0};

// Lists of numbers, one for each of 0 .. count - 1, from pairs.
class Lists {
 public:
  Lists(std::size_t count, std::vector<std::array<std::uint32_t, 2>> pairs) : first_(count + 1) {
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    for (const auto& [from, to] : pairs) {
      ++first_[from + 1];
      list_.push_back(to);
    }
    for (std::size_t k = 1; k < first_.size(); ++k) first_[k] += first_[k - 1];
  }
  [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t k) const {
    return std::span(list_).subspan(first_[k], first_[k + 1] - first_[k]);
  }

 private:
  std::vector<std::uint32_t> first_, list_;
};

// Sums over triangles, weighted by their areas: of positions x and normals n, of x x and of x n.
struct Moments {
  double area = 0.0;
  Double3 x{}, n{};
  std::array<Double3, 3> xx{}, xn{};

  void add(const Double3& position, const Double3& normal, double weight) {
    area += weight;
    x = x + weight * position;
    n = n + weight * normal;
    for (std::size_t a = 0; a < 3; ++a) {
      xx[a] = xx[a] + (weight * position[a]) * position;
      xn[a] = xn[a] + (weight * position[a]) * normal;
    }
  }
  void add(const Moments& other) {
    area += other.area;
    x = x + other.x;
    n = n + other.n;
    for (std::size_t a = 0; a < 3; ++a) {
      xx[a] = xx[a] + other.xx[a];
      xn[a] = xn[a] + other.xn[a];
    }
  }
  [[nodiscard]] Double3 centre() const { return (1.0 / area) * x; }
};

Double3 unitOf(const Double3& vector) {
  const double size = length(vector);
  return size > 0.0 ? (1.0 / size) * vector : Double3{};
}

// Patches of the wall: triangles that join and have nearly one normal.
struct Patches {
  std::vector<std::uint32_t> of;  // by triangle; none: without an area
  std::vector<Moments> moments;
};

Patches patchesOf(const WallSurface& wall) {
  const auto& triangles = wall.mesh.triangle;
  std::vector<std::array<std::uint32_t, 2>> corners;
  for (std::uint32_t t = 0; t < triangles.size(); ++t)
    for (const std::uint32_t vertex : triangles[t]) corners.push_back({vertex, t});
  const Lists at(wall.mesh.vertex.size(), std::move(corners));
  Patches patches{std::vector(triangles.size(), none), {}};
  std::vector<std::uint32_t> front;
  for (std::uint32_t first = 0; first < triangles.size(); ++first) {
    if (patches.of[first] != none || length(wall.normal[first]) == 0.0) continue;
    const auto number = static_cast<std::uint32_t>(patches.moments.size());
    const Double3 centre = centroidOf(wall.mesh, first);
    patches.of[first] = number;
    front.assign(1, first);
    Moments sum;
    for (std::size_t k = 0; k < front.size(); ++k) {
      const std::uint32_t t = front[k];
      sum.add(centroidOf(wall.mesh, t), wall.normal[t],
              length(preprocess::geometry::areaVector(wall.mesh, t)));
      for (const std::uint32_t vertex : triangles[t])
        for (const std::uint32_t other : at.of(vertex)) {
          if (patches.of[other] != none ||
              dot(wall.normal[other], wall.normal[first]) < patchCosine ||
              length(centroidOf(wall.mesh, other) - centre) > patchRadius)
            continue;
          patches.of[other] = number;
          front.push_back(other);
        }
    }
    patches.moments.push_back(sum);
  }
  return patches;
}

// Patches that share a vertex.
Lists neighboursOf(const WallSurface& wall, const Patches& patches) {
  std::vector<std::array<std::uint32_t, 2>> corners;
  for (std::uint32_t t = 0; t < wall.mesh.triangle.size(); ++t)
    if (patches.of[t] != none)
      for (const std::uint32_t vertex : wall.mesh.triangle[t])
        corners.push_back({vertex, patches.of[t]});
  const Lists at(wall.mesh.vertex.size(), std::move(corners));
  std::vector<std::array<std::uint32_t, 2>> pairs;
  for (std::uint32_t vertex = 0; vertex < wall.mesh.vertex.size(); ++vertex)
    for (const std::uint32_t one : at.of(vertex))
      for (const std::uint32_t other : at.of(vertex))
        if (one != other) pairs.push_back({one, other});
  return {patches.moments.size(), std::move(pairs)};
}

// Divergence of the normal: trace of the regression of the normals on the positions, both in the
// plane across `normal`.
double divergenceIn(const Moments& sum, const Double3& normal) {
  const auto [u, v] = preprocess::geometry::PlaneAxes(normal);
  const auto covariance = [&](const std::array<Double3, 3>& products, const Double3& other,
                              const Double3& p, const Double3& q) {
    double product = 0.0;
    for (std::size_t a = 0; a < 3; ++a) product += p[a] * dot(products[a], q);
    return product - dot(sum.x, p) * dot(other, q) / sum.area;
  };
  const double uu = covariance(sum.xx, sum.x, u, u), uv = covariance(sum.xx, sum.x, u, v);
  const double vv = covariance(sum.xx, sum.x, v, v), trace = uu + vv;
  const double determinant = uu * vv - uv * uv;
  if (!(determinant > leastSpread * trace * trace)) return 0.0;
  const double ofU = vv * covariance(sum.xn, sum.n, u, u) - uv * covariance(sum.xn, sum.n, v, u);
  const double ofV = uu * covariance(sum.xn, sum.n, v, v) - uv * covariance(sum.xn, sum.n, u, v);
  return (ofU + ofV) / determinant;
}

// Curvature at a patch by all within reach that join it.
double curvatureAt(std::uint32_t patch, const Patches& patches, const Lists& neighbours) {
  const Double3 centre = patches.moments[patch].centre();
  const Double3 normal = unitOf(patches.moments[patch].n);
  std::vector<std::uint32_t> near{patch};
  Moments sum;
  for (std::size_t k = 0; k < near.size(); ++k) {
    sum.add(patches.moments[near[k]]);
    for (const std::uint32_t other : neighbours.of(near[k]))
      if (dot(unitOf(patches.moments[other].n), normal) >= leastCosine &&
          length(patches.moments[other].centre() - centre) <= reach &&
          std::find(near.begin(), near.end(), other) == near.end())
        near.push_back(other);
  }
  return -divergenceIn(sum, normal);
}

}  // namespace

std::vector<double> wallCurvature(const WallSurface& wall) {
  const Patches patches = patchesOf(wall);
  const Lists neighbours = neighboursOf(wall, patches);
  std::vector<double> ofPatch(patches.moments.size());
  tbb::parallel_for(
      tbb::blocked_range<std::uint32_t>(0, static_cast<std::uint32_t>(ofPatch.size()), 256),
      [&](const auto& range) {
        for (std::uint32_t patch = range.begin(); patch < range.end(); ++patch)
          ofPatch[patch] = curvatureAt(patch, patches, neighbours);
      });
  std::vector<double> curvature(wall.mesh.triangle.size());
  for (std::size_t t = 0; t < curvature.size(); ++t)
    if (patches.of[t] != none) curvature[t] = ofPatch[patches.of[t]];
  return curvature;
}

}  // namespace tessera::postprocess::quantity
