// SPDX-License-Identifier: GPL-3.0-or-later
// Geometry without nodes that has every opening and wall that a case names, so that the case can be
// read without tiles.
#pragma once

#include "pipelines/stage/case/case_file.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::solver {

// In 2D for the lattice D2Q9; periodic on all axes. Throws StageError(Usage) for a key of the wrong
// type.
tiler::TiledGeometry standInGeometry(const stage::CaseFile& file);

}  // namespace tessera::solver
