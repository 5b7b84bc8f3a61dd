// SPDX-License-Identifier: GPL-3.0-or-later
// How the CPU pulls the populations of a tile in rows: where the nodes in and around it lie is
// looked up once a tile, for all directions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "solver/state/placement.hpp"
#include "solver/state/populations.hpp"

namespace tessera {

// Population 0 of each of 6 x 6 x 6 nodes, x fastest from (-1, -1, -1) on.
template <class Variant>
using Surroundings = std::array<const typename Variant::Storage*, 216>;

template <class Variant, class Axes>
void findSurroundings(const typename Variant::Storage* state, const std::int32_t* row,
                      Surroundings<Variant>& around) {
  constexpr std::array<int, 3> stride{1, 6, 36};
  const auto shifts = static_cast<std::uint32_t>(row[shiftColumn]);
  for (int layer = -1; layer <= 4; ++layer)
    for (int across = -1; across <= 4; ++across) {
      const ShiftedRow nodes = shiftedRow<Axes>(across, layer, shifts);
      const int first = 43 + across * stride[Axes::across] + layer * stride[Axes::layers];
      for (int along = -1; along <= 4; ++along) {
        const RowSource source = inShiftedRow<Axes>(nodes, along);
        around[static_cast<std::size_t>(first + along * stride[Axes::along])] =
            state + populationIndex<typename Variant::Lattice>(
                        static_cast<std::uint32_t>(row[source.neighbour]), 0, source.local);
      }
    }
}

// Pulls direction i of all nodes into target[64], at once where nodes on x follow each other in one
// tile.
template <class Variant, int i>
TESSERA_ANY void pullShifted(const Surroundings<Variant>& around,
                             typename Variant::Storage* target) {
  using Storage = typename Variant::Storage;
  constexpr auto c = Variant::Lattice::c[i];
  // A step along x comes from a tile before or after at one end, so only the rest may be together.
  constexpr std::ptrdiff_t first = c[0] == 1 ? 1 : 0;
  constexpr std::ptrdiff_t last = c[0] == -1 ? 2 : 3;
  for (int r = 0; r < 16; ++r, target += 4) {
    const Storage* const* from =
        around.data() + 43 - c[0] - 6 * c[1] - 36 * c[2] + 6 * (r % 4) + 36 * (r / 4);
    if (from[last] - from[first] == last - first) {
      if (first == 1) target[0] = from[0][64 * i];
      std::memcpy(target + first, from[first] + 64 * i,
                  static_cast<std::size_t>(last - first + 1) * sizeof(Storage));
      if (last == 2) target[3] = from[3][64 * i];
    } else {
      for (int x = 0; x < 4; ++x) target[x] = from[x][64 * i];
    }
  }
}

}  // namespace tessera
