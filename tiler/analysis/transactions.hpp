// SPDX-License-Identifier: GPL-3.0-or-later
// Memory transactions of 32 bytes that a pull propagation needs with a layout of the tiles: the
// analysis of section 3.2 of Tomczak & Szafran, Comput. Phys. Commun. 235 (2019), arXiv:1611.02445,
// for any layout of the table, for a full tile and for a geometry.
#pragma once

#include <cstdint>

#include "preprocess/geometry/frame.hpp"
#include "tiler/analysis/layouts.hpp"
#include "tiler/neighbour_tiles.hpp"

namespace tessera::tiler::analysis {

constexpr int sectorBytes = 32;
constexpr int warpNodes = 32;  // nodes of a tile whose reads are merged: half of its layers

// Of one population or of several. A value is read when both its node and the node it moves to are
// non-solid, and written for every non-solid node.
struct SectorCounts {
  std::uint64_t requested = 0;  // different sectors of each warp's read, summed over the warps
  std::uint64_t read = 0;       // different sectors read by any warp: what no cache can save
  std::uint64_t written = 0;
  SectorCounts& operator+=(const SectorCounts& other) {
    requested += other.requested;
    read += other.read;
    written += other.written;
    return *this;
  }
  friend bool operator==(const SectorCounts&, const SectorCounts&) = default;
};

// One population that moves along a direction, in a full tile among full tiles. bytes: of a value
// (2, 4 or 8).
SectorCounts sectorsOfFullTile(const TileLayout& layout, int direction, int bytes);
// All populations of a lattice with so many of them.
SectorCounts sectorsOfFullTile(const LayoutAssignment& assignment, int populations, int bytes);

// One population over all tiles of a geometry in 3D; tiles among copies of a periodic axis that
// whole tiles do not fill count without these.
SectorCounts sectorsOfGeometry(const TileNeighbourhood& around, const TileLayout& layout,
                               int direction, int bytes);

}  // namespace tessera::tiler::analysis
