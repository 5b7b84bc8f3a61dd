// SPDX-License-Identifier: GPL-3.0-or-later
// Every quantity of a run, in the order of the result files.
#pragma once

#include "postprocess/quantity/request.hpp"
#include "postprocess/results/results.hpp"
#include "solver/file/fields_file.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::postprocess::quantity {

// The fields must belong to the geometry (see checkBelongs). Throws StageError(Usage) for what was
// asked for and is not there: a plane or line without fluid, openings for stations, a wall label.
// Names and provenance are left to the caller.
results::Results computeResults(const solver::file::Fields& fields,
                                const tiler::TiledGeometry& geometry, const Request& request = {});

}  // namespace tessera::postprocess::quantity
