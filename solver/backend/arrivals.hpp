// SPDX-License-Identifier: GPL-3.0-or-later
// How the CPU pulls the populations of a tile into a small array in cache, whole rows of a tile at
// a time, as they are stored; links that end on walls are mended there.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "solver/backend/pull_rows.hpp"
#include "solver/lattice/lattice.hpp"
#include "solver/state/populations.hpp"

namespace tessera {

// q x 64 populations of one tile, as they arrive; the step leaves its own in their place.
template <class Variant>
struct Arrivals {
  alignas(64) typename Variant::Storage f[Variant::q][64];
};

// Where the populations of the 27 tiles around a tile begin.
template <class Variant>
using NeighbourTiles = std::array<const typename Variant::Storage*, 27>;

template <class Variant>
TESSERA_ANY NeighbourTiles<Variant> neighboursOf(const typename Variant::Storage* state,
                                                 const std::int32_t* row) {
  NeighbourTiles<Variant> neighbours;
  for (std::size_t n = 0; n < 27; ++n)
    neighbours[n] = state + populationIndex<typename Variant::Lattice>(
                                static_cast<std::uint32_t>(row[n]), 0, 0);
  return neighbours;
}

// A row of a tile as one vector of its numbers' bits.
template <class Storage, int length>
struct TileRow {
  using Bits =
      std::conditional_t<sizeof(Storage) == 8, std::uint64_t,
                         std::conditional_t<sizeof(Storage) == 4, std::uint32_t, std::uint16_t>>;
  typedef Bits type __attribute__((vector_size(length * sizeof(Storage))));

  // Numbers first, first + 1, ... of a and b in a row. By reference: a row may be longer than the
  // vectors that functions return.
  template <int first, int... k>
  TESSERA_ANY static void join(const type& a, const type& b, type& row,
                               std::integer_sequence<int, k...>) {
    row = __builtin_shufflevector(a, b, (first + k)...);
  }
};

// Pulls row r = y + height * z of direction i from the row of the tile it comes from, shifted on x;
// all places are known at compile time.
template <class Variant, int i, int r>
TESSERA_ANY void pullRow(const NeighbourTiles<Variant>& neighbours, Arrivals<Variant>& arrivals) {
  using Lattice = typename Variant::Lattice;
  using Shape = TileShape<Lattice>;
  using Row = TileRow<typename Variant::Storage, Shape::x>;
  using All = std::make_integer_sequence<int, Shape::x>;
  constexpr auto c = Lattice::c[i];
  constexpr int sy = r % Shape::y - c[1];
  constexpr int sz = r / Shape::y - c[2];
  constexpr int n = 13 + 3 * (sy >> Shape::log2Y) + 9 * (sz >> Shape::log2Z);
  constexpr int start =
      64 * i + Shape::x * ((sy & (Shape::y - 1)) + Shape::y * (sz & (Shape::z - 1)));
  typename Row::type row, beside;
  std::memcpy(&row, neighbours[n] + start, sizeof(row));
  if constexpr (c[0] != 0) std::memcpy(&beside, neighbours[n - c[0]] + start, sizeof(beside));
  if constexpr (c[0] == 1) Row::template join<Shape::x - 1>(beside, row, row, All{});
  if constexpr (c[0] == -1) Row::template join<1>(row, beside, row, All{});
  std::memcpy(&arrivals.f[i][Shape::x * r], &row, sizeof(row));
}

// Bit of a link mask to the lattice direction that leaves through it; 0 for none.
template <class Lattice>
constexpr std::array<std::uint8_t, 27> directionsOfBits() {
  std::array<std::uint8_t, 27> directions{};
  for (int i = 1; i < Lattice::q; ++i)
    directions[static_cast<std::size_t>(linkBit<Lattice>(i))] = static_cast<std::uint8_t>(i);
  return directions;
}

// Halfway bounce-back where a link ends on a wall; solid nodes rest.
template <class Variant>
void mendWalls(const typename Variant::Storage* own, const std::uint32_t* masks,
               Arrivals<Variant>& arrivals) {
  using Lattice = typename Variant::Lattice;
  static constexpr auto directions = directionsOfBits<Lattice>();
  for (int l = 0; l < 64; ++l) {
    if ((masks[l] >> solidBit & 1U) != 0) {
      for (auto& population : arrivals.f) population[l] = typename Variant::Storage{};
      continue;
    }
    for (std::uint32_t rest = masks[l]; rest != 0; rest &= rest - 1) {
      const int out = directions[static_cast<std::size_t>(std::countr_zero(rest))];
      arrivals.f[opposite(out)][l] = own[64 * out + l];
    }
  }
}

}  // namespace tessera
