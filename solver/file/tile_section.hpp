// SPDX-License-Identifier: GPL-3.0-or-later
// Sections of values of all nodes, tile after tile in the order of the .tiles file, so that a file
// is the same for any number of threads and ranks. Reordered from slots a chunk at a time, without
// a second copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "pipelines/stage/io/container.hpp"
#include "solver/file/tile_offsets.hpp"

namespace tessera::solver::file {

// How values lie in memory: tile after tile by slot, 64 of each value together.
struct TileLayout {
  std::span<const std::uint32_t> slotOfTile;  // of the tiles in the order of the file
  std::span<const std::uint8_t> nodeType;     // 64 a tile in the order of the file
  unsigned values = 0;                        // of a node
  unsigned bytes = 0;  // of a value: 8 double, 4 float, 2 half (solver/model/precision/half.hpp)
  // With several processes, which tiles of the file these are; sections are then for
  // ContainerWriter::write(SharedFile&). Null: all.
  const TileOffsets* own = nullptr;
  [[nodiscard]] std::uint64_t tileBytes() const { return std::uint64_t{64} * values * bytes; }
  [[nodiscard]] std::uint64_t size() const { return tileBytes() * slotOfTile.size(); }
};

// bySlot: layout.size() bytes, which must stay until the container is written. Solid nodes, which
// are not stepped, are written as zero.
void addTileSection(stage::ContainerWriter& writer, std::string name, const TileLayout& layout,
                    std::span<const std::byte> bySlot);

// Reads the same. Throws StageError(BadInput) when the section is absent, altered, or of another
// type or size.
void readTileSection(const stage::ContainerReader& reader, const std::string& name,
                     const TileLayout& layout, std::span<std::byte> bySlot);

}  // namespace tessera::solver::file
