// SPDX-License-Identifier: GPL-3.0-or-later
// The [[opening]] tables of a case.
#pragma once

#include "solver/solver_case.hpp"

namespace tessera {

// Fills in run.openings, one for each opening of the geometry. Waveforms are looked for beside the
// case file. Throws StageError(Usage) with file and line for an unknown key, an opening without
// condition, a condition without opening, values that do not go together; as readWaveform does.
void readOpenings(const CaseFile& file, const TiledGeometry& geometry, SolverCase& run);

}  // namespace tessera
