// SPDX-License-Identifier: GPL-3.0-or-later
// How tiles lie, as far as a kernel cares. OneMesh: neighbours are known at compile time up to
// their slot. InRows: layers of tiles are shifted against each other on one axis and rows in them
// on another (tiler/tile_mesh.hpp), so that a neighbour's nodes are shifted too, by two bits for
// each of the two layers next to the tile's and each of the nine rows around it; these 22 bits are
// one number of the tile's row, so rows cost no traffic of their own.
#pragma once

#include <array>
#include <cstdint>

#include "solver/platform.hpp"

namespace tessera {

struct OneMesh {
  static constexpr const char* name = "global";
  static constexpr bool inRows = false;
};

struct InRows {
  static constexpr const char* name = "rows";
  static constexpr bool inRows = true;
};

// Rows run along one axis, follow each other across another, and layers on the third.
template <int along_, int across_, int layers_>
struct RowAxes {
  static constexpr int along = along_;
  static constexpr int across = across_;
  static constexpr int layers = layers_;
};

// Calls function(RowAxes<...>{}) for axes known at run time.
template <class Function>
auto withRowAxes(const std::array<int, 3>& axes, Function&& function) {
  switch (axes[0] + 3 * axes[1]) {
    case 1 + 3 * 0:
      return function(RowAxes<1, 0, 2>{});
    case 0 + 3 * 2:
      return function(RowAxes<0, 2, 1>{});
    case 2 + 3 * 0:
      return function(RowAxes<2, 0, 1>{});
    case 1 + 3 * 2:
      return function(RowAxes<1, 2, 0>{});
    case 2 + 3 * 1:
      return function(RowAxes<2, 1, 0>{});
    default:
      return function(RowAxes<0, 1, 2>{});
  }
}

// Bits of the shifts: of layer -1 at 0, of layer 1 at 2; of row (across, layer) at
// rowShiftBit(across + 3 * layer), each of -1, 0, 1. A shift is what the other layer or row counts
// the tile's first node as, beyond a multiple of 4.
TESSERA_ANY constexpr int layerShiftBit(int layer) {
  return layer < 0 ? 0 : 2;
}
TESSERA_ANY constexpr int rowShiftBit(int row) {
  return 2 * (row + 4) + 4;
}

// A node in one of the tiles around: neighbour = 13 + along + 3 across + 9 layer of -1, 0, 1, not
// in x, y, z as of one mesh.
struct RowSource {
  int neighbour;
  int local;
};

// x, y, z: -1 .. 4, counted from the tile's first node.
template <class Axes>
TESSERA_ANY RowSource rowSource(int x, int y, int z, std::uint32_t shifts) {
  const int p[3] = {x, y, z};
  const int layer = p[Axes::layers] >> 2;
  const int layerShift = layer == 0 ? 0 : static_cast<int>(shifts >> layerShiftBit(layer) & 3U);
  const int across = p[Axes::across] + layerShift;
  const int row = (across >> 2) + 3 * layer;
  const int along = p[Axes::along] + static_cast<int>(shifts >> rowShiftBit(row) & 3U);
  return {13 + (along >> 2) + 3 * row, (along & 3) << (2 * Axes::along) |
                                           (across & 3) << (2 * Axes::across) |
                                           (p[Axes::layers] & 3) << (2 * Axes::layers)};
}

}  // namespace tessera
