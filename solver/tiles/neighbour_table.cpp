// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/tiles/neighbour_table.hpp"

#include "solver/model/lattice/lattice.hpp"
#include "solver/model/populations.hpp"
#include "solver/model/tiling.hpp"

namespace tessera::solver::tiles {

std::uint64_t indexOfPopulation(const PopulationLocation& place, const model::LatticeInfo& info) {
  return (static_cast<std::uint64_t>(place.slot) * info.velocities.size() + place.direction) *
             tiler::tileNodes +
         place.local;
}

PopulationLocation gatherLocation(const TileOrder& order, const tiler::TiledGeometry& geometry,
                                  std::uint32_t slot, int local, int i,
                                  const model::LatticeInfo& info) {
  const auto& c = info.velocities[static_cast<std::size_t>(i)];
  const Int3& size = geometry.tileSize;
  Int3 at{local % size[0], local / size[0] % size[1], local / (size[0] * size[1])};
  for (std::size_t a = 0; a < 3; ++a) at[a] -= c[a];
  const std::int32_t* row =
      &order.neighbourTable[static_cast<std::size_t>(slot) * model::neighbourStride];
  model::NeighbourNode source{preprocess::geometry::restDirection, 0};
  if (geometry.isShifted()) {
    const auto shifts = static_cast<std::uint32_t>(row[model::shiftEntry]);
    source = model::withShiftAxes(order.shiftAxes, [&](auto axes) {
      return model::neighbourNode<decltype(axes)>(at[0], at[1], at[2], shifts);
    });
  } else {
    Int3 step{};
    for (std::size_t a = 0; a < 3; ++a) {
      step[a] = at[a] < 0 ? -1 : (at[a] >= size[a] ? 1 : 0);
      at[a] -= step[a] * size[a];
    }
    source = {preprocess::geometry::directionOf(step[0], step[1], step[2]),
              at[0] + size[0] * (at[1] + size[1] * at[2])};
  }
  return {static_cast<std::uint32_t>(row[source.neighbour]),
          static_cast<std::uint8_t>(source.local), static_cast<std::uint8_t>(i)};
}

}  // namespace tessera::solver::tiles
