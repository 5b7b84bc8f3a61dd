// SPDX-License-Identifier: GPL-3.0-or-later
// What a tiling is worth: how full its tiles are, the sectors its populations take in each layout,
// and what other ways to store the same nodes would take.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tiler/analysis/overhead.hpp"
#include "tiler/analysis/transactions.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::tiler::analysis {

// All populations of a geometry in one assignment of layouts and one precision.
struct LayoutTraffic {
  const LayoutAssignment* layouts = nullptr;
  int valueBytes = 8;
  SectorCounts fullTile;  // among full tiles that are not shifted
  SectorCounts geometry;
};

struct TilingAnalysis {
  int dimensions = 3;
  std::uint64_t fluidNodes = 0;
  std::array<std::uint64_t, tileNodes> tilesByNodes{};  // [n - 1]: tiles with n non-solid nodes
  std::uint64_t allFluidTiles = 0;                      // flagged so: no link leaves
  // Of tiles in rows without the ghost buffers: a face there may lie between more tiles than two,
  // which the papers' model has not got.
  GeometryShares shares;
  bool inRows = false;
  std::vector<LayoutTraffic> traffic;  // 3D only: the layouts are for tiles of 4 x 4 x 4

  [[nodiscard]] int populations() const { return dimensions == 2 ? 9 : 19; }
  [[nodiscard]] StorageSizes sizes(int valueBytes) const {
    return {dimensions, populations(), valueBytes, 1, 4, dimensions == 2 ? 8 : 4};
  }
};

TilingAnalysis analyseTiling(const TiledGeometry& tiled);

// Sectors read and written for each non-solid node, in bytes.
double sectorBytesPerNode(const TilingAnalysis& analysis, const LayoutTraffic& traffic);

}  // namespace tessera::tiler::analysis
