// SPDX-License-Identifier: GPL-3.0-or-later
// In-place update by a shifted window (grid compression, Pohl et al. 2003): shift and chunks.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "solver/model/axes.hpp"
#include "solver/tiles/tile_order.hpp"

namespace tessera::solver::tiles {

// Distance in slots between a tile and its farthest neighbour. neighbourTable: neighbourStride per
// slot.
std::uint32_t farthestNeighbour(std::span<const std::int32_t> neighbourTable, std::uint32_t tiles);

struct StateWindow {
  std::uint32_t chunk = 0;  // tiles per launch, without the padding of a block
  std::uint32_t shift = 0;  // tiles between a tile's old and new position; 0: two copies are needed
};

constexpr std::uint32_t blockOfChunks = 8;  // tiles

// Tiles of a chunk of populations: enough for 40 us, which hides launches, and few compared with
// all, since the window costs two chunks of memory.
inline std::uint32_t chunkOfPopulations(std::uint32_t tiles, unsigned storageBytes) {
  if (storageBytes >= 8) return std::min<std::uint32_t>(8192, tiles / 20);
  return std::min<std::uint32_t>(storageBytes == 4 ? 16384 : 24576, tiles / 9);
}

// Launches of a step of that update, a block more than the tiles of a chunk each.
inline std::uint32_t chunksOfPopulations(std::uint32_t tiles, unsigned storageBytes) {
  const std::uint32_t chunk = chunkOfPopulations(tiles, storageBytes) + blockOfChunks;
  return (tiles + chunk - 1) / chunk;
}

// Share of the tiles by which the window of moments makes their one copy larger: a quarter at 10
// million nodes, 8 % from 100 million on.
inline double windowShareOfMoments(std::uint32_t tiles) {
  const double nodes = 64.0 * std::max(tiles, 1U);
  return std::clamp(0.25 - 0.17 * (std::log10(nodes) - 7.0), 0.08, 0.4);
}

// Chunks of moments take all of that share: columns that pass through many layers read fewer nodes
// around them, and many columns fill the device.
inline std::uint32_t chunkOfMoments(std::uint32_t tiles, std::uint32_t farthest) {
  const auto allowed = static_cast<std::uint32_t>(windowShareOfMoments(tiles) * tiles);
  return std::max(tiles / 64, allowed > farthest ? (allowed - farthest) / 2 : 0);
}

// A chunk may overlap with the previous one only: with a shift of the farthest neighbour and two
// chunks nothing is overwritten before it is read. If neighbours are so far apart that first and
// last chunks would serialise, two copies are used. behind: slots after the tiles that are written
// during a step from elsewhere (tiles of other ranks, gpu/state.cuh); ghosts are filled between
// steps and do not count.
inline StateWindow stateWindow(std::uint32_t tiles, std::uint32_t farthest, std::uint32_t chunk,
                               std::uint32_t behind = 0) {
  chunk += blockOfChunks;
  const std::uint32_t shift = farthest + 2 * (chunk + blockOfChunks) + behind;
  if (tiles <= farthest + 3 * (chunk + blockOfChunks)) return {};
  return {chunk, shift};
}

// Positions of successive states in a ring buffer, in bytes: each begins `shift` before the
// previous one.
struct RingLayout {
  std::uint64_t size = 0;  // bytes of the memory
  std::uint64_t shift = 0;
  // Begin of the state that follows the one at `begin`.
  [[nodiscard]] std::uint64_t next(std::uint64_t begin) const {
    return begin >= shift ? begin - shift : begin + size - shift;
  }
};

// memory: whole pages, at least the state plus the window's shift. The shift uses all the memory
// that a state leaves free: a gap would move the begin of a new state, which wraps around, closer
// to the end of the state before the previous one, which the last chunk of a step still reads while
// the first chunk of the next one writes.
inline RingLayout ringLayout(std::uint64_t memory, std::uint64_t state) {
  return {memory, memory - state};
}

// Window of an order. alone: one rank, so no slots after the tiles are written during a step.
StateWindow windowOf(const TileOrder& order, model::StateId state, unsigned storageBytes,
                     bool alone);

}  // namespace tessera::solver::tiles
