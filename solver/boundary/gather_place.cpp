// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/boundary/gather_place.hpp"

#include "solver/lattice/lattice.hpp"
#include "solver/state/placement.hpp"
#include "solver/state/populations.hpp"

namespace tessera {

std::uint64_t indexOfPopulation(const PopulationPlace& place, const LatticeInfo& info) {
  return (static_cast<std::uint64_t>(place.slot) * info.velocities.size() + place.direction) *
             tileNodes +
         place.local;
}

PopulationPlace gatherPlace(const TileOrder& order, const TiledGeometry& geometry,
                            std::uint32_t slot, int local, int i, const LatticeInfo& info) {
  const auto& c = info.velocities[static_cast<std::size_t>(i)];
  const Int3& size = geometry.tileSize;
  Int3 at{local % size[0], local / size[0] % size[1], local / (size[0] * size[1])};
  for (std::size_t a = 0; a < 3; ++a) at[a] -= c[a];
  const std::int32_t* row = &order.rows[static_cast<std::size_t>(slot) * rowLength];
  RowSource source{restDirection, 0};
  if (geometry.inRows()) {
    const auto shifts = static_cast<std::uint32_t>(row[shiftColumn]);
    source = withRowAxes(order.rowAxes, [&](auto axes) {
      return rowSource<decltype(axes)>(at[0], at[1], at[2], shifts);
    });
  } else {
    Int3 step{};
    for (std::size_t a = 0; a < 3; ++a) {
      step[a] = at[a] < 0 ? -1 : (at[a] >= size[a] ? 1 : 0);
      at[a] -= step[a] * size[a];
    }
    source = {directionOf(step[0], step[1], step[2]), at[0] + size[0] * (at[1] + size[1] * at[2])};
  }
  return {static_cast<std::uint32_t>(row[source.neighbour]),
          static_cast<std::uint8_t>(source.local), static_cast<std::uint8_t>(i)};
}

}  // namespace tessera
