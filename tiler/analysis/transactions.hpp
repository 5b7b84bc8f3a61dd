// SPDX-License-Identifier: GPL-3.0-or-later
// Memory transactions of 32 bytes that pull propagation needs with a layout of tiles: the analysis
// of section 3.2 of Tomczak & Szafran, Comput. Phys. Commun. 235 (2019), arXiv:1611.02445, for any
// layout, for a full tile and for a geometry.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "preprocess/geometry/frame.hpp"
#include "tiler/analysis/layouts.hpp"
#include "tiler/neighbour_tiles.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::tiler::analysis {

constexpr int sectorBytes = 32;
constexpr int warpNodes = 32;  // nodes of a tile with coalesced reads: half of its layers

// Sectors of one or several populations. A value is read if its node and the node it moves to are
// non-solid, and written for every non-solid node.
struct SectorCounts {
  std::uint64_t requested = 0;  // distinct sectors read by each warp, summed over warps
  std::uint64_t read = 0;       // distinct sectors read by any warp: the minimum with a cache
  std::uint64_t written = 0;
  SectorCounts& operator+=(const SectorCounts& other) {
    requested += other.requested;
    read += other.read;
    written += other.written;
    return *this;
  }
  friend bool operator==(const SectorCounts&, const SectorCounts&) = default;
};

// One population along a direction, in a full tile among full tiles. bytes per value: 2, 4 or 8.
SectorCounts sectorsOfFullTile(const TileLayout& layout, int direction, int bytes);
// All populations of a lattice.
SectorCounts sectorsOfFullTile(const LayoutAssignment& assignment, int populations, int bytes);

// One population over all tiles of an aligned 3D tiling; copies across a periodic axis count only
// if whole tiles fill it.
SectorCounts sectorsOfGeometry(const TileNeighbourhood& around, const TileLayout& layout,
                               int direction, int bytes);

// One population in a layout. bytes per value: 2, 4 or 8.
struct PopulationLayout {
  const TileLayout* layout = nullptr;
  int direction = preprocess::geometry::restDirection;
  int bytes = 8;
};

// Sectors of each of these over all tiles of a shifted tiling, whose neighbours are shifted
// differently from tile to tile; without copies across periodic faces.
std::vector<SectorCounts> sectorsInRows(const TiledGeometry& tiled,
                                        std::span<const PopulationLayout> populations);

}  // namespace tessera::tiler::analysis
