// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/domain/tile_blocks.hpp"

#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "preprocess/geometry/lattice_geometry.hpp"
#include "solver/model/populations.hpp"

namespace tessera::solver::domain {

using domain::Domain;

namespace {

// Index of a tile of a block, or around it, in the block's entries of the table.
std::size_t entryOfTile(const BlockTiles& tiles, const Int3& tile) {
  return static_cast<std::size_t>(tile[0] + 1 +
                                  (tiles[0] + 2) * (tile[1] + 1 + (tiles[1] + 2) * (tile[2] + 1)));
}

struct Block {
  const BlockTiles& tiles;
  std::int32_t* row;

  [[nodiscard]] std::int32_t& at(const Int3& tile) const { return row[entryOfTile(tiles, tile)]; }
  [[nodiscard]] bool contains(const Int3& tile) const {
    for (std::size_t a = 0; a < 3; ++a)
      if (tile[a] < 0 || tile[a] >= tiles[a]) return false;
    return true;
  }
};

// Whether the tile in `slot` lies at that position, not through a periodic axis.
bool liesAt(const Domain& domain, std::int32_t slot, const Int3& position) {
  return static_cast<std::uint32_t>(slot) < domain.tiles &&
         domain.positions[static_cast<std::size_t>(slot)] == position;
}

// tile: position of the slot's tile in the block.
void addTile(const Domain& domain, std::uint32_t slot, const Int3& tile, const Block& block) {
  block.at(tile) = static_cast<std::int32_t>(slot);
  const Int3& position = domain.positions[slot];
  for (const auto& [n, step] : preprocess::geometry::neighbourhood) {
    const std::int32_t neighbour =
        domain.neighbourTable[static_cast<std::size_t>(slot) * model::neighbourStride +
                              static_cast<std::size_t>(n)];
    const bool itself = neighbour == static_cast<std::int32_t>(slot);
    if (n == preprocess::geometry::restDirection || (itself && !domain.meetsItself)) continue;
    const Int3 at = tile + step;
    std::int32_t& target = block.at(at);
    if (itself && target != noTile) continue;
    if (!block.contains(at))
      target = neighbour;
    else if (!liesAt(domain, neighbour, position + step))
      target = foreignTile(neighbour);
  }
}

// Grid of blocks that contain tiles.
class BlockGrid {
 public:
  BlockGrid(const Domain& domain, const BlockTiles& tiles) : domain_(domain), tiles_(tiles) {
    for (std::size_t a = 0; a < 3; ++a) {
      const auto furthest =
          std::max_element(domain.positions.begin(), domain.positions.end(),
                           [a](const Int3& one, const Int3& other) { return one[a] < other[a]; });
      if (furthest != domain.positions.end()) grid_[a] = (*furthest)[a] / tiles[a] + 1;
    }
  }

  // Slot at each position of the grid, block by block, or noTile.
  [[nodiscard]] std::vector<std::int32_t> slots() const {
    const auto blocks = static_cast<std::size_t>(grid_[0]) * static_cast<std::size_t>(grid_[1]) *
                        static_cast<std::size_t>(grid_[2]);
    std::vector<std::int32_t> slots(blocks * perBlock(), noTile);
    tbb::parallel_for(std::uint32_t{0}, domain_.tiles, [&](std::uint32_t slot) {
      const Int3 in = inBlock(slot);
      const auto local = static_cast<std::size_t>(in[0] + tiles_[0] * (in[1] + tiles_[1] * in[2]));
      slots[blockOf(slot) * perBlock() + local] = static_cast<std::int32_t>(slot);
    });
    return slots;
  }
  [[nodiscard]] std::size_t perBlock() const {
    return static_cast<std::size_t>(tiles_[0] * tiles_[1] * tiles_[2]);
  }
  // Position of the slot's tile in its block.
  [[nodiscard]] Int3 inBlock(std::uint32_t slot) const {
    const Int3& at = domain_.positions[slot];
    return {at[0] % tiles_[0], at[1] % tiles_[1], at[2] % tiles_[2]};
  }

 private:
  [[nodiscard]] std::size_t blockOf(std::uint32_t slot) const {
    std::size_t block = 0;
    for (const std::size_t a : {2U, 1U, 0U})
      block = block * static_cast<std::size_t>(grid_[a]) +
              static_cast<std::size_t>(domain_.positions[slot][a] / tiles_[a]);
    return block;
  }
  const Domain& domain_;
  const BlockTiles& tiles_;
  Int3 grid_{0, 0, 0};  // number of blocks
};

// Lowest slot and index of each block with tiles, ascending.
std::vector<std::pair<std::int32_t, std::uint32_t>> blocksBySlot(
    const std::vector<std::int32_t>& slots, std::size_t perBlock) {
  std::vector<std::pair<std::int32_t, std::uint32_t>> blocks;
  for (std::size_t block = 0; block < slots.size() / perBlock; ++block) {
    std::int32_t lowest = noTile;
    for (std::size_t k = block * perBlock; k < (block + 1) * perBlock; ++k)
      if (slots[k] != noTile && (lowest == noTile || slots[k] < lowest)) lowest = slots[k];
    if (lowest != noTile) blocks.emplace_back(lowest, static_cast<std::uint32_t>(block));
  }
  tbb::parallel_sort(blocks.begin(), blocks.end());
  return blocks;
}

}  // namespace

std::vector<std::int32_t> blockTable(const Domain& domain, const BlockTiles& tiles) {
  const auto around = static_cast<std::size_t>((tiles[0] + 2) * (tiles[1] + 2) * (tiles[2] + 2));
  const BlockGrid places(domain, tiles);
  const std::vector<std::int32_t> slots = places.slots();
  const std::size_t perBlock = places.perBlock();
  const auto blocks = blocksBySlot(slots, perBlock);
  std::vector<std::int32_t> table(blocks.size() * around, noTile);
  tbb::parallel_for(std::size_t{0}, blocks.size(), [&](std::size_t b) {
    const auto first = slots.begin() + static_cast<std::ptrdiff_t>(blocks[b].second * perBlock);
    std::vector<std::int32_t> own(first, first + static_cast<std::ptrdiff_t>(perBlock));
    std::sort(own.begin(), own.end());
    for (const std::int32_t slot : own) {
      if (slot == noTile) continue;
      const auto which = static_cast<std::uint32_t>(slot);
      addTile(domain, which, places.inBlock(which), {tiles, &table[b * around]});
    }
  });
  return table;
}

std::vector<std::uint32_t> firstSlots(const std::vector<std::int32_t>& table,
                                      const BlockTiles& tiles) {
  const auto around = static_cast<std::size_t>((tiles[0] + 2) * (tiles[1] + 2) * (tiles[2] + 2));
  std::vector<std::uint32_t> first(table.size() / around);
  tbb::parallel_for(std::size_t{0}, first.size(), [&](std::size_t b) {
    const std::int32_t* row = &table[b * around];
    std::int32_t lowest = -1;
    for (int z = 0; z < tiles[2]; ++z)
      for (int y = 0; y < tiles[1]; ++y)
        for (int x = 0; x < tiles[0]; ++x) {
          const std::int32_t slot = row[entryOfTile(tiles, {x, y, z})];
          if (slot >= 0 && (lowest < 0 || slot < lowest)) lowest = slot;
        }
    first[b] = static_cast<std::uint32_t>(lowest);
  });
  return first;
}

}  // namespace tessera::solver::domain
