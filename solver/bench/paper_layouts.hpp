// SPDX-License-Identifier: GPL-3.0-or-later
// D3Q19 with its populations laid out in a tile as section 3.2 of Tomczak & Szafran, Comput. Phys.
// Commun. 235 (2019), arXiv:1611.02445, does it: XYZ, YXZ or zigzagNE by the direction a population
// moves along (assignment 3 of tiler/analysis/layouts.hpp). For measurements beside XYZ alone,
// which is what all shipped kernels have. Include it before the kernels it is to change.
#pragma once

#include "solver/model/platform.hpp"
#include "solver/model/populations.hpp"

namespace tessera::solver::bench {

struct D3Q19PaperLayouts : model::D3Q19 {};
// One of its two additions to XYZ alone, as in the paper's Table 5.
struct D3Q19YxzLayout : model::D3Q19 {};
struct D3Q19ZigzagLayout : model::D3Q19 {};

// Sets of directions of D3Q19, a bit each. East is +x, north +y.
constexpr std::uint32_t yxzDirections = 1U << 1 | 1U << 2 |                          // E, W
                                        1U << 11 | 1U << 12 | 1U << 13 | 1U << 14 |  // ET ... WT
                                        1U << 8 | 1U << 10;                          // SW, NW
constexpr std::uint32_t zigzagDirections = 1U << 7 | 1U << 9;                        // NE, SE

// Where the value of local node l (x fastest, then y, z) stands among the 64 of population i.
template <bool yxz = true, bool zigzag = true>
TESSERA_ANY constexpr int paperPlace(int i, int l) {
  const int x = l & 3;
  const int y = l >> 2 & 3;
  const int z = l >> 4;
  if (yxz && (yxzDirections >> i & 1U) != 0) return y + 4 * x + 16 * z;
  if (zigzag && (zigzagDirections >> i & 1U) != 0)
    return 2 * (x + 3 * y + ((x + 1) & 4) * (3 - y)) + (z & 1) + 16 * (z & 2);
  return l;
}

}  // namespace tessera::solver::bench

namespace tessera::solver::model {

template <>
TESSERA_ANY constexpr std::uint64_t populationIndex<bench::D3Q19PaperLayouts>(std::uint32_t slot,
                                                                              int i, int l) {
  return populationIndex<D3Q19>(slot, i, bench::paperPlace(i, l));
}
template <>
TESSERA_ANY constexpr std::uint64_t populationIndex<bench::D3Q19YxzLayout>(std::uint32_t slot,
                                                                           int i, int l) {
  return populationIndex<D3Q19>(slot, i, bench::paperPlace<true, false>(i, l));
}
template <>
TESSERA_ANY constexpr std::uint64_t populationIndex<bench::D3Q19ZigzagLayout>(std::uint32_t slot,
                                                                              int i, int l) {
  return populationIndex<D3Q19>(slot, i, bench::paperPlace<false, true>(i, l));
}

}  // namespace tessera::solver::model
