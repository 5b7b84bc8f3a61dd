// SPDX-License-Identifier: GPL-3.0-or-later
// Software prefetch of the cache lines that the step of a tile reads, of the tile and its
// neighbours: short pieces of 19 or 27 tiles are no pattern that a hardware prefetcher detects.
// Those of a later tile are brought into the second-level cache; the first level has few misses
// under way, which the step's own loads need, and prefetches into it gained half as much
// (tests/bench/RESULTS.md).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "solver/model/populations.hpp"

namespace tessera::solver::backend {

constexpr int secondLevel = 2;  // of __builtin_prefetch

// Distance from the tile that is stepped to the one that is prefetched, in slots.
constexpr std::uint32_t tilesAhead = 2;

struct SourceLine {
  std::uint16_t neighbour;  // 13 is the tile itself
  std::uint16_t line;       // from the first one of the tile on
};

// Each line listed once. values: stored by a node, 64 nodes of each in a row, of `bytes` bytes.
// Reads::of(i, n): whether what arrives along direction i is made of value n of its source.
template <class Lattice, int values, int bytes, class Reads>
struct SourceLines {
  static constexpr int linesOfTile = values * bytes;
  std::array<SourceLine, std::size_t{27} * linesOfTile> lines{};
  int count = 0;

  constexpr SourceLines() {
    std::array<bool, std::size_t{27} * linesOfTile> read{};
    for (int i = 0; i < Lattice::q; ++i)
      for (int n = 0; n < values; ++n)
        if (Reads::of(i, n)) mark(Lattice::c[static_cast<std::size_t>(i)], n, read);
    for (int k = 0; k < 27 * linesOfTile; ++k)
      if (read[static_cast<std::size_t>(k)])
        lines[static_cast<std::size_t>(count++)] = {static_cast<std::uint16_t>(k / linesOfTile),
                                                    static_cast<std::uint16_t>(k % linesOfTile)};
  }

  // Prefetches share k of `shares`. tile(n): where neighbour n begins.
  template <int shares, class Tile>
  TESSERA_HOST_DEVICE void prefetch(int k, const Tile& tile) const {
    const int each = (count + shares - 1) / shares;
    const int end = std::min((k + 1) * each, count);
    for (int j = k * each; j < end; ++j) {
      const SourceLine& from = lines[static_cast<std::size_t>(j)];
      __builtin_prefetch(reinterpret_cast<const char*>(tile(from.neighbour)) + 64 * from.line, 0,
                         secondLevel);
    }
  }

 private:
  static constexpr void mark(const std::array<int, 3>& c, int n,
                             std::array<bool, std::size_t{27} * linesOfTile>& read) {
    using Shape = model::TileShape<Lattice>;
    for (int l = 0; l < 64; ++l) {
      const int x = l % Shape::x - c[0];
      const int y = l / Shape::x % Shape::y - c[1];
      const int z = l / (Shape::x * Shape::y) - c[2];
      const int tile = 13 + (x >> Shape::log2X) + 3 * (y >> Shape::log2Y) + 9 * (z >> Shape::log2Z);
      const int local = (x & (Shape::x - 1)) + Shape::x * (y & (Shape::y - 1)) +
                        Shape::x * Shape::y * (z & (Shape::z - 1));
      read[static_cast<std::size_t>(tile * linesOfTile + (64 * n + local) * bytes / 64)] = true;
    }
  }
};

}  // namespace tessera::solver::backend
