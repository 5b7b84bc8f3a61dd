// SPDX-License-Identifier: GPL-3.0-or-later
// Tiles owned by this rank and their offsets in the files that all ranks write and read together,
// which are identical to those of a one-rank run.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solver/backend/cpu/wall_points.hpp"
#include "solver/boundary/wall_links.hpp"
#include "solver/comm/ranks.hpp"
#include "solver/file/checkpoint_file.hpp"
#include "solver/tiles/rank_part.hpp"
#include "solver/tiles/tile_order.hpp"

namespace tessera::solver::run {

class RankTiles {
 public:
  RankTiles() = default;
  // Collective; part: of this rank.
  RankTiles(const tiler::TiledGeometry& geometry, const tiles::RankPart& part,
            const tiles::TileOrder& order, const boundary::Walls& walls,
            const backend::WallPoints& wallPoints, comm::Ranks& ranks);

  // Indices in the geometry, ascending.
  [[nodiscard]] std::span<const std::uint32_t> tiles() const { return tiles_; }
  [[nodiscard]] std::span<const std::uint32_t> tileOfSlot() const { return tileOfSlot_; }
  // Non-solid nodes of these tiles, in the order of the file.
  [[nodiscard]] std::uint64_t nodes() const { return nodes_; }
  // The first of them of a tile of the geometry.
  [[nodiscard]] std::uint64_t firstNode(std::size_t tile) const { return firstNode_[tile]; }

  // Layout of a state in memory. order, geometry: those of the constructor; they and this object
  // must outlive the layout.
  [[nodiscard]] file::TileLayout layout(const tiles::TileOrder& order,
                                        const tiler::TiledGeometry& geometry, unsigned values,
                                        unsigned bytes) const;

  // Offsets in files; with several ranks only.
  [[nodiscard]] const file::TileOffsets& nodeOffsets() const { return nodeOffsets_; }
  [[nodiscard]] const file::OwnOfCheckpoint& sectionOffsets() const { return sectionOffsets_; }

 private:
  std::vector<std::uint32_t> tiles_;
  std::vector<std::uint32_t> tileOfSlot_;
  std::vector<std::uint64_t> firstNode_;  // by tile of the geometry
  std::uint64_t nodes_ = 0;
  // With several ranks, by owned tile: slot, types of its nodes, offsets.
  bool shared_ = false;
  std::vector<std::uint32_t> slots_;
  std::vector<std::uint8_t> types_;
  file::TileOffsets tileOffsets_;
  file::TileOffsets nodeOffsets_;
  file::OwnOfCheckpoint sectionOffsets_;
};

}  // namespace tessera::solver::run
