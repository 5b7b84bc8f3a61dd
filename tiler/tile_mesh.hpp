// SPDX-License-Identifier: GPL-3.0-or-later
// Arrangement of tiles over a lattice: aligned (one mesh) or, beyond Algorithm 1 of Tomczak &
// Szafran 2017, shifted: layers of tiles are shifted on a second axis, and the rows in each layer
// on a third. A tile still meets at most three layers, three rows of each and three tiles of each
// row, so 27 neighbours and their shifts locate all nodes around it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "preprocess/geometry/frame.hpp"

namespace tessera::tiler {

// Rows of tiles run along axes[0], are stacked along axes[1] within a layer, and layers along
// axes[2]. Offsets are solid node layers before node 0, less than a tile; empty: aligned tiling.
struct RowOffsets {
  std::array<int, 3> axes{0, 1, 2};
  std::vector<std::uint8_t> layer;  // on axes[1], one per layer
  std::vector<std::uint8_t> row;    // on axes[0], row fastest, then layer
};

// Location of a node: grid position of its tile and local node.
struct TilePlace {
  Int3 tile{0, 0, 0};
  int local = 0;
};

struct TileMesh {
  Int3 nodes{0, 0, 0};  // size of the lattice
  Int3 tileSize{4, 4, 4};
  // Solid node layers before node 0: node x lies in tile (x + offset) / tileSize. In a shifted
  // tiling only the offset of axes[2] is common; the others are 0.
  Int3 offset{0, 0, 0};
  Int3 grid{0, 0, 0};  // tiles on x, y, z
  RowOffsets rows;

  [[nodiscard]] bool isShifted() const { return !rows.layer.empty(); }
  [[nodiscard]] std::size_t positions() const {
    return static_cast<std::size_t>(grid[0]) * static_cast<std::size_t>(grid[1]) *
           static_cast<std::size_t>(grid[2]);
  }
  // Index of a grid position: x fastest, then y, z.
  [[nodiscard]] std::size_t position(int x, int y, int z) const {
    return static_cast<std::size_t>(x) +
           static_cast<std::size_t>(grid[0]) *
               (static_cast<std::size_t>(y) +
                static_cast<std::size_t>(grid[1]) * static_cast<std::size_t>(z));
  }

  // Offsets; 0 for layers and rows outside the mesh.
  [[nodiscard]] int layerOffset(int layer) const {
    const bool known = layer >= 0 && layer < grid[axis(2)];
    return known ? rows.layer[static_cast<std::size_t>(layer)] : 0;
  }
  [[nodiscard]] int rowOffset(int row, int layer) const {
    if (layer < 0 || layer >= grid[axis(2)] || row < 0 || row >= grid[axis(1)]) return 0;
    return rows.row[static_cast<std::size_t>(row) +
                    static_cast<std::size_t>(grid[axis(1)]) * static_cast<std::size_t>(layer)];
  }
  // Lattice position of a tile's local node 0, which may lie outside the box.
  [[nodiscard]] Int3 cornerOf(const Int3& tile) const {
    Int3 shift = offset;
    if (isShifted()) {
      shift[axis(1)] = layerOffset(tile[axis(2)]);
      shift[axis(0)] = rowOffset(tile[axis(1)], tile[axis(2)]);
    }
    return {tile[0] * tileSize[0] - shift[0], tile[1] * tileSize[1] - shift[1],
            tile[2] * tileSize[2] - shift[2]};
  }
  // Location of a node, also outside the box.
  [[nodiscard]] TilePlace placeOf(const Int3& node) const {
    TilePlace place;
    Int3 in{0, 0, 0};
    const auto cut = [&](std::size_t a, int shift) {
      const int at = node[a] + shift;
      place.tile[a] = at >= 0 ? at / tileSize[a] : -((tileSize[a] - 1 - at) / tileSize[a]);
      in[a] = at - place.tile[a] * tileSize[a];
    };
    if (isShifted()) {
      cut(axis(2), offset[axis(2)]);
      cut(axis(1), layerOffset(place.tile[axis(2)]));
      cut(axis(0), rowOffset(place.tile[axis(1)], place.tile[axis(2)]));
    } else {
      for (std::size_t a = 0; a < 3; ++a) cut(a, offset[a]);
    }
    place.local = in[0] + tileSize[0] * (in[1] + tileSize[1] * in[2]);
    return place;
  }

 private:
  [[nodiscard]] std::size_t axis(std::size_t k) const {
    return static_cast<std::size_t>(rows.axes[k]);
  }
};

// Aligned tiling of the whole lattice.
TileMesh tileMesh(const Int3& nodes, const Int3& tileSize, const Int3& offset);

// Grid of a shifted tiling of 4 x 4 x 4 tiles, with room for any shift. layersOffset: on axes[2].
Int3 rowGrid(const Int3& nodes, const std::array<int, 3>& axes, int layersOffset);
// Shifted tiling with all layer and row offsets 0.
TileMesh rowMesh(const Int3& nodes, const std::array<int, 3>& axes, int layersOffset);

// Slowest axis of the canonical order: the longest of the grid, the higher of equals.
int slowestAxisOf(const Int3& grid);

}  // namespace tessera::tiler
