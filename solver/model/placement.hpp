// SPDX-License-Identifier: GPL-3.0-or-later
// Tile arrangement as seen by kernels. OneMesh (aligned tiling): neighbours are known at compile
// time up to their slot. InRows (shifted tiling): layers of tiles are shifted against each other on
// one axis and rows in them on another (tiler/tile_mesh.hpp), so that a neighbour's nodes are
// shifted too, by two bits for each of the two layers next to the tile's and each of the nine rows
// around it; these 22 bits are one number of the tile's row, so rows cost no traffic of their own.
#pragma once

#include <array>
#include <cstdint>

#include "solver/model/axes.hpp"
#include "solver/model/platform.hpp"

namespace tessera::solver::model {

struct OneMesh {
  static constexpr TilingId id = TilingId::Aligned;
  static constexpr bool inRows = false;
};

struct InRows {
  static constexpr TilingId id = TilingId::Shifted;
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

// A row of nodes along Axes::along in the layers and rows around a tile.
struct ShiftedRow {
  int row;    // across + 3 layer, of -1, 0, 1
  int start;  // the two other parts of its nodes' local number
  int shift;  // what its tiles count the tile's first node as
};

// across, layer: -1 .. 4, counted from the tile's first node.
template <class Axes>
TESSERA_ANY ShiftedRow shiftedRow(int across, int layer, std::uint32_t shifts) {
  const int layerStep = layer >> 2;
  const int layerShift =
      layerStep == 0 ? 0 : static_cast<int>(shifts >> layerShiftBit(layerStep) & 3U);
  const int there = across + layerShift;
  const int row = (there >> 2) + 3 * layerStep;
  return {row, (there & 3) << (2 * Axes::across) | (layer & 3) << (2 * Axes::layers),
          static_cast<int>(shifts >> rowShiftBit(row) & 3U)};
}

template <class Axes>
TESSERA_ANY RowSource inShiftedRow(const ShiftedRow& row, int along) {
  const int there = along + row.shift;
  return {13 + (there >> 2) + 3 * row.row, row.start | (there & 3) << (2 * Axes::along)};
}

// x, y, z: -1 .. 4, counted from the tile's first node.
template <class Axes>
TESSERA_ANY RowSource rowSource(int x, int y, int z, std::uint32_t shifts) {
  const int p[3] = {x, y, z};
  return inShiftedRow<Axes>(shiftedRow<Axes>(p[Axes::across], p[Axes::layers], shifts),
                            p[Axes::along]);
}

}  // namespace tessera::solver::model
