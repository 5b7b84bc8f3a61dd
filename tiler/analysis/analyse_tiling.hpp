// SPDX-License-Identifier: GPL-3.0-or-later
// Analysis of a tiling: tile utilisation, sectors per layout of the populations, overheads compared
// with other storage schemes; as tables on stdout and keys of --report.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "pipelines/stage/io/json.hpp"
#include "tiler/analysis/overhead.hpp"
#include "tiler/analysis/transactions.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::tiler::analysis {

// Traffic of all populations with one assignment of layouts and one precision.
struct LayoutTraffic {
  const LayoutAssignment* layouts = nullptr;
  int valueBytes = 8;
  SectorCounts fullTile;  // within full tiles of an aligned tiling
  SectorCounts geometry;
};

struct TilingAnalysis {
  int dimensions = 3;
  std::uint64_t fluidNodes = 0;
  std::array<std::uint64_t, tileNodes> tilesByNodes{};  // [n - 1]: tiles with n non-solid nodes
  std::uint64_t allFluidTiles = 0;                      // flagged: no link leaves
  // Without ghost buffers for a shifted tiling, where a face may adjoin more than two tiles, unlike
  // in the papers' model.
  GeometryShares shares;
  bool inRows = false;
  std::vector<LayoutTraffic> traffic;  // 3D only: layouts of 4 x 4 x 4 tiles

  [[nodiscard]] int populations() const { return dimensions == 2 ? 9 : 19; }
  [[nodiscard]] StorageSizes sizes(int valueBytes) const {
    return {dimensions, populations(), valueBytes, 1, 4, dimensions == 2 ? 8 : 4};
  }
};

TilingAnalysis analyseTiling(const TiledGeometry& tiled);

// Bytes of the sectors read and written per non-solid node.
double sectorBytesPerNode(const TilingAnalysis& analysis, const LayoutTraffic& traffic);

// Adds nodes_per_tile, all_fluid_tiles, porosity, ghost_buffers, layouts, transactions, overheads
// and bandwidth_b_s to the report. bandwidth: B/s.
void addAnalysis(stage::Json& report, const TilingAnalysis& analysis, double bandwidth);

// Tables of overheads and transactions.
std::string analysisText(const TilingAnalysis& analysis, double bandwidth);

}  // namespace tessera::tiler::analysis
