// SPDX-License-Identifier: GPL-3.0-or-later
#include "tiler/neighbour_tiles.hpp"

#include <tbb/parallel_for.h>

namespace tessera {

namespace {

// Position of a neighbour on one axis; -1 outside.
int wrapped(int at, int tiles, bool wraps) {
  if (at >= 0 && at < tiles) return at;
  return wraps ? (at + tiles) % tiles : -1;
}

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
    for (int n = 0; n < 27; ++n) {
      const Int3 step = directionStep(n);
      around.tile[t][static_cast<std::size_t>(n)] =
          tiled.tileAt(wrapped(here[0] + step[0], tiled.grid[0], wraps[0]),
                       wrapped(here[1] + step[1], tiled.grid[1], wraps[1]),
                       wrapped(here[2] + step[2], tiled.grid[2], wraps[2]));
    }
  });
  for (std::size_t t = 0; t < tiled.tiles(); ++t) {
    std::uint64_t everywhere = ~std::uint64_t{0};
    for (int n = 0; n < 27 && ~everywhere == 0; ++n) everywhere &= around.maskOf(t, n);
    if (~everywhere != 0) around.border.push_back(t);
  }
  return around;
}

}  // namespace tessera
