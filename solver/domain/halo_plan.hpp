// SPDX-License-Identifier: GPL-3.0-or-later
// Planning of the halo: each rank lists the values its own nodes read of other ranks' tiles and
// requests them from the owners, once.
#pragma once

#include <cstdint>
#include <vector>

#include "solver/comm/ranks.hpp"
#include "solver/domain/domain.hpp"
#include "solver/domain/node_growth.hpp"
#include "solver/model/lattice_info.hpp"
#include "solver/tiles/rank_part.hpp"
#include "solver/tiles/tile_order.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::solver::domain {

// wanted: local indices, in any order, valuesOfNode x 64 per slot; those in slots of other ranks
// are exchanged. Collective.
HaloPlan planHalo(comm::Ranks& ranks, const tiles::RankPart& part, const tiles::TileOrder& order,
                  unsigned valuesOfNode, std::vector<std::uint64_t> wanted);

// Indices that a step of own nodes reads: populations of all tiles, or all moments of their nodes.
std::vector<std::uint64_t> readInStep(const tiles::TileOrder& order,
                                      const tiler::TiledGeometry& geometry,
                                      const model::LatticeInfo& lattice, unsigned stateValues,
                                      const Domain& domain);

// Indices in a state of all values of those of these nodes that are in other ranks' tiles.
std::vector<std::uint64_t> valuesOfOthers(const Domain& domain, const NodeGrowth::Bits& nodes,
                                          unsigned valuesOfNode);

// All moments of other ranks' nodes up to two links from own ones, which two steps of the tiles in
// one pass read; of D3Q19.
std::vector<std::uint64_t> readInTwoSteps(const tiles::TileOrder& order, unsigned stateValues,
                                          const Domain& domain);

}  // namespace tessera::solver::domain
