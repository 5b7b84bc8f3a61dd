// SPDX-License-Identifier: GPL-3.0-or-later
// Picture of a slice through the tiles: solid, fluid and boundary nodes with tile edges, and the
// utilisation of each tile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pipelines/picture/image.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::tiler::picture {

// One layer of nodes: coordinate `at` on the axis.
struct SliceChoice {
  int axis = 2;
  int at = 0;
};

// "x=12", "y=0", "z=7"; nullopt for "auto". Throws StageError(Usage).
std::optional<SliceChoice> parseSlice(const std::string& text);

// Layer with the most non-solid nodes across the slowest axis of the tiles (in 2D z); the lowest of
// equals.
SliceChoice fullestSlice(const TiledGeometry& tiled);

// Throws StageError(Usage) if the layer lies outside the lattice.
void requireInside(const SliceChoice& choice, const TiledGeometry& tiled);

struct SlicedTile {
  int u = 0, v = 0;                // first node on the axes of the slice
  int nodes = 0;                   // non-solid nodes of all 64
  std::vector<std::uint8_t> type;  // nodeType by u, then v
};

struct TileSlice {
  SliceChoice choice;
  int axisU = 0, axisV = 1;      // the other two axes, the lower first
  int edgeU = 4, edgeV = 4;      // tile edges
  std::vector<SlicedTile> tile;  // by tile index
};

TileSlice sliceTiles(const TiledGeometry& tiled, const SliceChoice& choice);

// subtitle: such as the file's name and the total utilisation.
tessera::picture::Image drawTiles(const TileSlice& slice, const std::string& subtitle);

}  // namespace tessera::tiler::picture
