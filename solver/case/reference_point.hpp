// SPDX-License-Identifier: GPL-3.0-or-later
// [reference] of the case, which tessera-postprocess uses: checked before the run.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "pipelines/stage/case/case_file.hpp"
#include "solver/comm/ranks.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::solver::cases {

// Index of a node that is not solid, 64 t + local node; nullopt for others. geometry: of a rank.
std::optional<std::size_t> fluidNode(const tiler::TiledGeometry& geometry, Int3 node);

// Throws StageError(Usage) for a point (m, world) without a fluid node around it. name: file, line
// and key. Collective.
void requireInFluid(const Double3& point, const std::string& name,
                    const tiler::TiledGeometry& geometry, comm::Ranks& ranks);

// Throws StageError(Usage) with file and line for a point without a fluid node around it, the rule
// by which results are interpolated. geometry: of this rank; ranks: all. Collective.
void checkReferencePoint(const stage::CaseFile& file, const tiler::TiledGeometry& geometry,
                         comm::Ranks& ranks = comm::noOthers());

}  // namespace tessera::solver::cases
