// SPDX-License-Identifier: GPL-3.0-or-later
// Every quantity of a run, in the order of the result files.
#pragma once

#include "postprocess/request.hpp"
#include "postprocess/results.hpp"
#include "solver/fields_file.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera {

// The fields must belong to the geometry (see checkBelongs). Throws StageError(Usage) for what was
// asked for and is not there: a plane or line without fluid, openings for stations, a wall label.
// Names and provenance are left to the caller.
Results computeResults(const Fields& fields, const TiledGeometry& geometry,
                       const Request& request = {});

}  // namespace tessera
