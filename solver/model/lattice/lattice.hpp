// SPDX-License-Identifier: GPL-3.0-or-later
// Weights, opposites, link bits and tile shape of a lattice, from its table at compile time.
#pragma once

#include <array>
#include <cstddef>

#include "solver/model/concepts.hpp"
#include "solver/model/lattice/d2q9.hpp"
#include "solver/model/lattice/d3q19.hpp"
#include "solver/model/lattice/d3q27.hpp"
#include "solver/model/lattice/for_each.hpp"

namespace tessera::solver::model {

constexpr int opposite(int i) {
  return i == 0 ? 0 : (i % 2 == 1 ? i + 1 : i - 1);
}

template <LatticeModel Lattice>
constexpr double weight(int i) {
  int length = 0;
  for (int component : Lattice::c[static_cast<std::size_t>(i)]) length += component * component;
  return Lattice::weightByLength[static_cast<std::size_t>(length)];
}

// Bit of direction i in the 27-bit link masks (preprocess/geometry/lattice_geometry.hpp).
template <LatticeModel Lattice>
constexpr int linkBit(int i) {
  const auto& c = Lattice::c[static_cast<std::size_t>(i)];
  return c[0] + 1 + 3 * (c[1] + 1) + 9 * (c[2] + 1);
}

// Edge lengths of a tile as powers of two: 4 x 4 x 4, in 2D 8 x 8 x 1.
template <LatticeModel Lattice>
struct TileShape {
  static constexpr int log2X = Lattice::dimensions == 3 ? 2 : 3;
  static constexpr int log2Y = log2X;
  static constexpr int log2Z = Lattice::dimensions == 3 ? 2 : 0;
  static constexpr int x = 1 << log2X;
  static constexpr int y = 1 << log2Y;
  static constexpr int z = 1 << log2Z;
};

template <LatticeModel Lattice>
constexpr bool tableIsALattice() {
  double sum = 0.0;
  double second = 0.0;
  for (int i = 0; i < Lattice::q; ++i) {
    const auto& c = Lattice::c[static_cast<std::size_t>(i)];
    const auto& o = Lattice::c[static_cast<std::size_t>(opposite(i))];
    for (std::size_t a = 0; a < 3; ++a)
      if (c[a] != -o[a]) return false;
    sum += weight<Lattice>(i);
    second += weight<Lattice>(i) * c[0] * c[0];
  }
  const double error = (sum - 1.0) * (sum - 1.0) + (second - 1.0 / 3.0) * (second - 1.0 / 3.0);
  return error < 1e-28;
}
static_assert(tableIsALattice<D2Q9>(), "weights or opposites of D2Q9 are wrong");
static_assert(tableIsALattice<D3Q19>(), "weights or opposites of D3Q19 are wrong");
static_assert(tableIsALattice<D3Q27>(), "weights or opposites of D3Q27 are wrong");

// The direction with these components, at compile time; -1 where there is none.
template <LatticeModel Lattice>
constexpr int directionIndex(int cx, int cy, int cz) {
  for (int i = 0; i < Lattice::q; ++i) {
    const auto& c = Lattice::c[static_cast<std::size_t>(i)];
    if (c[0] == cx && c[1] == cy && c[2] == cz) return i;
  }
  return -1;
}

}  // namespace tessera::solver::model
