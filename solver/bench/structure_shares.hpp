// SPDX-License-Identifier: GPL-3.0-or-later
// Part of its bound, the copy bandwidth over the bytes that it moves a node, that each structure
// reaches: the one table of what has been measured, for predictions (structure_table.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace tessera::solver::bench {

using Shares = std::array<double, 3>;

// Tile utilisations at which shares were measured: of spheres:352, vessel:730 and dense:256 on a
// GPU, of spheres:160, vessel:300 and dense:128 on a CPU.
constexpr Shares sharesAt(bool cuda) {
  return cuda ? Shares{0.72, 0.93, 1.0} : Shares{0.74, 0.85, 1.0};
}

struct MeasuredShares {
  std::string_view structure;
  bool cuda;
  Shares f64, f32;
};

// D3Q19, LBGK, and regularised for moments (tests/bench/RESULTS.md). GPU: tiles and moments on one
// H200, "backend", by a copy of 4.25 TB/s and the bytes counted for the geometry; the others on one
// H100, "Other structures on a GPU". CPU: two cores, "Other structures on a
// CPU", in the faster order of nodes; tests/bench/structure_shares.awk makes such lines.
constexpr std::array measuredShares = std::to_array<MeasuredShares>({
    {"tiles", true, {0.907, 0.913, 0.964}, {0.889, 0.898, 0.949}},
    {"tiles-in-place", true, {0.905, 0.914, 0.962}, {0.889, 0.903, 0.937}},
    {"tiles-moments", true, {0.587, 0.762, 0.875}, {0.656, 0.798, 0.872}},
    {"tiles-moments-twice", true, {0.378, 0.585, 0.701}, {0.359, 0.542, 0.707}},
    {"lists", true, {0.924, 0.940, 0.949}, {0.923, 0.935, 0.941}},
    {"lists-in-place", true, {0.841, 0.889, 0.928}, {0.801, 0.839, 0.897}},
    {"connectivity-matrix", true, {0.926, 0.937, 0.949}, {0.921, 0.934, 0.941}},
    {"fluid-index-array", true, {0.742, 0.713, 0.900}, {0.649, 0.660, 0.734}},
    {"dense", true, {0.642, 0.666, 0.943}, {0.635, 0.601, 0.901}},
    {"tiles-ghost-buffers", true, {0.749, 0.825, 0.841}, {0.751, 0.794, 0.837}},
    {"tiles-compact", true, {0.861, 0.929, 0.956}, {0.776, 0.906, 0.943}},
    {"tiles", false, {0.362, 0.438, 0.573}, {0.212, 0.484, 0.486}},
    {"lists", false, {0.389, 0.411, 0.323}, {0.231, 0.363, 0.299}},
    {"lists-in-place", false, {0.431, 0.349, 0.336}, {0.233, 0.376, 0.264}},
    {"connectivity-matrix", false, {0.264, 0.312, 0.307}, {0.154, 0.336, 0.273}},
    {"fluid-index-array", false, {0.123, 0.154, 0.177}, {0.066, 0.100, 0.120}},
    {"dense", false, {0.086, 0.095, 0.269}, {0.054, 0.074, 0.265}},
    {"dense-unpadded", false, {0.088, 0.094, 0.275}, {0.057, 0.064, 0.256}},
    {"hybrid", false, {0.165, 0.143, 0.130}, {0.081, 0.060, 0.103}},
    {"tiles-ghost-buffers", false, {0.062, 0.078, 0.071}, {0.055, 0.086, 0.062}},
    {"tiles-compact", false, {0.050, 0.114, 0.156}, {0.038, 0.084, 0.117}},
});

// Linear between the measured utilisations, and that of the nearest beyond them.
constexpr std::optional<double> measuredShare(std::string_view structure, bool cuda,
                                              unsigned valueBytes, double utilisation) {
  const Shares at = sharesAt(cuda);
  for (const MeasuredShares& of : measuredShares) {
    if (of.structure != structure || of.cuda != cuda) continue;
    const Shares& share = valueBytes == 8 ? of.f64 : of.f32;
    if (utilisation <= at.front()) return share.front();
    for (std::size_t k = 1; k < share.size(); ++k)
      if (utilisation <= at[k])
        return share[k - 1] +
               (share[k] - share[k - 1]) * (utilisation - at[k - 1]) / (at[k] - at[k - 1]);
    return share.back();
  }
  return std::nullopt;
}

}  // namespace tessera::solver::bench
