// SPDX-License-Identifier: GPL-3.0-or-later
// The neighbours of a tile in rows, for solver/tiles/tile_order.cpp.
#pragma once

#include "solver/model/placement.hpp"
#include "solver/model/populations.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::solver::tiles {

// x / 4 and what is left, 0 .. 3, of any sign of x.
struct Quartered {
  int tile;
  int shift;
  explicit Quartered(int x) : tile(x >= 0 ? x / 4 : -((3 - x) / 4)), shift(x - 4 * tile) {}
};

// Fills row[0 .. 26] with the slots around a tile, in the order of RowSource, and shiftColumn.
// slotAt(position in the mesh): -1 where there is none, for which the tile's own slot stands in.
// Every layer and row counts nodes from its own start, so which of their tiles are next to this
// one, and how far they are shifted, follows from where it begins in the lattice.
template <class SlotAt>
void fillShiftedRow(const tiler::TileMesh& mesh, const Int3& own, const SlotAt& slotAt,
                    std::uint32_t slot, std::int32_t* row) {
  const auto along = static_cast<std::size_t>(mesh.rows.axes[0]);
  const auto across = static_cast<std::size_t>(mesh.rows.axes[1]);
  const auto layers = static_cast<std::size_t>(mesh.rows.axes[2]);
  const Int3 corner = mesh.cornerOf(own);
  std::uint32_t shifts = 0;
  Int3 at{};
  for (int dl = -1; dl <= 1; ++dl) {
    at[layers] = own[layers] + dl;
    const Quartered first(corner[across] + mesh.layerOffset(at[layers]));
    if (dl != 0) shifts |= static_cast<std::uint32_t>(first.shift) << model::layerShiftBit(dl);
    for (int dr = -1; dr <= 1; ++dr) {
      at[across] = first.tile + dr;
      const Quartered start(corner[along] + mesh.rowOffset(at[across], at[layers]));
      shifts |= static_cast<std::uint32_t>(start.shift) << model::rowShiftBit(dr + 3 * dl);
      for (int da = -1; da <= 1; ++da) {
        at[along] = start.tile + da;
        const std::int64_t neighbour = slotAt(at);
        row[13 + da + 3 * dr + 9 * dl] =
            static_cast<std::int32_t>(neighbour < 0 ? slot : neighbour);
      }
    }
  }
  row[model::shiftColumn] = static_cast<std::int32_t>(shifts);
}

}  // namespace tessera::solver::tiles
