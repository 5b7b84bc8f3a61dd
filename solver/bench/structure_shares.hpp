// SPDX-License-Identifier: GPL-3.0-or-later
// Part of its bound, the copy bandwidth over the bytes that it moves a node, that each structure
// reaches: the one table of what has been measured, for predictions (structure_table.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "solver/bench/stored_speeds.hpp"

namespace tessera::solver::bench {

// Tile utilisations of spheres:352, vessel:730 and dense:256.
using Shares = std::array<double, 3>;
constexpr Shares sharesAt{0.72, 0.93, 1.0};

struct MeasuredShares {
  std::string_view structure;
  bool cuda;
  Shares f64, f32;
};

// D3Q19. One H200 (tests/bench/RESULTS.md, "backend"): LBGK, and regularised for moments, MFLUPS
// over the bound by a copy of 4.25 TB/s and the bytes counted for the geometry. CPUs differ more
// than structures do; tiles there as for all predictions.
constexpr Shares onAnyCpu{usualShare(false), usualShare(false), usualShare(false)};
constexpr std::array measuredShares = std::to_array<MeasuredShares>({
    {"tiles", true, {0.907, 0.913, 0.964}, {0.889, 0.898, 0.949}},
    {"tiles", false, onAnyCpu, onAnyCpu},
    {"tiles-in-place", true, {0.905, 0.914, 0.962}, {0.889, 0.903, 0.937}},
    {"tiles-moments", true, {0.587, 0.762, 0.875}, {0.656, 0.798, 0.872}},
    {"tiles-moments-twice", true, {0.378, 0.585, 0.701}, {0.359, 0.542, 0.707}},
});

// Linear between the measured utilisations, and that of the nearest beyond them.
constexpr std::optional<double> measuredShare(std::string_view structure, bool cuda,
                                              unsigned valueBytes, double utilisation) {
  for (const MeasuredShares& of : measuredShares) {
    if (of.structure != structure || of.cuda != cuda) continue;
    const Shares& share = valueBytes == 8 ? of.f64 : of.f32;
    if (utilisation <= sharesAt.front()) return share.front();
    for (std::size_t k = 1; k < share.size(); ++k)
      if (utilisation <= sharesAt[k])
        return share[k - 1] + (share[k] - share[k - 1]) * (utilisation - sharesAt[k - 1]) /
                                  (sharesAt[k] - sharesAt[k - 1]);
    return share.back();
  }
  return std::nullopt;
}

}  // namespace tessera::solver::bench
