// SPDX-License-Identifier: GPL-3.0-or-later
// Measurements of the step with several layouts of populations: LBGK of D3Q19, quasi-compressible,
// two copies, walls but no openings. Not part of the shipped kernels.
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
  int repeats = 1;                        // repeats of the steps; results are taken after the first
  std::span<const double> populations{};  // deviations, 19 x 64 per slot, XYZ
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

// XYZ and the paper's assignment, each in both precisions.
std::span<const LayoutTrial> layoutTrials();

// Median MFLUPS of every trial (of one precision if given) as CSV with a header; backend: auto, cpu
// or cuda. Throws StageError(RunFailed) if a layout's populations differ from XYZ in any bit.
std::string benchLayouts(const tiler::file::TilesFile& tiles, const std::string& backend,
                         const std::optional<std::string>& precision);

}  // namespace tessera::solver::bench
