// SPDX-License-Identifier: GPL-3.0-or-later
// [reference] of the case, which tessera-postprocess uses: checked before the run.
#pragma once

#include "pipelines/stage/case/case_file.hpp"
#include "solver/comm/ranks.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::solver::cases {

// Throws StageError(Usage) with file and line for a point without a fluid node around it, the rule
// by which results are interpolated. geometry: of this rank; ranks: all. Collective.
void checkReferencePoint(const stage::CaseFile& file, const tiler::TiledGeometry& geometry,
                         comm::Ranks& ranks = comm::noOthers());

}  // namespace tessera::solver::cases
