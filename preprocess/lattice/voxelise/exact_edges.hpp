// SPDX-License-Identifier: GPL-3.0-or-later
// Fixed-point lattice coordinates and exact two-dimensional edge functions with a tie rule: the
// signed crossings of a line with a closed surface sum to zero whatever the rounding. Basis of the
// voxeliser and the link finder.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "preprocess/geometry/mesh.hpp"

namespace tessera::preprocess::lattice {

constexpr int fixedBits = 16;  // 2^-16 nodes
constexpr std::int32_t fixedOne = 1 << fixedBits;

using Fixed3 = std::array<std::int32_t, 3>;

// Converts all vertices in parallel. Throws StageError(BadInput) when one lies outside of the box
// [-0.5, nodes - 0.5] by more than rounding, or the box exceeds maxNodesPerAxis.
std::vector<Fixed3> snapVertices(std::span<const Double3> vertex, const Int3& nodes);

// Smallest node at or after a coordinate, largest node at or before it.
constexpr std::int32_t nodeAtOrAfter(std::int32_t coordinate) {
  return (coordinate + (fixedOne - 1)) >> fixedBits;
}
constexpr std::int32_t nodeAtOrBefore(std::int32_t coordinate) {
  return coordinate >> fixedBits;
}

// Edge function: twice the signed area of (point, from, to), and whether a point on the edge counts
// as inside. Tie rule by symbolic perturbation: the point is shifted by (e, e^2) for an
// infinitesimal e, so that every point lies in exactly one of the triangles around it.
constexpr std::int64_t edgeArea(std::int64_t fromU, std::int64_t fromV, std::int64_t toU,
                                std::int64_t toV) {
  return fromU * toV - fromV * toU;
}
constexpr bool edgeOwnsTies(std::int64_t du, std::int64_t dv) {
  return dv < 0 || (dv == 0 && du > 0);
}

// Crossings of axis-parallel rays through the nodes with a triangle, for the voxeliser: exact edge
// functions select the rays, the triangle's plane the node behind the crossing.

// Triangle projected along the ray: (u, v) are the axes after the ray's in cyclic order, so the
// area is the normal's component along the ray. Corners are ordered to make it positive.
struct Projected {
  std::array<Fixed3, 3> corner;
  std::int64_t area = 0;
  std::int16_t change = 0;  // of the winding number behind the triangle

  Projected(const std::array<Fixed3, 3>& corners, std::size_t u, std::size_t v) : corner(corners) {
    const auto difference = [&](std::size_t k, std::size_t axis) {
      return static_cast<std::int64_t>(corner[k][axis]) - corner[0][axis];
    };
    area = edgeArea(difference(1, u), difference(1, v), difference(2, u), difference(2, v));
    change = area > 0 ? -1 : 1;
    if (area < 0) {
      std::swap(corner[1], corner[2]);
      area = -area;
    }
  }
  [[nodiscard]] auto range(std::size_t axis) const {
    return std::minmax({corner[0][axis], corner[1][axis], corner[2][axis]});
  }
};

// Depth of the crossing at (u, v): the plane's, clamped to the corners'.
class Depth {
 public:
  Depth(const Projected& triangle, std::size_t ray, std::size_t u, std::size_t v)
      : base_(triangle.corner[0]), ray_(ray), u_(u), v_(v) {
    const auto edge = [&](std::size_t k, std::size_t axis) {
      return static_cast<double>(triangle.corner[k][axis]) - triangle.corner[0][axis];
    };
    const auto area = static_cast<double>(triangle.area);
    slopeU_ = (edge(1, ray) * edge(2, v) - edge(2, ray) * edge(1, v)) / area;
    slopeV_ = (edge(2, ray) * edge(1, u) - edge(1, ray) * edge(2, u)) / area;
    const auto [low, high] = triangle.range(ray);
    low_ = low;
    high_ = high;
  }
  // First node at or behind the crossing of the ray through nodes (u, v).
  [[nodiscard]] int nodeBehind(int u, int v) const {
    const double du = static_cast<double>(u) * fixedOne - base_[u_];
    const double dv = static_cast<double>(v) * fixedOne - base_[v_];
    const double depth = std::clamp(base_[ray_] + slopeU_ * du + slopeV_ * dv, low_, high_);
    return static_cast<int>(std::ceil(depth / fixedOne));
  }

 private:
  Fixed3 base_;
  std::size_t ray_, u_, v_;
  double slopeU_ = 0.0, slopeV_ = 0.0, low_ = 0.0, high_ = 0.0;
};

// Edge functions along a row of lanes: value at the row's first lane and increment per lane. Less
// one where the edge does not own ties, so that inside means >= 0 for all three.
struct RowEdges {
  std::array<std::int64_t, 3> value, step;

  // lane: the varying axis, u or v; (u, v): the first node.
  RowEdges(const Projected& triangle, std::size_t u, std::size_t v, bool laneIsU, int nodeU,
           int nodeV) {
    for (std::size_t k = 0; k < 3; ++k) {
      const Fixed3& a = triangle.corner[k];
      const Fixed3& b = triangle.corner[(k + 1) % 3];
      const std::int64_t du = std::int64_t{b[u]} - a[u];
      const std::int64_t dv = std::int64_t{b[v]} - a[v];
      value[k] = edgeArea(du, dv, std::int64_t{nodeU} * fixedOne - a[u],
                          std::int64_t{nodeV} * fixedOne - a[v]) -
                 (edgeOwnsTies(du, dv) ? 0 : 1);
      step[k] = (laneIsU ? -dv : du) * fixedOne;
    }
  }
  [[nodiscard]] bool inside(std::int64_t n) const {
    return ((value[0] + n * step[0]) | (value[1] + n * step[1]) | (value[2] + n * step[2])) >= 0;
  }
  // Narrows the lane range first .. last to the lanes inside; for long rows.
  void narrow(std::int64_t& first, std::int64_t& last) const {
    for (std::size_t k = 0; k < 3; ++k) {
      if (step[k] > 0 && value[k] < 0) first = std::max(first, (-value[k] + step[k] - 1) / step[k]);
      if (step[k] < 0) last = value[k] < 0 ? -1 : std::min(last, value[k] / -step[k]);
      if (step[k] == 0 && value[k] < 0) last = -1;
    }
  }
};

}  // namespace tessera::preprocess::lattice
