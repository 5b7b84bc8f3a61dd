// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/state/blocks.hpp"

#include <algorithm>
#include <cstddef>
#include <unordered_map>

#include "preprocess/lattice/lattice_geometry.hpp"
#include "solver/state/populations.hpp"

namespace tessera {

namespace {

struct Block {
  const BlockTiles& tiles;
  std::int32_t* row;

  [[nodiscard]] std::int32_t& at(const Int3& tile) const {
    return row[tile[0] + 1 + (tiles[0] + 2) * (tile[1] + 1 + (tiles[1] + 2) * (tile[2] + 1))];
  }
  [[nodiscard]] bool contains(const Int3& tile) const {
    for (std::size_t a = 0; a < 3; ++a)
      if (tile[a] < 0 || tile[a] >= tiles[a]) return false;
    return true;
  }
};

// Whether the tile in `slot` lies at that position, and is not there because an axis closes.
bool liesAt(const Domain& domain, std::int32_t slot, const Int3& position) {
  return static_cast<std::uint32_t>(slot) < domain.tiles &&
         domain.positions[static_cast<std::size_t>(slot)] == position;
}

// tile: where the tile of the slot lies in the block.
void addTile(const Domain& domain, std::uint32_t slot, const Int3& tile, const Block& block) {
  block.at(tile) = static_cast<std::int32_t>(slot);
  const Int3& position = domain.positions[slot];
  for (int n = 0; n < 27; ++n) {
    const std::int32_t neighbour =
        domain.rows[static_cast<std::size_t>(slot) * rowLength + static_cast<std::size_t>(n)];
    const bool itself = neighbour == static_cast<std::int32_t>(slot);
    if (n == 13 || (itself && !domain.meetsItself)) continue;
    const Int3 step = directionStep(n);
    const Int3 at{tile[0] + step[0], tile[1] + step[1], tile[2] + step[2]};
    std::int32_t& target = block.at(at);
    if (itself && target != noTile) continue;
    if (!block.contains(at))
      target = neighbour;
    else if (!liesAt(domain, neighbour,
                     {position[0] + step[0], position[1] + step[1], position[2] + step[2]}))
      target = foreignTile(neighbour);
  }
}

}  // namespace

std::vector<std::int32_t> blockTable(const Domain& domain, const BlockTiles& tiles) {
  const auto around = static_cast<std::size_t>((tiles[0] + 2) * (tiles[1] + 2) * (tiles[2] + 2));
  std::vector<std::int32_t> table;
  std::unordered_map<std::uint64_t, std::size_t> blocks;
  for (std::uint32_t slot = 0; slot < domain.tiles; ++slot) {
    std::uint64_t key = 0;
    Int3 tile{};
    for (std::size_t a = 0; a < 3; ++a) {
      key = key << 21U | static_cast<std::uint64_t>(domain.positions[slot][a] / tiles[a]);
      tile[a] = domain.positions[slot][a] % tiles[a];
    }
    const auto [found, fresh] = blocks.emplace(key, blocks.size());
    if (fresh) table.resize(table.size() + around, noTile);
    addTile(domain, slot, tile, {tiles, &table[found->second * around]});
  }
  return table;
}

std::vector<std::uint32_t> firstSlots(const std::vector<std::int32_t>& table,
                                      const BlockTiles& tiles) {
  const auto around = static_cast<std::size_t>((tiles[0] + 2) * (tiles[1] + 2) * (tiles[2] + 2));
  std::vector<std::uint32_t> first(table.size() / around);
  std::vector<std::int32_t> row(around);
  for (std::size_t b = 0; b < first.size(); ++b) {
    std::copy_n(table.begin() + static_cast<std::ptrdiff_t>(b * around), around, row.begin());
    const Block block{tiles, row.data()};
    std::int32_t lowest = -1;
    for (int z = 0; z < tiles[2]; ++z)
      for (int y = 0; y < tiles[1]; ++y)
        for (int x = 0; x < tiles[0]; ++x) {
          const std::int32_t slot = block.at({x, y, z});
          if (slot >= 0 && (lowest < 0 || slot < lowest)) lowest = slot;
        }
    first[b] = static_cast<std::uint32_t>(lowest);
  }
  return first;
}

}  // namespace tessera
