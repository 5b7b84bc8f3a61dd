// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures of a run, made without display or GPU; equal input gives equal bytes on any number of
// threads.
//   wall_KEY.png wall_KEY_views.png          KEY: wss, pressure; tawss and osi for pulsatile runs
//   streamlines.png
//   velocity_slice.png velocity_slice_across.png pressure_slice.png
//   convergence.png convergence.svg monitors.png monitors.svg
//   places.png places.svg                                      of a case with probes or stations
//   velocity_histogram.png .svg along_the_sample.png .svg      of a medium
//   pressure_ratio.png .svg                                    of a vessel
#pragma once

#include <filesystem>
#include <vector>

#include "postprocess/picture/wall_picture.hpp"

#include "postprocess/results/results.hpp"
#include "solver/file/fields_file.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::postprocess::picture {

// Writes into an existing folder, with progress on stderr. Pictures without data (no wall, no
// monitor rows) are omitted. Throws StageError(OutputFailed).
void writePictures(const results::Results& results, const std::vector<WallValues>& wall,
                   const solver::file::Fields& fields, const tiler::TiledGeometry& geometry,
                   const std::filesystem::path& folder);

}  // namespace tessera::postprocess::picture
