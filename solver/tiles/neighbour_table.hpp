// SPDX-License-Identifier: GPL-3.0-or-later
// Neighbour table: filling it for the shifted tiling, and the location that a gather reads.
#pragma once

#include "solver/model/lattice_info.hpp"
#include "solver/model/populations.hpp"
#include "solver/model/tiling.hpp"
#include "solver/tiles/tile_order.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::solver::tiles {

// Location of a population in the state.
struct PopulationLocation {
  std::uint32_t slot = 0;
  std::uint8_t local = 0;
  std::uint8_t direction = 0;
};

// Index in a state of populations.
std::uint64_t indexOfPopulation(const PopulationLocation& place, const model::LatticeInfo& info);

// Location that the step gathers population i of a node from, ignoring walls and openings.
PopulationLocation gatherLocation(const TileOrder& order, const tiler::TiledGeometry& geometry,
                                  std::uint32_t slot, int local, int i,
                                  const model::LatticeInfo& info);

// Quotient and remainder (0 .. 3) of x / 4, for any sign of x.
struct Quartered {
  int tile;
  int shift;
  explicit Quartered(int x) : tile(x >= 0 ? x / 4 : -((3 - x) / 4)), shift(x - 4 * tile) {}
};

// Fills the entries of a tile in the shifted tiling: row[0 .. 26] with the slots around it, in the
// order of NeighbourNode, and shiftEntry. slotAt(position in the mesh): -1 for none, replaced by
// the tile's own slot. Layers and rows count nodes from their own start, so neighbours and shifts
// follow from where the tile begins in the lattice.
template <class SlotAt>
void fillShiftedNeighbours(const tiler::TileMesh& mesh, const Int3& own, const SlotAt& slotAt,
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
  row[model::shiftEntry] = static_cast<std::int32_t>(shifts);
}

}  // namespace tessera::solver::tiles
