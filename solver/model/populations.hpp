// SPDX-License-Identifier: GPL-3.0-or-later
// Index of population i of local node l of the tile in slot s: tile after tile, within a tile
// direction after direction, the 64 nodes of one direction together (the XYZ layout of Tomczak &
// Szafran 2017). 64-bit, so right beyond 2^32 elements.
#pragma once

#include <cstddef>
#include <cstdint>

#include "solver/model/axes.hpp"
#include "solver/model/concepts.hpp"
#include "solver/model/lattice/lattice.hpp"

namespace tessera::solver::model {

template <LatticeModel Lattice>
TESSERA_HOST_DEVICE constexpr std::uint64_t populationIndex(std::uint32_t slot, int i, int l) {
  return (static_cast<std::uint64_t>(slot) * Lattice::q + static_cast<unsigned>(i)) * 64U +
         static_cast<unsigned>(l);
}

// Whether populations lie in XYZ order, one direction's 64 nodes after the other's, which
// vectorised kernels rely on. Lattices of trials have other layouts.
template <class Lattice>
constexpr bool xyzLayout = [] {
  for (int i = 0; i < Lattice::q; ++i)
    for (int l = 0; l < 64; ++l)
      if (populationIndex<Lattice>(0, i, l) !=
          static_cast<std::uint64_t>(i) * 64U + static_cast<unsigned>(l))
        return false;
  return true;
}();

// The populations of a node, q values.
struct PopulationState {
  static constexpr StateId id = StateId::Populations;
  template <LatticeModel Lattice>
  static constexpr unsigned values() {
    return Lattice::q;
  }
  template <LatticeModel Lattice, PrecisionModel Precision>
  static constexpr unsigned words() requires(Precision::id != PrecisionId::M32F16) {
    return Lattice::q;
  }
  template <LatticeModel Lattice, class Collision, EquilibriumModel Equilibrium>
  static constexpr int flops() {
    return Collision::template flops<Lattice, Equilibrium>();
  }
  template <LatticeModel Lattice>
  TESSERA_HOST_DEVICE static constexpr std::uint64_t index(std::uint32_t slot, int value,
                                                           int local) {
    return populationIndex<Lattice>(slot, value, local);
  }
};

// Neighbour table: 32 entries per slot. Entries 0 .. 26: slots of the neighbours (direction index
// of preprocess/geometry/lattice_geometry.hpp; 13 is the slot itself, which also replaces missing
// neighbours, whose links are all masked); maskEntry: index of the tile's 64 masks, or -1;
// shiftEntry: shifts of the shifted tiling (solver/model/tiling.hpp).
constexpr int neighbourStride = 32;
constexpr int maskEntry = 27;
constexpr int shiftEntry = 28;
// Mask of a node: this bit marks a solid node, the other bits 0 .. 26 its wall links.
constexpr int solidBit = 13;
// Set by a scheme in its own copy of the masks: the node is stepped separately from its tile.
constexpr int separateBit = 27;
constexpr int separateOfTwoBit = 28;  // the same in passes of two steps

}  // namespace tessera::solver::model
