// SPDX-License-Identifier: GPL-3.0-or-later
// The step with populations laid out in several ways, for measurements: LBGK of D3Q19,
// quasi-compressible, two copies, walls but no openings. The kernels of --bench step do not know of
// this.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "solver/model/axes.hpp"
#include "solver/tiles/tile_order.hpp"
#include "tiler/file/tiles_file.hpp"

namespace tessera::solver::bench {

struct LayoutRequest {
  double tau = 0.8;
  std::uint64_t steps = 1;
  int repeats = 1;                        // of the steps; results are those after the first
  std::span<const double> populations{};  // deviations, 19 x 64 a slot, XYZ
};

struct LayoutResult {
  std::vector<double> populations;  // as in the request
  std::vector<double> seconds;      // of each repeat
};

struct LayoutTrial {
  const char* layouts;  // by the names of tiler/analysis/layouts.hpp
  model::PrecisionId precision;
  unsigned storageBytes;
  LayoutResult (*onCpu)(const tiles::TileOrder&, const LayoutRequest&);   // node by node
  LayoutResult (*onCuda)(const tiles::TileOrder&, const LayoutRequest&);  // null without CUDA
};

// XYZ alone and the paper's assignment, each in both precisions.
std::span<const LayoutTrial> layoutTrials();

// MFLUPS of every trial (of one precision when given), medians; backend: auto, cpu or cuda. CSV
// with a header. Throws StageError(RunFailed) where layouts give other populations than XYZ, bit
// for bit.
std::string benchLayouts(const tiler::file::TilesFile& tiles, const std::string& backend,
                         const std::optional<std::string>& precision);

}  // namespace tessera::solver::bench
