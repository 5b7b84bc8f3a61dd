// SPDX-License-Identifier: GPL-3.0-or-later
// From a lattice position to the node's place in the fields, by the tileMap of Tomczak & Szafran
// 2017: one look-up for the tile, one popcount within it.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "tiler/tiled_geometry.hpp"

namespace tessera::postprocess::fields {

struct NodeLookup {
  explicit NodeLookup(const tiler::TiledGeometry& covered);

  // Index into Fields::pressure and its companions; -1 for solid nodes and outside the box. Wraps
  // round on periodic axes.
  [[nodiscard]] std::int64_t indexOf(Int3 node) const;

  const tiler::TiledGeometry& geometry;  // must outlive the look-up
  std::vector<std::uint64_t> mask;       // one a tile: bit l is set where local node l is not solid
  std::vector<std::uint64_t> first;      // one a tile: index of its first node
};

// Calls visit(tile, local node, index in the fields) for every non-solid node in the fields' order.
template <class Visit>
void forEachNode(const NodeLookup& lookup, Visit&& visit) {
  for (std::size_t t = 0; t < lookup.mask.size(); ++t) {
    std::uint64_t index = lookup.first[t];
    for (std::uint64_t rest = lookup.mask[t]; rest != 0; rest &= rest - 1)
      visit(t, std::countr_zero(rest), index++);
  }
}

}  // namespace tessera::postprocess::fields
