// SPDX-License-Identifier: GPL-3.0-or-later
// The analysis of a tiling as tables on stdout and as keys of --report.
#pragma once

#include <string>

#include "pipelines/stage/io/json.hpp"
#include "tiler/analysis/analyse_tiling.hpp"

namespace tessera::tiler::analysis {

// Adds nodes_per_tile, all_fluid_tiles, porosity, ghost_buffers, layouts, transactions, overheads
// and bandwidth_b_s to the report. bandwidth: B/s.
void addAnalysis(stage::Json& report, const TilingAnalysis& analysis, double bandwidth);

// Tables of overheads and transactions.
std::string analysisText(const TilingAnalysis& analysis, double bandwidth);

}  // namespace tessera::tiler::analysis
