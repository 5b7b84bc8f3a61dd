// SPDX-License-Identifier: GPL-3.0-or-later
// Synthetic state of a geometry, as a whole and divided among processes, for tests of the files
// that processes write together.
#pragma once

#include <random>
#include <vector>

#include "solver/file/checkpoint_file.hpp"
#include "solver/file/fields_file.hpp"
#include "tiler/file/part_of_tiles.hpp"

namespace tessera::testing {

using namespace tessera::solver::file;
using namespace tessera::stage;
using namespace tessera::tiler::file;

// Numbers of each tile that no two share.
struct WholeState {
  explicit WholeState(const TilesFile& tiles, unsigned values = 19, unsigned bytes = 4);

  [[nodiscard]] TileLayout layout() const;
  Checkpoint checkpoint;
  Fields fields;
  std::vector<std::byte> state;  // by slot
  std::vector<std::uint32_t> slotOfTile;
  std::vector<std::uint8_t> nodeType;
  std::vector<std::uint32_t> nonSolid, wallLinks, wallPoints;  // of each tile
  unsigned values, bytes;
};

// Tiles of one process and their state.
struct StateOfProcess {
  std::vector<std::int32_t> fileTile;
  TileOffsets tiles, nodes;
  OwnOfCheckpoint own;
  Checkpoint checkpoint;
  Fields fields;
  std::vector<std::byte> state;
  std::vector<std::uint32_t> slotOfTile;
  std::vector<std::uint8_t> nodeType;

  [[nodiscard]] TileLayout layout(const WholeState& whole) const;
};

// ownerOfTile: a rank of each. Collective.
StateOfProcess divide(const WholeState& whole, std::span<const int> ownerOfTile,
                      Processes& processes);

// A random owner for stretches of tiles up to so long; each process has a tile.
std::vector<int> randomOwners(std::size_t tiles, int processes, unsigned longest, unsigned seed);

}  // namespace tessera::testing
