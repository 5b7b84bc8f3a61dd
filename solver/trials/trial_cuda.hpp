// SPDX-License-Identifier: GPL-3.0-or-later
// What trial_cuda.cu has, for builds with CUDA.
#pragma once

#include "solver/trials/trial.hpp"
#include "solver/trials/trial_types.hpp"

namespace tessera {

template <class Lattice, class Precision>
std::unique_ptr<TrialState> makeCudaTrial(const TileOrder& order);

}  // namespace tessera
