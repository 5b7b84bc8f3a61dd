// SPDX-License-Identifier: GPL-3.0-or-later
// Finds what crosses between ranks: each rank lists what its own nodes read of other ranks' tiles
// and asks the owners for it, once.
#pragma once

#include "solver/domain/domain.hpp"
#include "solver/model/lattice_info.hpp"

namespace tessera::solver::domain {

// wanted: indices of numbers here, in any order, valuesOfNode x 64 a slot; those that lie in slots
// of other ranks are exchanged. Collective.
HaloPlan planHalo(comm::Ranks& ranks, const tiles::RankPart& part, const tiles::TileOrder& order,
                  unsigned valuesOfNode, std::vector<std::uint64_t> wanted);

// What a step of own nodes reads: indices of populations of all tiles, or, of a state of moments,
// of all moments of their nodes.
std::vector<std::uint64_t> readInStep(const tiles::TileOrder& order,
                                      const tiler::TiledGeometry& geometry,
                                      const model::LatticeInfo& lattice, unsigned stateValues,
                                      const Domain& domain);

}  // namespace tessera::solver::domain
