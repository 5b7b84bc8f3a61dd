// SPDX-License-Identifier: GPL-3.0-or-later
// The copy that speeds are compared with.
#pragma once

#include <tbb/blocked_range.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "solver/backend/cpu_vectors.hpp"

namespace tessera {

// Bytes per second, read and written, of copying all tiles of a state over the other one, which is
// lost, past the caches and by the threads that step them; a median of five. forTiles(body): the
// loop of the step.
template <class T, class ForTiles>
double tileCopyBandwidth(T* to, const T* from, std::uint64_t tile, std::uint32_t tiles,
                         const ForTiles& forTiles) {
  const std::uint64_t bytes = tiles * tile * sizeof(T);
  const std::uint64_t times = 1 + (std::uint64_t{1} << 26U) / bytes;
  std::vector<double> seconds;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    for (std::uint64_t k = 0; k < times; ++k)
      forTiles([&](const tbb::blocked_range<std::uint32_t>& range) {
        streamLines(to + range.begin() * tile, from + range.begin() * tile,
                    range.size() * tile * sizeof(T));
        fenceStreams();
      });
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(seconds.begin(), seconds.end());
  return 2.0 * static_cast<double>(bytes * times) / seconds[2];
}

}  // namespace tessera
