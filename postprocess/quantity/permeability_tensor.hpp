// SPDX-License-Identifier: GPL-3.0-or-later
// The full permeability tensor from runs of one medium driven along independent directions: with
// the mean velocities U and the driving forces G of the runs as columns, K = mu U G^-1.
#pragma once

#include <string>
#include <vector>

#include "postprocess/results/results.hpp"

namespace tessera::postprocess::quantity {

struct DarcyRun {
  std::string name;  // of the fields, for messages
  results::Permeability result;
  double viscosity = 0.0;  // Pa.s
};

// As many runs as dimensions, 3 or 2; in 2D K has no part along the lattice's third axis, which is
// thin. Throws StageError(Usage) for another number of runs, (BadInput) where the directions are
// not independent.
results::PermeabilityTensor permeabilityTensor(const std::vector<DarcyRun>& runs, int dimensions,
                                               const Double3& thinAxis);

}  // namespace tessera::postprocess::quantity
