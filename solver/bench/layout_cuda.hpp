// SPDX-License-Identifier: GPL-3.0-or-later
// Interface of layout_cuda.cu, for builds with CUDA.
#pragma once

#include "solver/bench/layout_trial.hpp"

namespace tessera::solver::bench {

LayoutResult runXyzF64OnCuda(const tiles::TileOrder& order, const LayoutRequest& request);
LayoutResult runXyzF32OnCuda(const tiles::TileOrder& order, const LayoutRequest& request);
LayoutResult runPaperF64OnCuda(const tiles::TileOrder& order, const LayoutRequest& request);
LayoutResult runPaperF32OnCuda(const tiles::TileOrder& order, const LayoutRequest& request);

}  // namespace tessera::solver::bench
