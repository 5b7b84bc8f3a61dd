// SPDX-License-Identifier: GPL-3.0-or-later
// One layer of nodes of a tiled geometry, and the tiles it cuts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tiler/tiled_geometry.hpp"

namespace tessera::tiler::picture {

// Nodes with coordinate `at` on the axis.
struct SliceChoice {
  int axis = 2;
  int at = 0;
};

// "x=12", "y=0", "z=7"; nullopt for "auto". Throws StageError(Usage).
std::optional<SliceChoice> parseSlice(const std::string& text);

// Across the slowest axis of the tiles, in 2D z; the layer with the most non-solid nodes, of equals
// the lowest.
SliceChoice fullestSlice(const TiledGeometry& tiled);

// Throws StageError(Usage) when the layer lies outside the lattice.
void requireInside(const SliceChoice& choice, const TiledGeometry& tiled);

struct SlicedTile {
  int u = 0, v = 0;                // lattice coordinates of its first node on the axes of the slice
  int nodes = 0;                   // non-solid ones of all 64
  std::vector<std::uint8_t> type;  // nodeType by u, then v
};

struct TileSlice {
  SliceChoice choice;
  int axisU = 0, axisV = 1;      // the other two axes, the lower first
  int edgeU = 4, edgeV = 4;      // of a tile
  std::vector<SlicedTile> tile;  // by tile index
};

TileSlice sliceTiles(const TiledGeometry& tiled, const SliceChoice& choice);

}  // namespace tessera::tiler::picture
