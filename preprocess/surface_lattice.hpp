// SPDX-License-Identifier: GPL-3.0-or-later
// From a planned surface to the lattice: the work that grows with the number of nodes.
#pragma once

#include "preprocess/surface_plan.hpp"

namespace tessera::preprocess {

// Voxelises, keeps what is connected, finds the links; completes the report. Throws
// StageError(NoResource) before any of it when memory will not do.
geometry::LatticeGeometry latticeFromSurface(SurfacePlan&& plan, const PreprocessOptions& options,
                                             PreprocessReport& report);

}  // namespace tessera::preprocess
