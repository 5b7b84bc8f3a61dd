// SPDX-License-Identifier: GPL-3.0-or-later
// Results of the tiler: the JSON of --report and the table on stdout.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "pipelines/stage/chain_sizes.hpp"
#include "tiler/analysis/analyse_tiling.hpp"
#include "tiler/search_rows.hpp"
#include "tiler/tile.hpp"

namespace tessera::tiler {

// Properties of a covering before it is made, so that --plan and the run agree.
struct Covering {
  int dimensions = 3;
  Int3 nodes{};
  Int3 offset{};
  preprocess::lattice::OffsetCounts offsets;
  std::uint64_t tiles = 0;       // at the offset, or of the shifted tiling
  std::optional<TileMesh> rows;  // --placement rows
  std::uint64_t fluidNodes = 0;
  std::uint64_t boundaryNodes = 0;
  std::uint64_t links = 0, wallLinks = 0;
  std::uint64_t surfaceTriangles = 0;
  std::uint64_t surfaceVertices = 0;

  [[nodiscard]] std::uint64_t meshPositions() const;  // grid positions
  [[nodiscard]] double utilisation() const { return utilisationOf(tiles); }
  [[nodiscard]] double utilisationOf(std::uint64_t tileCount) const {
    return static_cast<double>(fluidNodes) / (64.0 * static_cast<double>(tileCount));
  }
  // Two copies of the populations (D3Q19, in 2D D2Q9) of all nodes of all tiles.
  [[nodiscard]] std::uint64_t populationBytes(int bytesPerNumber) const;
  [[nodiscard]] stage::ChainCounts counts() const;
  [[nodiscard]] std::uint64_t shiftBytes() const;
  [[nodiscard]] std::uint64_t fileBytes() const;    // payload of the .tiles file
  [[nodiscard]] std::uint64_t memoryBytes() const;  // peak of the tiler
};

// The offset must be that of a counted tiling. Both throw StageError(BadInput) for more tiles than
// a file allows, so that neither a plan nor a run continues.
Covering describeCovering(const preprocess::geometry::LatticeGeometry& geometry,
                          preprocess::lattice::OffsetCounts offsets, const Int3& offset);

// --placement rows.
Covering describeCovering(const preprocess::geometry::LatticeGeometry& geometry,
                          preprocess::lattice::OffsetCounts offsets, const RowSearch& search);

// JSON text with the contract's keys and a final newline. bandwidth: B/s, for predicted speeds.
std::string reportJson(const Covering& covering, const analysis::TilingAnalysis& analysis,
                       double bandwidth);

// Summary for stdout.
std::string summaryText(const Covering& covering);
// Additional lines of --plan: memory and time of the tiler.
std::string planText(const Covering& covering);

}  // namespace tessera::tiler
