// SPDX-License-Identifier: GPL-3.0-or-later
// The pictures of a run, made without display or GPU. The same input gives the same bytes on any
// number of threads.
//   wall_KEY.png wall_KEY_views.png          KEY: wss, pressure; of pulsatile runs tawss and osi
//   streamlines.png
//   velocity_slice.png velocity_slice_across.png pressure_slice.png
//   convergence.png convergence.svg monitors.png monitors.svg
#pragma once

#include <filesystem>
#include <vector>

#include "postprocess/picture/wall_values.hpp"

#include "postprocess/results/results.hpp"
#include "solver/file/fields_file.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::postprocess::picture {

// Writes into the folder, which must exist; says on stderr how far it is. A picture whose data the
// run does not have (no wall, no monitor rows) is left out. Throws StageError(OutputFailed).
void writePictures(const results::Results& results, const std::vector<WallValues>& wall,
                   const solver::file::Fields& fields, const tiler::TiledGeometry& geometry,
                   const std::filesystem::path& folder);

}  // namespace tessera::postprocess::picture
