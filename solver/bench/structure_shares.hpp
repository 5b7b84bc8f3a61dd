// SPDX-License-Identifier: GPL-3.0-or-later
// Part of its bound, the copy bandwidth over the bytes that it moves a node, that each structure
// reaches: the one table of what has been measured, for predictions (structure_table.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace tessera::solver::bench {

// 0: not measured. Of the faster order of nodes.
struct MeasuredShares {
  std::string_view structure;
  double gpuF64, gpuF32;
  double cpuF64, cpuF32;
};

// Middle of a box, a vessel and spheres. GPU: one H200, LBGK and moments of dense:256, vessel:730
// and spheres:352 (tests/bench/RESULTS.md, "backend"), by the bytes counted for these. CPU: two
// cores, --bench comparators (the same, "Other structures on a CPU").
constexpr std::array measuredShares = std::to_array<MeasuredShares>({
    {"tiles", 0.93, 0.93, 0.0, 0.0},
});

inline std::optional<double> measuredShare(std::string_view structure, bool cuda,
                                           unsigned valueBytes) {
  const auto* const found =
      std::find_if(measuredShares.begin(), measuredShares.end(),
                   [&](const MeasuredShares& of) { return of.structure == structure; });
  if (found == measuredShares.end()) return std::nullopt;
  const double share = cuda ? (valueBytes == 8 ? found->gpuF64 : found->gpuF32)
                            : (valueBytes == 8 ? found->cpuF64 : found->cpuF32);
  return share > 0.0 ? std::optional(share) : std::nullopt;
}

}  // namespace tessera::solver::bench
