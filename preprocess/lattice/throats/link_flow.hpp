// SPDX-License-Identifier: GPL-3.0-or-later
// Least cut of links between points of a lattice, by the maximum flow through them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "preprocess/geometry/neighbourhood.hpp"

namespace tessera::preprocess::lattice {

// Points of a lattice and the links between them.
struct LinkGraph {
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  using Links = std::array<std::uint32_t, geometry::directionCount>;
  std::vector<Links> point;  // by direction the point at the other end, or none; in both directions
};

enum class Side : char { None, One, Other };

// Capacity of a link along a step, so that the capacities of all links that cross a surface are
// linkUnit times its area within 5 % (Cauchy and Crofton; Boykov & Kolmogorov, "Computing geodesics
// and minimal surfaces via graph cuts", ICCV 2003).
constexpr double linkUnit = 1050.0;
constexpr std::array<std::uint16_t, 4> linkCapacity{0, 155, 130, 82};  // by axesOfStep()

// Sides of the least cut between the points that are given a side: One as near to its points as
// there is one; Other and None are left. Dinic's algorithm ("Algorithm for solution of a problem of
// maximum flow in networks", Soviet Math. Doklady 11, 1970) with distances to the other side.
std::vector<Side> leastCutSides(const LinkGraph& graph, const std::vector<Side>& given);

}  // namespace tessera::preprocess::lattice
