// SPDX-License-Identifier: GPL-3.0-or-later
// Tile of populations in the cache of a CPU: pulled from its neighbours into a small array, whole
// rows of nodes at a time, with bounce-back applied; stepped there; written with non-temporal
// stores, so that traffic is 2 q values per node instead of 3 q. Lines of a later tile are
// prefetched meanwhile (source_lines.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "solver/backend/cpu/source_lines.hpp"
#include "solver/backend/cpu/vectors.hpp"
#include "solver/model/lattice/lattice.hpp"
#include "solver/model/populations.hpp"
#include "solver/model/tiling.hpp"

namespace tessera::solver::backend {

// q x 64 gathered populations of one tile, replaced by those after the step.
template <class Variant>
struct PulledTile {
  alignas(64) typename Variant::Storage f[Variant::q][64];
};

// Start of the populations of a tile and its 26 neighbours.
template <class Variant>
using NeighbourTiles = std::array<const typename Variant::Storage*, 27>;

template <class Variant>
TESSERA_HOST_DEVICE NeighbourTiles<Variant> neighboursOf(const typename Variant::Storage* state,
                                                         const std::int32_t* row) {
  NeighbourTiles<Variant> neighbours;
  for (std::size_t n = 0; n < 27; ++n)
    neighbours[n] = state + model::populationIndex<typename Variant::Lattice>(
                                static_cast<std::uint32_t>(row[n]), 0, 0);
  return neighbours;
}

// A row of nodes along x as one vector of the bits of its numbers.
template <class Storage, int length>
struct TileRow {
  using Bits =
      std::conditional_t<sizeof(Storage) == 8, std::uint64_t,
                         std::conditional_t<sizeof(Storage) == 4, std::uint32_t, std::uint16_t>>;
  typedef Bits type __attribute__((vector_size(length * sizeof(Storage))));

  // Numbers first, first + 1, ... of a and b in a row. By reference: a row may be longer than the
  // vectors that functions return.
  template <int first, int... k>
  TESSERA_HOST_DEVICE static void join(const type& a, const type& b, type& row,
                                       std::integer_sequence<int, k...>) {
    row = __builtin_shufflevector(a, b, (first + k)...);
  }
};

// Pulls row r = y + height * z of direction i from its source row, shifted along x; all offsets are
// known at compile time.
template <class Variant, int i, int r>
TESSERA_HOST_DEVICE void pullRow(const NeighbourTiles<Variant>& neighbours,
                                 PulledTile<Variant>& tile) {
  using Lattice = typename Variant::Lattice;
  using Shape = model::TileShape<Lattice>;
  using Row = TileRow<typename Variant::Storage, Shape::x>;
  using All = std::make_integer_sequence<int, Shape::x>;
  constexpr auto c = Lattice::c[i];
  constexpr int sy = r % Shape::y - c[1];
  constexpr int sz = r / Shape::y - c[2];
  constexpr int n = 13 + 3 * (sy >> Shape::log2Y) + 9 * (sz >> Shape::log2Z);
  constexpr int start =
      64 * i + Shape::x * ((sy & (Shape::y - 1)) + Shape::y * (sz & (Shape::z - 1)));
  typename Row::type row, adjacent;
  std::memcpy(&row, neighbours[n] + start, sizeof(row));
  if constexpr (c[0] != 0) std::memcpy(&adjacent, neighbours[n - c[0]] + start, sizeof(adjacent));
  if constexpr (c[0] == 1) Row::template join<Shape::x - 1>(adjacent, row, row, All{});
  if constexpr (c[0] == -1) Row::template join<1>(row, adjacent, row, All{});
  std::memcpy(&tile.f[i][Shape::x * r], &row, sizeof(row));
}

// Lattice direction that leaves through each bit of a link mask; 0 for none.
template <class Lattice>
constexpr std::array<std::uint8_t, 27> directionsOfBits() {
  std::array<std::uint8_t, 27> directions{};
  for (int i = 1; i < Lattice::q; ++i)
    directions[static_cast<std::size_t>(model::linkBit<Lattice>(i))] = static_cast<std::uint8_t>(i);
  return directions;
}

// Halfway bounce-back at links that end on a wall; solid nodes rest.
template <class Variant>
void bounceBack(const typename Variant::Storage* own, const std::uint32_t* masks,
                PulledTile<Variant>& tile) {
  using Lattice = typename Variant::Lattice;
  static constexpr auto directions = directionsOfBits<Lattice>();
  for (int l = 0; l < 64; ++l) {
    if ((masks[l] >> model::solidBit & 1U) != 0) {
      for (auto& population : tile.f) population[l] = typename Variant::Storage{};
      continue;
    }
    for (std::uint32_t rest = masks[l]; rest != 0; rest &= rest - 1) {
      const int out = directions[static_cast<std::size_t>(std::countr_zero(rest))];
      tile.f[model::opposite(out)][l] = own[64 * out + l];
    }
  }
}

// In shifted tilings the sources are looked up once per tile, for all directions: population 0 of
// each of 6 x 6 x 6 nodes, x fastest from (-1, -1, -1) on.
template <class Variant>
using Surroundings = std::array<const typename Variant::Storage*, 216>;

template <class Variant, class Axes>
void findSurroundings(const typename Variant::Storage* state, const std::int32_t* row,
                      Surroundings<Variant>& around) {
  constexpr std::array<int, 3> stride{1, 6, 36};
  const auto shifts = static_cast<std::uint32_t>(row[model::shiftEntry]);
  for (int layer = -1; layer <= 4; ++layer)
    for (int across = -1; across <= 4; ++across) {
      const model::ShiftedLine nodes = model::shiftedLine<Axes>(across, layer, shifts);
      const int first = 43 + across * stride[Axes::across] + layer * stride[Axes::layers];
      for (int along = -1; along <= 4; ++along) {
        const model::NeighbourNode source = model::nodeOfLine<Axes>(nodes, along);
        around[static_cast<std::size_t>(first + along * stride[Axes::along])] =
            state + model::populationIndex<typename Variant::Lattice>(
                        static_cast<std::uint32_t>(row[source.neighbour]), 0, source.local);
      }
    }
}

// Pulls direction i of all nodes into target[64], in one copy where the nodes of a row are
// contiguous.
template <class Variant, int i>
TESSERA_HOST_DEVICE void pullShifted(const Surroundings<Variant>& around,
                                     typename Variant::Storage* target) {
  using Storage = typename Variant::Storage;
  constexpr auto c = Variant::Lattice::c[i];
  // A step along x comes from another tile at one end, so only the rest can be contiguous.
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

// Values that pullRow reads: population i of the source along direction i.
struct PulledPopulation {
  static constexpr bool of(int i, int n) { return i == n; }
};

// Prefetches share k of `shares` of the lines.
template <class Variant, int shares>
TESSERA_HOST_DEVICE void prefetchSources(const NeighbourTiles<Variant>& neighbours, int k) {
  using Lattice = typename Variant::Lattice;
  static constexpr SourceLines<Lattice, Lattice::q, sizeof(typename Variant::Storage),
                               PulledPopulation>
      sources{};
  sources.template prefetch<shares>(k, [&](std::size_t n) { return neighbours[n]; });
}

// Nodes l .. l + width - 1 of a pulled tile, as one vector.
template <class Variant>
struct PulledNodes {
  using Precision = typename Variant::Precision;
  using Value = typename Vector<typename Variant::Real>::type;
  PulledTile<Variant>& tile;
  int l;

  template <int i>
  TESSERA_HOST_DEVICE Value gather() const {
    return loadVector<Precision>(&tile.f[i][l]);
  }
  template <int i>
  TESSERA_HOST_DEVICE void scatter(const Value& value) const {
    storeVector<Precision>(value, &tile.f[i][l]);
  }
};

// Streaming of a stepped tile from the cache to memory; none when `from` is null.
template <class Variant>
struct LeavingTile {
  const PulledTile<Variant>* from = nullptr;
  typename Variant::Storage* to = nullptr;

  // Streams share k of `shares`, in whole cache lines.
  template <int shares>
  TESSERA_HOST_DEVICE void send(int k) const {
    constexpr std::size_t bytes = sizeof(PulledTile<Variant>);
    constexpr std::size_t each = (bytes / 64 + shares - 1) / shares * 64;
    const std::size_t first = std::min(bytes, static_cast<std::size_t>(k) * each);
    if (from == nullptr) return;
    streamLines(reinterpret_cast<char*>(to) + first, reinterpret_cast<const char*>(from) + first,
                std::min(each, bytes - first));
  }
};

}  // namespace tessera::solver::backend
