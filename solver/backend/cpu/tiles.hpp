// SPDX-License-Identifier: GPL-3.0-or-later
// The tiles of a rank in the two parts of a pass on the CPU, border and interior. Tiles stay with
// the threads that touched them first unless one is late.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <array>
#include <cstdint>

#include "solver/backend/driver.hpp"

namespace tessera::solver::backend {

using TileSpan = tbb::blocked_range<std::uint32_t>;

class CpuTiles {
 public:
  CpuTiles(std::uint32_t border, std::uint32_t tiles)
      : parts_{PassPart{0, border, Lane::Border, true, border},
               PassPart{border, tiles, Lane::Main, false, 0}} {}

  [[nodiscard]] const std::array<PassPart, 2>& parts() const { return parts_; }
  [[nodiscard]] std::uint32_t count() const { return parts_[1].end; }

  // Calls body(range of tiles) for all tiles of a part, in parallel.
  template <class Body>
  void forPart(const PassPart& part, const Body& body) {
    if (part.first < part.end)
      tbb::parallel_for(TileSpan(part.first, part.end, 32), body,
                        threads_[part.endsBorder ? 0 : 1]);
  }
  template <class Body>
  void forAll(const Body& body) {
    for (const PassPart& part : parts_) forPart(part, body);
  }

 private:
  std::array<PassPart, 2> parts_;
  std::array<tbb::affinity_partitioner, 2> threads_;
};

}  // namespace tessera::solver::backend
