// SPDX-License-Identifier: GPL-3.0-or-later
// What the tiler tells: the JSON of --report and the table on stdout.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "pipelines/stage/chain_sizes.hpp"
#include "tiler/analysis/analyse_tiling.hpp"
#include "tiler/search_rows.hpp"
#include "tiler/tile.hpp"

namespace tessera::tiler {

// What is known of a covering before it is made, so that --plan and the run say the same.
struct Covering {
  int dimensions = 3;
  Int3 nodes{};
  Int3 offset{};
  preprocess::lattice::OffsetCounts offsets;
  std::uint64_t tiles = 0;       // at the offset, or in rows
  std::optional<TileMesh> rows;  // --placement rows
  std::uint64_t fluidNodes = 0;
  std::uint64_t boundaryNodes = 0;
  std::uint64_t links = 0;
  std::uint64_t surfaceTriangles = 0;
  std::uint64_t surfaceVertices = 0;

  [[nodiscard]] std::uint64_t meshPositions() const;  // tiles of the bounding box
  [[nodiscard]] double utilisation() const { return utilisationOf(tiles); }
  [[nodiscard]] double utilisationOf(std::uint64_t tileCount) const {
    return static_cast<double>(fluidNodes) / (64.0 * static_cast<double>(tileCount));
  }
  // Two copies of the populations (D3Q19, in 2D D2Q9) of every node of every tile.
  [[nodiscard]] std::uint64_t populationBytes(int bytesPerNumber) const;
  [[nodiscard]] stage::ChainCounts counts() const;
  [[nodiscard]] std::uint64_t shiftBytes() const;
  [[nodiscard]] std::uint64_t fileBytes() const;    // payload of the .tiles file
  [[nodiscard]] std::uint64_t memoryBytes() const;  // most that the tiler holds at a time
};

// The offset must be that of a counted tiling. Both throw StageError(BadInput) for more tiles than
// a file holds, so that neither a plan nor a run goes on from there.
Covering describeCovering(const preprocess::geometry::LatticeGeometry& geometry,
                          preprocess::lattice::OffsetCounts offsets, const Int3& offset);

// --placement rows.
Covering describeCovering(const preprocess::geometry::LatticeGeometry& geometry,
                          preprocess::lattice::OffsetCounts offsets, const RowSearch& search);

// The contract's keys. JSON text with a newline at its end.
// bandwidth: B/s, for the speeds foretold.
std::string reportJson(const Covering& covering, const analysis::TilingAnalysis& analysis,
                       double bandwidth);

// A few lines for a person.
std::string summaryText(const Covering& covering);
// What --plan adds: memory and time of the tiler.
std::string planText(const Covering& covering);

}  // namespace tessera::tiler
