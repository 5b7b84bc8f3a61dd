// SPDX-License-Identifier: GPL-3.0-or-later
// How far one copy of a state is shifted in a step, and in what pieces it is stepped.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace tessera::solver::tiles {

// Tiles between a tile and its farthest neighbour, counted in slots. rows: rowLength a slot.
std::uint32_t farthestNeighbour(std::span<const std::int32_t> rows, std::uint32_t tiles);

struct StateWindow {
  std::uint32_t chunk = 0;  // tiles stepped by one launch, but for what fills a block
  std::uint32_t shift = 0;  // tiles between a tile's old and new place; 0: two copies are needed
};

// Tiles of a chunk: enough to run for 40 us, so that launches are hidden, yet few against all of
// them, since two chunks are what one copy costs beyond itself.
inline std::uint32_t chunkTiles(std::uint32_t tiles, unsigned storageBytes) {
  if (storageBytes >= 8) return std::min<std::uint32_t>(8192, tiles / 20);
  return std::min<std::uint32_t>(storageBytes == 4 ? 16384 : 24576, tiles / 9);
}

// Most of a state, in tiles, that one copy may take beyond itself.
inline std::uint32_t allowedWindow(unsigned storageBytes, std::uint32_t tiles) {
  const double share = tiles > 1'600'000 ? 0.05 : storageBytes >= 8 ? 0.14 : 0.25;
  return static_cast<std::uint32_t>(share * tiles);
}

// While one chunk runs the one before may still do so, all before that have ended: with a shift of
// the farthest neighbour and two chunks nothing is written over that is still to be read. A step
// whose first chunks wait for its last ones, where neighbours are as far apart as that, gains
// nothing and gets two copies. behind: slots behind the tiles that are written in a step as well,
// by another than the chunks (tiles of other ranks, CudaState::letWaitForRead). One rank alone has
// ghosts there, which are filled between two steps, when all chunks have ended.
inline StateWindow stateWindow(std::uint32_t tiles, std::uint32_t farthest, unsigned storageBytes,
                               std::uint32_t behind = 0) {
  constexpr std::uint32_t block = 8;
  const std::uint32_t chunk = chunkTiles(tiles, storageBytes) + block;
  const std::uint32_t shift = farthest + 2 * (chunk + block) + behind;
  if (tiles <= farthest + 3 * (chunk + block)) return {};
  return {chunk, shift};
}

// Where states follow each other in memory that goes round, in bytes: the new state of a step lies
// `shift` before the old one.
struct RoundPlaces {
  std::uint64_t size = 0;  // of the memory
  std::uint64_t shift = 0;
  // Where the state after the one that begins at `begin` begins.
  [[nodiscard]] std::uint64_t next(std::uint64_t begin) const {
    return begin >= shift ? begin - shift : begin + size - shift;
  }
};

// Memory of so many bytes, whole pages and at least the state and the window's shift, for states of
// so many. The shift takes all that a state leaves. A rest between the two would bring the
// beginning of a new state, which goes round to behind the old one, nearer to the end of the one
// before that: there the last chunk of a step still reads while the next step's first one writes.
inline RoundPlaces roundPlaces(std::uint64_t memory, std::uint64_t state) {
  return {memory, memory - state};
}

}  // namespace tessera::solver::tiles
