// SPDX-License-Identifier: GPL-3.0-or-later
// How many tiles each of the 64 offsets of the tile mesh needs, in one pass over the bits. A tile
// is not empty when the window of nodes it covers has a bit, so the counts of all offsets are the
// popcounts of the sliding OR over a window, sorted by where the window ends modulo the tile size.
// Extends Algorithm 1 of Tomczak & Szafran 2017, which always starts its tiles at node (0, 0, 0).
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <bit>

#include "tiler/tile.hpp"

namespace tessera {

namespace {

using Counts = std::array<std::uint64_t, 64>;

// The lowest bit of every group of `edge` bits: 0x1111... or 0x0101...
template <int edge>
constexpr std::uint64_t everyEdge = ~std::uint64_t{0} / ((std::uint64_t{1} << edge) - 1);

// Adds one row of window bits to the counts by residue of x. `row` has the OR over y and z; the OR
// over the `edge` nodes that end at each x is made here by doubling, with the carry between words.
template <int edge>
void countRow(const std::uint64_t* row, std::size_t words, std::uint64_t* byResidue) {
  std::array<std::uint64_t, 3> before{};  // the previous word at each doubling
  std::uint64_t window = 0;
  for (std::size_t i = 0; i < words; ++i) {
    if (row[i] == 0 && window == 0) continue;  // nor is anything carried
    window = row[i];
    for (int level = 0, shift = 1; shift < edge; ++level, shift *= 2) {
      const std::uint64_t here = window;
      window |= (here << shift) | (before[static_cast<std::size_t>(level)] >> (64 - shift));
      before[static_cast<std::size_t>(level)] = here;
    }
    for (int residue = 0; residue < edge; ++residue)
      byResidue[residue] +=
          static_cast<std::uint64_t>(std::popcount(window & (everyEdge<edge> << residue)));
  }
}

// Counts the windows of edge x edge x depth nodes that end on plane `end`, which may lie up to
// depth - 1 beyond the last.
template <int edge, int depth>
class PlaneCounter {
 public:
  explicit PlaneCounter(const BitLattice& fluid)
      : fluid_(fluid),
        words_(static_cast<std::size_t>(fluid.size[0] + edge - 1 + 63) / 64),
        ring_(words_ * edge),
        window_(words_) {}

  void add(int end, Counts& counts) {
    std::fill(ring_.begin(), ring_.end(), 0);
    const int offsetZ = depth - 1 - end % depth;
    for (int y = 0; y < fluid_.size[1] + edge - 1; ++y) {
      joinPlanes(y, end, ring_.data() + words_ * static_cast<std::size_t>(y % edge));
      joinRows();
      std::array<std::uint64_t, edge> byResidue{};
      countRow<edge>(window_.data(), words_, byResidue.data());
      const int offsetY = edge - 1 - y % edge;
      for (int residue = 0; residue < edge; ++residue)
        counts[static_cast<std::size_t>(edge - 1 - residue + edge * (offsetY + edge * offsetZ))] +=
            byResidue[static_cast<std::size_t>(residue)];
    }
  }

 private:
  // OR of row y over the planes of the window; a row beyond the last is empty.
  void joinPlanes(int y, int end, std::uint64_t* joined) const {
    const auto rowWords = static_cast<std::size_t>(fluid_.rowWords);
    std::fill(joined, joined + rowWords, 0);
    if (y >= fluid_.size[1]) return;
    const int last = std::min(end, fluid_.size[2] - 1);
    for (int z = std::max(0, end - depth + 1); z <= last; ++z) {
      const std::uint64_t* row = fluid_.words.data() + fluid_.rowStart(y, z);
      for (std::size_t i = 0; i < rowWords; ++i) joined[i] |= row[i];
    }
  }

  // OR of the last `edge` rows.
  void joinRows() {
    for (std::size_t i = 0; i < words_; ++i) {
      std::uint64_t bits = 0;
      for (std::size_t row = 0; row < edge; ++row) bits |= ring_[words_ * row + i];
      window_[i] = bits;
    }
  }

  const BitLattice& fluid_;
  std::size_t words_;  // of a row with room for the windows that end beyond it
  std::vector<std::uint64_t> ring_;
  std::vector<std::uint64_t> window_;
};

template <int edge, int depth>
Counts countAll(const BitLattice& fluid) {
  const auto addPlanes = [&](const tbb::blocked_range<int>& planes, Counts counts) {
    PlaneCounter<edge, depth> counter(fluid);
    for (int end = planes.begin(); end != planes.end(); ++end) counter.add(end, counts);
    return counts;
  };
  const auto sum = [](Counts left, const Counts& right) {
    for (std::size_t i = 0; i < left.size(); ++i) left[i] += right[i];
    return left;
  };
  const tbb::blocked_range<int> planes(0, fluid.size[2] + depth - 1, 8);
  return tbb::parallel_reduce(planes, Counts{}, addPlanes, sum);
}

}  // namespace

OffsetCounts countTilesAtAllOffsets(const BitLattice& fluid, int dimensions) {
  const Counts counts = dimensions == 2 ? countAll<8, 1>(fluid) : countAll<4, 4>(fluid);
  return {tileSizeFor(dimensions), {counts.begin(), counts.end()}};
}

Int3 OffsetCounts::best() const {
  // Index order is z, then y, then x, so the first of equals is the one wanted.
  const auto fewest = std::min_element(tiles.begin(), tiles.end());
  return offsetOf(static_cast<std::size_t>(fewest - tiles.begin()));
}

Int3 chooseOffset(const OffsetCounts& counts, const LatticeGeometry& geometry) {
  const auto joins = [&](const Int3& offset) {
    for (std::size_t a = 0; a < 3; ++a)
      if (geometry.periodic[a] && geometry.fluid.size[a] % counts.tileSize[a] == 0 &&
          offset[a] != 0)
        return false;
    return true;
  };
  std::size_t chosen = 0;  // offset 0, 0, 0 always joins
  for (std::size_t i = 1; i < counts.tiles.size(); ++i)
    if (joins(counts.offsetOf(i)) && counts.tiles[i] < counts.tiles[chosen]) chosen = i;
  return counts.offsetOf(chosen);
}

}  // namespace tessera
