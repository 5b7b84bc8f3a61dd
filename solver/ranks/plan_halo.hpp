// SPDX-License-Identifier: GPL-3.0-or-later
// Finds what crosses between ranks: each rank lists what its own nodes read of other ranks' tiles
// and asks the owners for it, once.
#pragma once

#include "solver/backend/backend.hpp"
#include "solver/registry.hpp"

namespace tessera {

// wanted: indices of numbers here, in any order, valuesOfNode x 64 a slot; those that lie in slots
// of other ranks are exchanged. Collective.
HaloPlan planHalo(Ranks& ranks, const RankPart& part, const TileOrder& order, unsigned valuesOfNode,
                  std::vector<std::uint64_t> wanted);

// What a step of own nodes reads: indices of populations of all tiles, or, of a state of moments,
// of all moments of their nodes.
std::vector<std::uint64_t> readInStep(const TileOrder& order, const TiledGeometry& geometry,
                                      const VariantInfo& variant, const Domain& domain);

}  // namespace tessera
