// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the further runs of a medium and joins them to its permeability tensor, or to the law by
// which its resistance grows with the flow.
#pragma once

#include <string>
#include <vector>

#include "postprocess/fields/run_files.hpp"
#include "postprocess/results/results.hpp"

namespace tessera::postprocess::quantity {

// Nothing without further runs. Each is read after the other, with its own tiles from beside it
// unless it was computed on those of the first. Their content hashes join the provenance's inputs.
// Throws StageError(BadInput) for runs of another box, of fluids or flows without a permeability.
void addPermeabilityTensor(results::Results& results, const fields::RunFiles& run,
                           const std::vector<std::string>& further);

// The same for runs at other forces along the first one's direction.
void addForchheimer(results::Results& results, const fields::RunFiles& run,
                    const std::vector<std::string>& further);

}  // namespace tessera::postprocess::quantity
