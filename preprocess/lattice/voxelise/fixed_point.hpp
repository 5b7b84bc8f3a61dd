// SPDX-License-Identifier: GPL-3.0-or-later
// Lattice coordinates in fixed point, and exact two-dimensional edge functions with a tie rule: a
// line through a closed surface crosses it a zero-sum number of times whatever the rounding. The
// voxeliser and the link finder stand on this.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "preprocess/geometry/mesh.hpp"

namespace tessera::preprocess::lattice {

constexpr int fixedBits = 16;  // 2^-16 nodes
constexpr std::int32_t fixedOne = 1 << fixedBits;

using Fixed3 = std::array<std::int32_t, 3>;

// All vertices in parallel. Throws StageError(BadInput) when one lies outside of the box
// [-0.5, nodes - 0.5] by more than rounding, or the box has more than maxNodesPerAxis.
std::vector<Fixed3> snapVertices(const std::vector<Double3>& vertex, const Int3& nodes);

// The smallest node at or after a coordinate, the largest node at or before it.
constexpr std::int32_t nodeAtOrAfter(std::int32_t coordinate) {
  return (coordinate + (fixedOne - 1)) >> fixedBits;
}
constexpr std::int32_t nodeAtOrBefore(std::int32_t coordinate) {
  return coordinate >> fixedBits;
}

// An edge seen from a point: twice the signed area of point, from, to, and whether a point that
// lies on the edge itself counts as inside. The rule is that of a point shifted by (e, e^2) for an
// e smaller than everything, so every point lies in exactly one of the triangles around it.
constexpr std::int64_t edgeArea(std::int64_t fromU, std::int64_t fromV, std::int64_t toU,
                                std::int64_t toV) {
  return fromU * toV - fromV * toU;
}
constexpr bool edgeOwnsTies(std::int64_t du, std::int64_t dv) {
  return dv < 0 || (dv == 0 && du > 0);
}

}  // namespace tessera::preprocess::lattice
