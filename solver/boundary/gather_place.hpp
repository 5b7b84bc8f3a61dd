// SPDX-License-Identifier: GPL-3.0-or-later
// Location of populations in the state, and the one that the gather of a node reads.
#pragma once

#include "solver/model/lattice_info.hpp"
#include "solver/tiles/tile_order.hpp"

namespace tessera::solver::boundary {

// A population of a node in the solver's order.
struct PopulationPlace {
  std::uint32_t slot = 0;
  std::uint8_t local = 0;
  std::uint8_t direction = 0;
};

// Index in a state of populations.
std::uint64_t indexOfPopulation(const PopulationPlace& place, const model::LatticeInfo& info);

// Location that the step gathers population i of a node from, walls and openings aside.
PopulationPlace gatherPlace(const tiles::TileOrder& order, const tiler::TiledGeometry& geometry,
                            std::uint32_t slot, int local, int i, const model::LatticeInfo& info);

}  // namespace tessera::solver::boundary
