// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/domain/tile_columns.hpp"

#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "pipelines/stage/error.hpp"
#include "preprocess/geometry/lattice_geometry.hpp"
#include "solver/model/populations.hpp"

namespace tessera::solver::domain {

namespace {

// Bits 0 .. 19 of a number at every second position.
std::uint64_t spread(std::uint64_t v) {
  std::uint64_t spread = 0;
  for (unsigned bit = 0; bit < 20; ++bit) spread |= (v >> bit & 1U) << (2 * bit);
  return spread;
}

// Position of a tile in the order of a part: chunk of layers, column in Morton order, layer.
struct OrderedTile {
  std::uint64_t key = 0;
  std::uint32_t slot = 0;
  [[nodiscard]] std::uint64_t column() const { return key >> 8U; }
  [[nodiscard]] std::uint64_t layer() const { return key & 0xffU; }
  bool operator<(const OrderedTile& other) const {
    return std::pair(key, slot) < std::pair(other.key, other.slot);
  }
};

OrderedTile orderedTile(const Int3& at, std::uint32_t slot, const ColumnTiles& tiles,
                        int mostLayers) {
  const auto part = [](int position, int size) {
    return static_cast<std::uint64_t>(position / size);
  };
  const std::uint64_t column = spread(part(at[0], tiles[0])) | spread(part(at[1], tiles[1])) << 1U;
  return {part(at[2], mostLayers) << 48U | column << 8U |
              static_cast<std::uint64_t>(at[2] % mostLayers),
          slot};
}

// Runs of layers of one column without a gap.
std::vector<std::span<const OrderedTile>> runs(std::span<const OrderedTile> tiles) {
  std::vector<std::span<const OrderedTile>> all;
  for (std::size_t first = 0; first < tiles.size();) {
    std::size_t end = first + 1;
    while (end < tiles.size() && tiles[end].column() == tiles[first].column() &&
           tiles[end].layer() <= tiles[end - 1].layer() + 1)
      ++end;
    all.push_back(tiles.subspan(first, end - first));
    first = end;
  }
  return all;
}

std::uint32_t layersOf(std::span<const OrderedTile> run) {
  return static_cast<std::uint32_t>(run.back().layer() - run.front().layer() + 1);
}

std::size_t entriesOfRow(const ColumnTiles& tiles) {
  return static_cast<std::size_t>((tiles[0] + 2) * (tiles[1] + 2));
}

std::vector<OrderedTile> tilesAt(std::span<const Int3> positions, const ColumnTiles& tiles,
                                 int mostLayers) {
  std::vector<OrderedTile> order(positions.size());
  tbb::parallel_for(std::size_t{0}, positions.size(), [&](std::size_t slot) {
    order[slot] = orderedTile(positions[slot], static_cast<std::uint32_t>(slot), tiles, mostLayers);
  });
  return order;
}

// Fills the rows of a piece.
class PieceRows {
 public:
  PieceRows(const Domain& domain, const ColumnTiles& tiles, std::span<const std::int32_t> maskOf,
            std::span<const OrderedTile> own, std::uint32_t layers, ColumnTile* rows)
      : domain_(domain),
        tiles_(tiles),
        maskOf_(maskOf),
        layers_(static_cast<int>(layers)),
        rows_(rows) {
    const Int3& first = domain.positions[own.front().slot];
    begin_ = {first[0] / tiles[0] * tiles[0], first[1] / tiles[1] * tiles[1], first[2]};
    for (const OrderedTile& tile : own) at(positionOf(tile.slot)) = entry(tile.slot);
    for (const OrderedTile& tile : own) addNeighbours(tile.slot);
  }

 private:
  [[nodiscard]] Int3 positionOf(std::uint32_t slot) const {
    const Int3& at = domain_.positions[slot];
    return {at[0] - begin_[0], at[1] - begin_[1], at[2] - begin_[2]};
  }
  [[nodiscard]] ColumnTile& at(const Int3& tile) const {
    return rows_[tile[0] + 1 + (tiles_[0] + 2) * (tile[1] + 1 + (tiles_[1] + 2) * (tile[2] + 1))];
  }
  [[nodiscard]] bool contains(const Int3& tile) const {
    return tile[0] >= 0 && tile[0] < tiles_[0] && tile[1] >= 0 && tile[1] < tiles_[1] &&
           tile[2] >= 0 && tile[2] < layers_;
  }
  [[nodiscard]] ColumnTile entry(std::uint32_t slot) const {
    return {static_cast<std::int32_t>(slot), slot < maskOf_.size() ? maskOf_[slot] : -1};
  }
  // Whether the tile is one of the piece's own, and lies there, not through a periodic axis.
  [[nodiscard]] bool ownAt(std::uint32_t slot, const Int3& tile) const {
    return contains(tile) && at(tile) == entry(slot) && positionOf(slot) == tile;
  }
  void addNeighbours(std::uint32_t slot) const {
    const Int3 tile = positionOf(slot);
    for (const auto& [n, step] : preprocess::geometry::neighbourhood) {
      const auto neighbour = static_cast<std::uint32_t>(
          domain_.neighbourTable[static_cast<std::size_t>(slot) * model::neighbourStride +
                                 static_cast<std::size_t>(n)]);
      // A tile in place of its neighbour: there is none, or an axis closes on this one.
      const bool itself = neighbour == slot;
      if (n == preprocess::geometry::restDirection || (itself && !domain_.meetsItself)) continue;
      const Int3 there = tile + step;
      if ((itself && at(there).slot >= 0) || ownAt(neighbour, there)) continue;
      at(there) = entry(neighbour);
      at(there).slot |= ColumnTile::foreign;
    }
  }

  const Domain& domain_;
  const ColumnTiles& tiles_;
  std::span<const std::int32_t> maskOf_;
  int layers_;
  ColumnTile* rows_;
  Int3 begin_{};
};

}  // namespace

ColumnTable columnTable(const Domain& domain, const ColumnTiles& tiles, int mostLayers,
                        std::span<const std::uint32_t> partEnds,
                        std::span<const std::int32_t> maskOf) {
  if (domain.slots > static_cast<std::uint32_t>(ColumnTile::foreign))
    stage::fail(stage::ExitCode::NoResource,
                "moments have room for 1,073,741,824 tiles on a device; use more devices");
  std::vector<OrderedTile> order = tilesAt(domain.positions, tiles, mostLayers);
  ColumnTable table;
  std::vector<std::span<const OrderedTile>> planned;
  std::uint32_t rows = 0;
  for (std::uint32_t first = 0; const std::uint32_t end : partEnds) {
    const std::span<OrderedTile> part(order.data() + first, end - first);
    tbb::parallel_sort(part.begin(), part.end());
    table.firstPiece.push_back(static_cast<std::uint32_t>(planned.size()));
    for (const std::span<const OrderedTile> run : runs(part)) {
      const std::uint32_t layers = layersOf(run);
      table.pieces.push_back({rows, layers});
      planned.push_back(run);
      rows += layers + 2;
    }
    first = end;
  }
  table.firstPiece.push_back(static_cast<std::uint32_t>(planned.size()));
  const std::size_t around = entriesOfRow(tiles);
  table.rows.resize(rows * around);
  tbb::parallel_for(std::size_t{0}, planned.size(), [&](std::size_t k) {
    const ColumnPiece& piece = table.pieces[k];
    PieceRows(domain, tiles, maskOf, planned[k], piece.layers,
              &table.rows[piece.firstRow * around]);
  });
  return table;
}

std::uint64_t columnLayers(std::span<const Int3> positions, const ColumnTiles& tiles) {
  constexpr int mostLayersOfKey = 255;
  std::vector<OrderedTile> order = tilesAt(positions, tiles, mostLayersOfKey);
  tbb::parallel_sort(order.begin(), order.end());
  std::uint64_t layers = 0;
  for (const std::span<const OrderedTile> run : runs(order)) layers += layersOf(run);
  return layers;
}

double columnBytes(std::span<const Int3> positions, const ColumnTiles& tiles, int mostLayers) {
  std::vector<OrderedTile> order = tilesAt(positions, tiles, mostLayers);
  tbb::parallel_sort(order.begin(), order.end());
  double pieces = 0.0, rows = 0.0;
  for (const std::span<const OrderedTile> run : runs(order)) {
    pieces += 1.0;
    rows += layersOf(run) + 2;
  }
  return sizeof(ColumnPiece) * pieces +
         sizeof(ColumnTile) * static_cast<double>(entriesOfRow(tiles)) * rows;
}

}  // namespace tessera::solver::domain
