// SPDX-License-Identifier: GPL-3.0-or-later
#include "tiler/neighbour_tiles.hpp"

#include <tbb/parallel_for.h>

namespace tessera::tiler {

namespace {

std::uint64_t maskOfTypes(const std::uint8_t* type) {
  std::uint64_t mask = 0;
  for (int l = 0; l < tileNodes; ++l) mask |= std::uint64_t{type[l] != 0} << l;
  return mask;
}

}  // namespace

TileNeighbourhood neighboursOfTiles(const TiledGeometry& tiled) {
  std::array<bool, 3> wraps{};
  for (std::size_t a = 0; a < 3; ++a)
    wraps[a] = tiled.periodic[a] && tiled.offset[a] == 0 &&
               tiled.nodes[a] == tiled.grid[a] * tiled.tileSize[a];
  TileNeighbourhood around;
  around.mask.resize(tiled.tiles());
  around.tile.resize(tiled.tiles());
  tbb::parallel_for(std::size_t{0}, tiled.tiles(), [&](std::size_t t) {
    around.mask[t] = maskOfTypes(tiled.nodeType.data() + t * tileNodes);
    const Int3& here = tiled.nonEmptyTiles[t];
    for (const auto& [n, step] : preprocess::geometry::neighbourhood) {
      Int3 at = here + step;
      around.tile[t][static_cast<std::size_t>(n)] =
          preprocess::geometry::wrapInto(tiled.grid, wraps, at) ? tiled.tileAt(at[0], at[1], at[2])
                                                                : -1;
    }
  });
  for (std::size_t t = 0; t < tiled.tiles(); ++t) {
    std::uint64_t everywhere = ~std::uint64_t{0};
    for (const preprocess::geometry::Neighbour& next : preprocess::geometry::neighbourhood)
      everywhere &= around.maskOf(t, next.n);
    if (~everywhere != 0) around.border.push_back(t);
  }
  return around;
}

}  // namespace tessera::tiler
