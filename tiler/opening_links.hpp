// SPDX-License-Identifier: GPL-3.0-or-later
// Iteration over the links of a tiled geometry that leave the fluid, in file order.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "tiler/tiled_geometry.hpp"

namespace tessera::tiler {

// Calls visit(local, mask, firstLink) for each boundary node of tile t.
template <class Visit>
void forBoundaryNodes(const TiledGeometry& g, std::size_t t, Visit&& visit) {
  std::uint64_t link = g.linkStart[t];
  for (std::uint64_t k = g.boundaryStart[t]; k < g.boundaryStart[t + 1]; ++k) {
    visit(g.boundaryLocal[k], g.boundaryMask[k], link);
    link += static_cast<std::uint64_t>(std::popcount(g.boundaryMask[k]));
  }
}

// Links of a node that leave the fluid, also those to another fluid node with a wall between; none
// for a node without such links.
inline std::uint32_t linkMaskOf(const TiledGeometry& g, std::size_t t, int local) {
  const auto first = g.boundaryLocal.begin() + static_cast<std::ptrdiff_t>(g.boundaryStart[t]);
  const auto last = g.boundaryLocal.begin() + static_cast<std::ptrdiff_t>(g.boundaryStart[t + 1]);
  const auto at = std::lower_bound(first, last, local);
  if (at == last || *at != local) return 0;
  return g.boundaryMask[static_cast<std::size_t>(at - g.boundaryLocal.begin())];
}

// The same with the index of the node's first link in linkDistance and linkPatch.
struct NodeLinks {
  std::uint32_t mask = 0;
  std::uint64_t first = 0;
};
inline NodeLinks linksOf(const TiledGeometry& g, std::size_t t, int local) {
  NodeLinks links{0, g.linkStart[t]};
  for (std::uint64_t k = g.boundaryStart[t]; k < g.boundaryStart[t + 1]; ++k) {
    if (g.boundaryLocal[k] == local) return {g.boundaryMask[k], links.first};
    links.first += static_cast<std::uint64_t>(std::popcount(g.boundaryMask[k]));
  }
  return links;
}

// Directions of a node's links that leave through openings, and the id of one of these; none: 0.
struct NodeOpenings {
  std::uint32_t mask = 0;
  int id = 0;
};
inline NodeOpenings openingsOf(const TiledGeometry& g, std::size_t t, int local) {
  const NodeLinks links = linksOf(g, t, local);
  NodeOpenings openings;
  std::uint64_t link = links.first;
  for (std::uint32_t rest = links.mask; rest != 0; rest &= rest - 1, ++link)
    if (preprocess::geometry::isOpening(g.linkPatch[link])) {
      openings.mask |= rest & (~rest + 1);
      openings.id = preprocess::geometry::openingId(g.linkPatch[link]);
    }
  return openings;
}

// Index of a node's link in linkDistance and linkPatch by its direction (0..26).
inline std::uint64_t linkIndex(std::uint64_t first, std::uint32_t mask, int direction) {
  return first +
         static_cast<std::uint64_t>(std::popcount(mask & ((std::uint32_t{1} << direction) - 1)));
}

// A link that ends on a wall.
struct BoundaryLink {
  Int3 node{};
  int direction = 0;  // of the 26
  double distance = 0.0;
  preprocess::geometry::Patch patch = 0;

  // Intersection with the wall in lattice coordinates.
  [[nodiscard]] Double3 end() const {
    const Int3 step = preprocess::geometry::directionStep(direction);
    Double3 at{};
    for (std::size_t a = 0; a < 3; ++a) at[a] = node[a] + distance * step[a];
    return at;
  }
};

// Calls visit(BoundaryLink) for each link that ends on a wall.
template <class Visit>
void forWallLinks(const TiledGeometry& g, Visit&& visit) {
  for (std::size_t t = 0; t < g.tiles(); ++t)
    forBoundaryNodes(g, t, [&](std::uint8_t local, std::uint32_t mask, std::uint64_t first) {
      std::uint64_t link = first;
      for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1, ++link)
        if (!preprocess::geometry::isOpening(g.linkPatch[link]))
          visit(BoundaryLink{g.nodeOf(t, local), std::countr_zero(rest),
                             preprocess::geometry::distanceFromCode(g.linkDistance[link]),
                             g.linkPatch[link]});
    });
}

}  // namespace tessera::tiler
