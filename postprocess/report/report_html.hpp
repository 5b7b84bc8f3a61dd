// SPDX-License-Identifier: GPL-3.0-or-later
// report.html: one self-contained file (style, script and pictures embedded) with warnings, key
// figures, the interactive wall, pictures, run parameters, convergence and provenance.
#pragma once

#include <filesystem>
#include <vector>

#include "postprocess/picture/series_frames.hpp"
#include "postprocess/picture/wall_picture.hpp"
#include "postprocess/results/results.hpp"
#include "solver/file/fields_file.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::postprocess::report {

// Writes folder/report.html with the pictures of writePictures() in the folder. Text from the user
// (names, case file, options) is escaped. Throws StageError(OutputFailed), or (BadInput) if a
// picture cannot be read. frames: of several fields, for a slider through time in the view of the
// wall; null: none.
void writeReportHtml(const results::Results& results, const std::vector<picture::WallValues>& wall,
                     const solver::file::Fields& fields, const tiler::TiledGeometry& geometry,
                     const std::filesystem::path& folder,
                     const picture::SeriesFrames* frames = nullptr);

}  // namespace tessera::postprocess::report
