// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/backend/cpu/parallel.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

namespace tessera::solver::backend {

namespace {
using Range = tbb::blocked_range<std::size_t>;
constexpr std::size_t tilesTogether = 32;
}  // namespace

void parallelRanges(std::size_t count, std::size_t grain, RangeBody body) {
  tbb::parallel_for(Range(0, count, grain),
                    [&](const Range& range) { body(range.begin(), range.end()); });
}

// One for each part of a pass.
struct CpuTiles::Threads {
  std::array<tbb::affinity_partitioner, 2> ofPart;
};

CpuTiles::CpuTiles(std::uint32_t border, std::uint32_t tiles)
    : parts_{PassPart{0, border, Lane::Border, true, border},
             PassPart{border, tiles, Lane::Main, false, 0}},
      threads_(std::make_unique<Threads>()) {}

CpuTiles::~CpuTiles() = default;

void CpuTiles::forRanges(const PassPart& part, RangeBody body) {
  if (part.first >= part.end) return;
  tbb::parallel_for(
      Range(part.first, part.end, tilesTogether),
      [&](const Range& range) { body(range.begin(), range.end()); },
      threads_->ofPart[part.endsBorder ? 0 : 1]);
}

}  // namespace tessera::solver::backend
