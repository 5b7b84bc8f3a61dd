// SPDX-License-Identifier: GPL-3.0-or-later
// The [[opening]] tables of a case.
#pragma once

#include "solver/boundary/condition.hpp"

namespace tessera::solver::cases {

// One condition per opening of the geometry, in its order. Waveforms are looked for next to the
// case file. Throws StageError(Usage) with file and line for an unknown key, an opening without
// condition, a condition without opening, values that do not go together; as readWaveform does.
std::vector<boundary::Condition> readOpenings(const stage::CaseFile& file,
                                              const tiler::TiledGeometry& geometry);

// Completes outflow splits from the other conditions (splitOutflow); no-op without any.
void completeSplits(const std::string& caseName, const tiler::TiledGeometry& geometry,
                    std::vector<boundary::Condition>& conditions);

}  // namespace tessera::solver::cases
