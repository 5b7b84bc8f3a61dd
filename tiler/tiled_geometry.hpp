// SPDX-License-Identifier: GPL-3.0-or-later
// A geometry covered with tiles of 64 nodes, after Tomczak & Szafran 2017 (tileMap, nonEmptyTiles,
// nodeType), with boundary nodes and links in tile order.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "preprocess/geometry/lattice_geometry.hpp"
#include "tiler/tile_mesh.hpp"

namespace tessera::tiler {

constexpr int tileNodes = 64;

// Bits of tileFlags.
constexpr std::uint8_t tileAllFluid = 1;  // 64 non-solid nodes without a link that leaves the fluid
constexpr std::uint8_t tileHasOpening = 2;  // at least one link ends on an opening

// The mesh locates nodes; tiles are 4 x 4 x 4 nodes, in 2D 8 x 8 x 1.
struct TiledGeometry : TileMesh {
  int dimensions = 3;
  preprocess::geometry::Frame frame;  // node (0, 0, 0) is the lattice's, not the first tile's
  std::array<bool, 3> periodic{false, false, false};
  int slowestAxis = 2;  // of the canonical order

  // Tile indices in the canonical order: row-major with the longest axis of the grid slowest (the
  // others keep x before y before z, the lower axis fastest). Ties: the higher axis is slowest.
  std::vector<std::int32_t> tileMap;                       // grid x fastest, then y, z; -1: empty
  std::vector<std::array<std::int32_t, 3>> nonEmptyTiles;  // position in the grid of each tile
  std::vector<std::uint8_t> nodeType;   // 64 per tile, local node = x + tileSize[0] * (y + ...)
  std::vector<std::uint8_t> tileFlags;  // one per tile

  // Boundary nodes of tile t are boundaryStart[t] .. boundaryStart[t + 1], by ascending local node;
  // links as in BoundaryNodes.
  std::vector<std::uint64_t> boundaryStart;  // tiles + 1
  std::vector<std::uint8_t> boundaryLocal;   // local node
  std::vector<std::uint32_t> boundaryMask;
  std::vector<std::uint32_t> boundaryNormal;
  std::vector<std::uint64_t> linkStart;  // tiles + 1: first link of each tile
  std::vector<std::uint16_t> linkDistance;
  std::vector<preprocess::geometry::Patch> linkPatch;

  preprocess::geometry::Surface surface;
  std::uint64_t cutLinks = 0;  // links between two fluid nodes that a wall crosses
  std::vector<preprocess::geometry::Opening> openings;
  std::vector<preprocess::geometry::Throat> throats;
  std::string throatsNotSearched;  // the reason why some or all are missing, or empty
  std::vector<std::string> wallNames;
  std::uint64_t fluidNodes = 0;

  [[nodiscard]] std::size_t tiles() const { return nonEmptyTiles.size(); }
  // Whole geometry only: a rank's part has the fluidNodes of the whole.
  [[nodiscard]] double utilisation() const {
    return static_cast<double>(fluidNodes) / (64.0 * static_cast<double>(tiles()));
  }
  // Lattice position of local node l of tile t; outside the box only for solid nodes.
  [[nodiscard]] Int3 nodeOf(std::size_t t, int l) const {
    const Int3 corner = cornerOf(nonEmptyTiles[t]);
    return {corner[0] + l % tileSize[0], corner[1] + l / tileSize[0] % tileSize[1],
            corner[2] + l / (tileSize[0] * tileSize[1])};
  }
  // Tile index at a position in the grid, -1 outside or empty.
  [[nodiscard]] std::int32_t tileAt(int gx, int gy, int gz) const {
    if (gx < 0 || gy < 0 || gz < 0 || gx >= grid[0] || gy >= grid[1] || gz >= grid[2]) return -1;
    return tileMap[position(gx, gy, gz)];
  }
};

}  // namespace tessera::tiler
