// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/quantity/wall_curvature.hpp"

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>

#include "preprocess/geometry/plane_axes.hpp"

namespace tessera::postprocess::quantity {

namespace {

constexpr double patchRadius = 0.75;  // nodes
constexpr double reach = 3.0;         // nodes
constexpr double leastCosine = 0.5;   // between the normals of a patch or regression and their mean
constexpr double leastSpread = 0.01;  // smaller over larger variance of their positions
constexpr double leastArea = 6.0;     // square nodes, of a regression
constexpr std::size_t leastPatches = 7;  // of a regression
constexpr std::size_t coefficients = 3;  // of the regression, each of the parts of the normal
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

// Patches of the wall: triangles that join without a sharp edge. The mean normal of one is nearly
// free of the roughness of its triangles, since the sum of area vectors depends on its outline
// alone.
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
              dot(wall.normal[other], sum.n) < leastCosine * length(sum.n) ||
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

// Regression of the normals n on the positions x in the plane across `normal`, both by their parts
// in that plane: n = mean + slope (x - centre).
struct Regression {
  using Pair = std::array<double, 2>;

  Regression(const Moments& sum, const Double3& normal) : axes(normal) {
    const double area = sum.area;
    centre = inPlane((1.0 / area) * sum.x);
    mean = inPlane((1.0 / area) * sum.n);
    // Sum of weight times (x - centre) y, by the sums of x y and of y.
    const auto covariance = [&](const std::array<Double3, 3>& products, const Pair& meanOfOther) {
      std::array<Pair, 2> out{};
      for (std::size_t i = 0; i < 2; ++i) {
        Double3 row{};
        for (std::size_t a = 0; a < 3; ++a) row = row + axis(i)[a] * products[a];
        const Pair part = inPlane(row);
        for (std::size_t j = 0; j < 2; ++j) out[i][j] = part[j] - area * centre[i] * meanOfOther[j];
      }
      return out;
    };
    const std::array<Pair, 2> xx = covariance(sum.xx, centre), xn = covariance(sum.xn, mean);
    const double trace = xx[0][0] + xx[1][1];
    const double determinant = xx[0][0] * xx[1][1] - xx[0][1] * xx[1][0];
    isWide = area >= leastArea && determinant > leastSpread * trace * trace;
    if (!isWide) return;
    inverse = {{{xx[1][1] / determinant, -xx[0][1] / determinant},
                {-xx[1][0] / determinant, xx[0][0] / determinant}}};
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t j = 0; j < 2; ++j)
        slope[i][j] = inverse[i][0] * xn[0][j] + inverse[i][1] * xn[1][j];
  }

  [[nodiscard]] double divergence() const { return slope[0][0] + slope[1][1]; }

  // Part of a patch in the divergence that is not along the regression.
  [[nodiscard]] double residual(const Moments& patch) const {
    const Pair x = inPlane((1.0 / patch.area) * patch.x), n = inPlane((1.0 / patch.area) * patch.n);
    const Pair from{x[0] - centre[0], x[1] - centre[1]};
    double sum = 0.0;
    for (std::size_t j = 0; j < 2; ++j)
      sum += (inverse[j][0] * from[0] + inverse[j][1] * from[1]) *
             (n[j] - mean[j] - slope[0][j] * from[0] - slope[1][j] * from[1]);
    return patch.area * sum;
  }

  [[nodiscard]] const Double3& axis(std::size_t i) const { return i == 0 ? axes.u : axes.v; }
  [[nodiscard]] Pair inPlane(const Double3& x) const { return {dot(x, axes.u), dot(x, axes.v)}; }

  preprocess::geometry::PlaneAxes axes;
  bool isWide = false;  // the positions span an area that is wide enough
  Pair centre{}, mean{};
  std::array<Pair, 2> inverse{}, slope{};  // of the covariance of the positions; by x, then n
};

// Search through the patches that join, for one thread.
class Search {
 public:
  Search(const Patches& patches, const Lists& neighbours)
      : patches_(patches), neighbours_(neighbours), met_(patches.moments.size(), none) {}

  double curvatureAt(std::uint32_t patch) {
    Double3 normal = unitOf(patches_.moments[patch].n);
    // The patch itself may be rough: mean shift (Comaniciu & Meer 2002) to the normal about it.
    for (int k = 0; k < 2; ++k) normal = unitOf(sumNear(patch, normal, 0.5 * reach).n);
    const Moments sum = sumNear(patch, normal, reach);
    if (near_.size() < leastPatches || sum.area <= 0.0) return 0.0;
    const Regression regression(sum, normal);
    if (!regression.isWide) return 0.0;
    const double divergence = regression.divergence(), squared = divergence * divergence;
    const double doubt = 2.0 * varianceOf(regression, normal);
    return squared > doubt ? -divergence * (1.0 - doubt / squared) : 0.0;
  }

 private:
  // Error of the divergence, by the scatter of the patches of the last search (White 1980).
  [[nodiscard]] double varianceOf(const Regression& regression, const Double3& normal) const {
    double sum = 0.0;
    for (const std::uint32_t one : near_)
      if (isNear(patches_.moments[one], normal))
        sum += std::pow(regression.residual(patches_.moments[one]), 2);
    return sum * double(near_.size()) / double(near_.size() - coefficients);
  }

  // Chosen among all within a distance that join the patch by others whose normals are near the
  // given one.
  Moments sumNear(std::uint32_t patch, const Double3& normal, double distance) {
    const Double3 centre = patches_.moments[patch].centre();
    ++searches_;
    near_.assign(1, patch);
    met_[patch] = searches_;
    Moments sum;
    for (std::size_t k = 0; k < near_.size(); ++k) {
      const Moments& one = patches_.moments[near_[k]];
      if (isNear(one, normal)) sum.add(one);
      for (const std::uint32_t other : neighbours_.of(near_[k])) {
        if (std::exchange(met_[other], searches_) == searches_) continue;
        const Moments& to = patches_.moments[other];
        if (isNear(to, normal) && length(to.centre() - centre) <= distance) near_.push_back(other);
      }
    }
    return sum;
  }
  static bool isNear(const Moments& patch, const Double3& normal) {
    return dot(patch.n, normal) >= leastCosine * length(patch.n);
  }

  const Patches& patches_;
  const Lists& neighbours_;
  std::vector<std::uint32_t> met_;  // number of the last search that met a patch
  std::uint32_t searches_ = 0;
  std::vector<std::uint32_t> near_;
};

}  // namespace

std::vector<double> wallCurvature(const WallSurface& wall) {
  const Patches patches = patchesOf(wall);
  const Lists neighbours = neighboursOf(wall, patches);
  std::vector<double> ofPatch(patches.moments.size());
  tbb::enumerable_thread_specific<Search> searches(patches, neighbours);
  tbb::parallel_for(
      tbb::blocked_range<std::uint32_t>(0, static_cast<std::uint32_t>(ofPatch.size()), 256),
      [&](const auto& range) {
        for (std::uint32_t patch = range.begin(); patch < range.end(); ++patch)
          ofPatch[patch] = searches.local().curvatureAt(patch);
      });
  std::vector<double> curvature(wall.mesh.triangle.size());
  for (std::size_t t = 0; t < curvature.size(); ++t)
    if (patches.of[t] != none) curvature[t] = ofPatch[patches.of[t]];
  return curvature;
}

}  // namespace tessera::postprocess::quantity
