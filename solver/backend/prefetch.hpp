// SPDX-License-Identifier: GPL-3.0-or-later
// Which cache lines a tile's populations come from, so that they are asked for while the tile
// before is worked on: the 19 or 27 short pieces of a tile are no pattern that a processor
// foresees.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "solver/backend/arrivals.hpp"

namespace tessera {

// A cache line of one of the tiles around.
struct SourceLine {
  std::uint16_t neighbour;
  std::uint16_t line;  // from the tile's population 0 on
};

// All lines that pullRow reads, each once.
template <class Variant>
struct SourceLines {
  using Lattice = typename Variant::Lattice;
  using Shape = TileShape<Lattice>;
  static constexpr int linesOfDirection = sizeof(typename Variant::Storage);  // 64 of them
  std::array<SourceLine, std::size_t{8} * Lattice::q * linesOfDirection> lines{};
  int count = 0;

  constexpr SourceLines() {
    for (int i = 0; i < Lattice::q; ++i) {
      std::array<bool, std::size_t{27} * linesOfDirection> known{};
      for (int l = 0; l < 64; ++l) {
        const auto& c = Lattice::c[static_cast<std::size_t>(i)];
        const int x = l % Shape::x - c[0];
        const int y = l / Shape::x % Shape::y - c[1];
        const int z = l / (Shape::x * Shape::y) - c[2];
        const int n = 13 + (x >> Shape::log2X) + 3 * (y >> Shape::log2Y) + 9 * (z >> Shape::log2Z);
        const int local = (x & (Shape::x - 1)) + Shape::x * (y & (Shape::y - 1)) +
                          Shape::x * Shape::y * (z & (Shape::z - 1));
        const int line = local * linesOfDirection / 64;
        bool& seen = known[static_cast<std::size_t>(n * linesOfDirection + line)];
        if (!seen)
          lines[static_cast<std::size_t>(count++)] = {
              static_cast<std::uint16_t>(n),
              static_cast<std::uint16_t>(i * linesOfDirection + line)};
        seen = true;
      }
    }
  }
};

// Asks for share k of `shares` of the lines.
template <class Variant, int shares>
TESSERA_ANY void prefetchSources(const NeighbourTiles<Variant>& neighbours, int k) {
  static constexpr SourceLines<Variant> sources{};
  constexpr int each = (sources.count + shares - 1) / shares;
  const int end = std::min((k + 1) * each, sources.count);
  for (int j = k * each; j < end; ++j) {
    const SourceLine& from = sources.lines[static_cast<std::size_t>(j)];
    __builtin_prefetch(reinterpret_cast<const char*>(neighbours[from.neighbour]) + 64 * from.line);
  }
}

}  // namespace tessera
