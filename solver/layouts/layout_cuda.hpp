// SPDX-License-Identifier: GPL-3.0-or-later
// What layout_cuda.cu has, for builds with CUDA.
#pragma once

#include "solver/layouts/layout_trial.hpp"

namespace tessera {

LayoutResult runXyzF64OnCuda(const TileOrder& order, const LayoutRequest& request);
LayoutResult runXyzF32OnCuda(const TileOrder& order, const LayoutRequest& request);
LayoutResult runPaperF64OnCuda(const TileOrder& order, const LayoutRequest& request);
LayoutResult runPaperF32OnCuda(const TileOrder& order, const LayoutRequest& request);

}  // namespace tessera
