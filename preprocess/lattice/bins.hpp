// SPDX-License-Identifier: GPL-3.0-or-later
// Sorts items (triangles) into the bins (slabs of the lattice) that they overlap, by a parallel
// counting sort.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tessera::preprocess::lattice {

// Bin b contains item[start[b]] .. item[start[b + 1] - 1], ascending.
struct Bins {
  std::vector<std::size_t> start;
  std::vector<std::uint32_t> item;

  [[nodiscard]] std::size_t size() const { return start.size() - 1; }
  [[nodiscard]] std::span<const std::uint32_t> operator[](std::size_t bin) const {
    return std::span(item).subspan(start[bin], start[bin + 1] - start[bin]);
  }
};

// rangeOf(i): first and last bin that item i overlaps, first > last for none.
template <class RangeOf>
Bins sortIntoBins(std::size_t items, std::size_t bins, const RangeOf& rangeOf) {
  constexpr std::size_t chunk = 32768;
  const std::size_t chunks = (items + chunk - 1) / chunk;
  std::vector<std::size_t> offset(chunks * bins, 0);  // counts, then write positions by chunk
  const auto forChunks = [&](const auto& visit) {
    tbb::parallel_for(std::size_t{0}, chunks, [&](std::size_t c) {
      std::size_t* mine = offset.data() + c * bins;
      for (std::size_t i = c * chunk; i < std::min(items, (c + 1) * chunk); ++i) {
        const auto [first, last] = rangeOf(i);
        for (int b = first; b <= last; ++b) visit(mine[b], static_cast<std::uint32_t>(i));
      }
    });
  };
  forChunks([](std::size_t& count, std::uint32_t) { ++count; });
  Bins sorted;
  sorted.start.reserve(bins + 1);
  std::size_t total = 0;
  for (std::size_t b = 0; b < bins; ++b) {
    sorted.start.push_back(total);
    for (std::size_t c = 0; c < chunks; ++c) total += std::exchange(offset[c * bins + b], total);
  }
  sorted.start.push_back(total);
  sorted.item.resize(total);
  forChunks([&](std::size_t& at, std::uint32_t i) { sorted.item[at++] = i; });
  return sorted;
}

}  // namespace tessera::preprocess::lattice
