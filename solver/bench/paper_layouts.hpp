// SPDX-License-Identifier: GPL-3.0-or-later
// D3Q19 with the layout of populations in section 3.2 of Tomczak & Szafran, Comput. Phys. Commun.
// 235 (2019), arXiv:1611.02445: XYZ, YXZ or zigzagNE by direction (assignment 3 of
// tiler/analysis/layouts.hpp). For measurements; shipped kernels use XYZ. Include it before the
// kernels that shall use it.
#pragma once

#include "solver/model/platform.hpp"
#include "solver/model/populations.hpp"

namespace tessera::solver::bench {

struct D3Q19PaperLayouts : model::D3Q19 {};
// Only one of the two additional layouts, as in the paper's Table 5.
struct D3Q19YxzLayout : model::D3Q19 {};
struct D3Q19ZigzagLayout : model::D3Q19 {};

// Bit sets of directions of D3Q19. East is +x, north +y.
constexpr std::uint32_t yxzDirections = 1U << 1 | 1U << 2 |                          // E, W
                                        1U << 11 | 1U << 12 | 1U << 13 | 1U << 14 |  // ET ... WT
                                        1U << 8 | 1U << 10;                          // SW, NW
constexpr std::uint32_t zigzagDirections = 1U << 7 | 1U << 9;                        // NE, SE

// Index of local node l (x fastest, then y, z) among the 64 values of population i.
template <bool yxz = true, bool zigzag = true>
TESSERA_HOST_DEVICE constexpr int paperIndex(int i, int l) {
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
TESSERA_HOST_DEVICE constexpr std::uint64_t populationIndex<bench::D3Q19PaperLayouts>(
    std::uint32_t slot, int i, int l) {
  return populationIndex<D3Q19>(slot, i, bench::paperIndex(i, l));
}
template <>
TESSERA_HOST_DEVICE constexpr std::uint64_t populationIndex<bench::D3Q19YxzLayout>(
    std::uint32_t slot, int i, int l) {
  return populationIndex<D3Q19>(slot, i, bench::paperIndex<true, false>(i, l));
}
template <>
TESSERA_HOST_DEVICE constexpr std::uint64_t populationIndex<bench::D3Q19ZigzagLayout>(
    std::uint32_t slot, int i, int l) {
  return populationIndex<D3Q19>(slot, i, bench::paperIndex<false, true>(i, l));
}

}  // namespace tessera::solver::model
