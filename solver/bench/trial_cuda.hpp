// SPDX-License-Identifier: GPL-3.0-or-later
// What trial_cuda.cu has, for builds with CUDA.
#pragma once

#include "solver/bench/trial.hpp"
#include "solver/bench/trial_types.hpp"

namespace tessera::solver::bench {

template <class Lattice, class Precision>
std::unique_ptr<TrialState> makeCudaTrial(const tiles::TileOrder& order);

}  // namespace tessera::solver::bench
