// SPDX-License-Identifier: GPL-3.0-or-later
// Tile arrangement as seen by kernels. AlignedTiling: neighbours are known at compile time up to
// their slot. ShiftedTiling: layers of tiles are shifted against each other on one axis and rows in
// them on another (tiler/tile_mesh.hpp), so that a neighbour's nodes are shifted too, by two bits
// for each of the two adjacent layers and the nine rows; these 22 bits are one entry of the
// neighbour table, so shifts cause no additional traffic.
#pragma once

#include <array>
#include <cstdint>

#include "solver/model/axes.hpp"
#include "solver/model/platform.hpp"

namespace tessera::solver::model {

struct AlignedTiling {
  static constexpr TilingId id = TilingId::Aligned;
  static constexpr bool isShifted = false;
};

struct ShiftedTiling {
  static constexpr TilingId id = TilingId::Shifted;
  static constexpr bool isShifted = true;
};

// Rows run along one axis, follow each other across another, and layers on the third.
template <int along_, int across_, int layers_>
struct ShiftAxes {
  static constexpr int along = along_;
  static constexpr int across = across_;
  static constexpr int layers = layers_;
};

// Calls function(ShiftAxes<...>{}) for axes known at run time.
template <class Function>
auto withShiftAxes(const std::array<int, 3>& axes, Function&& function) {
  switch (axes[0] + 3 * axes[1]) {
    case 1 + 3 * 0:
      return function(ShiftAxes<1, 0, 2>{});
    case 0 + 3 * 2:
      return function(ShiftAxes<0, 2, 1>{});
    case 2 + 3 * 0:
      return function(ShiftAxes<2, 0, 1>{});
    case 1 + 3 * 2:
      return function(ShiftAxes<1, 2, 0>{});
    case 2 + 3 * 1:
      return function(ShiftAxes<2, 1, 0>{});
    default:
      return function(ShiftAxes<0, 1, 2>{});
  }
}

// Bits of the shifts: layer -1 at 0, layer 1 at 2; row (across, layer) at rowShiftBit(across + 3 *
// layer), each of -1, 0, 1. A shift is the index of the tile's first node in the other layer or
// row, modulo 4.
TESSERA_HOST_DEVICE constexpr int layerShiftBit(int layer) {
  return layer < 0 ? 0 : 2;
}
TESSERA_HOST_DEVICE constexpr int rowShiftBit(int row) {
  return 2 * (row + 4) + 4;
}

// Node of a neighbouring tile: neighbour = 13 + along + 3 across + 9 layer of -1, 0, 1; unlike in
// the aligned tiling, not in x, y, z.
struct NeighbourNode {
  int neighbour;
  int local;
};

// Line of nodes along Axes::along in the layers and rows around a tile.
struct ShiftedLine {
  int row;    // across + 3 layer, of -1, 0, 1
  int start;  // the two other parts of its nodes' local index
  int shift;  // index of the tile's first node in its tiles, modulo 4
};

// across, layer: -1 .. 4, counted from the tile's first node.
template <class Axes>
TESSERA_HOST_DEVICE ShiftedLine shiftedLine(int across, int layer, std::uint32_t shifts) {
  const int layerStep = layer >> 2;
  const int layerShift =
      layerStep == 0 ? 0 : static_cast<int>(shifts >> layerShiftBit(layerStep) & 3U);
  const int there = across + layerShift;
  const int row = (there >> 2) + 3 * layerStep;
  return {row, (there & 3) << (2 * Axes::across) | (layer & 3) << (2 * Axes::layers),
          static_cast<int>(shifts >> rowShiftBit(row) & 3U)};
}

template <class Axes>
TESSERA_HOST_DEVICE NeighbourNode nodeOfLine(const ShiftedLine& row, int along) {
  const int there = along + row.shift;
  return {13 + (there >> 2) + 3 * row.row, row.start | (there & 3) << (2 * Axes::along)};
}

// x, y, z: -1 .. 4, counted from the tile's first node.
template <class Axes>
TESSERA_HOST_DEVICE NeighbourNode neighbourNode(int x, int y, int z, std::uint32_t shifts) {
  const int p[3] = {x, y, z};
  return nodeOfLine<Axes>(shiftedLine<Axes>(p[Axes::across], p[Axes::layers], shifts),
                          p[Axes::along]);
}

}  // namespace tessera::solver::model
