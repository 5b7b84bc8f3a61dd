// SPDX-License-Identifier: GPL-3.0-or-later
// Progress of an accelerated march to a steady state (run/steady_march.hpp), and its text in a
// checkpoint.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pipelines/stage/system/large_array.hpp"

namespace tessera::solver::file {

constexpr std::size_t mostMarchChanges = 8;

struct MarchState {
  std::uint64_t next = 0;       // step of the next sample; 0: none was taken
  std::uint64_t interval = 0;   // steps between samples
  std::uint64_t notBefore = 0;  // step of the next extrapolation, at the earliest
  std::uint64_t failures = 0;   // extrapolations in a row that did not help
  double least = 0.0;  // norm of the change between samples at an extrapolation; 0: none yet
  bool givenUp = false;
  std::vector<std::uint64_t> jumps{};                // steps of the extrapolations
  std::vector<double> outlets{};                     // Checkpoint::outlets at the last sample
  std::vector<std::vector<double>> outletChanges{};  // between samples
  // run::linearMoments x 64 for each tile in the order of the file: at the last sample, null before
  // the first, and their changes between samples, never null, oldest first.
  std::shared_ptr<const std::vector<double>> moments{};
  std::vector<std::shared_ptr<const stage::LargeArray<float>>> changes{};
};

// All but moments and changes, as JSON. Reading throws StageError(BadInput) for another text; path:
// for the message.
std::string marchText(const MarchState& march);
MarchState marchStateOf(const std::string& text, const std::string& path);

}  // namespace tessera::solver::file
