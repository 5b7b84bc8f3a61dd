// SPDX-License-Identifier: GPL-3.0-or-later
// Questions about values that look as if they were meant in another unit: bare numbers that give
// Reynolds numbers, fluids or pressures that the field does not have.
#pragma once

#include <string>
#include <vector>

#include "pipelines/stage/case/case_file.hpp"
#include "solver/case/solver_case.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::solver::cases {

// One sentence each, with file, line and the same number in the other unit. run: read from the
// file.
std::vector<std::string> unitQuestions(const stage::CaseFile& file,
                                       const tiler::TiledGeometry& geometry, const SolverCase& run);

}  // namespace tessera::solver::cases
