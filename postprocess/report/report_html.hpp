// SPDX-License-Identifier: GPL-3.0-or-later
// report.html: one self-contained file (style, script and pictures inside, nothing fetched) with
// warnings, the numbers, the wall to turn, the pictures, what was run, convergence and provenance.
#pragma once

#include <filesystem>
#include <vector>

#include "postprocess/picture/wall_values.hpp"

#include "postprocess/results/results.hpp"
#include "solver/file/fields_file.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::postprocess::report {

// Writes folder/report.html with the pictures that writePictures() left in the folder. Text from
// the user (names, case file, options) is escaped. Throws StageError(OutputFailed), (BadInput)
// when a picture cannot be read back.
void writeReportHtml(const results::Results& results, const std::vector<picture::WallValues>& wall,
                     const solver::file::Fields& fields, const tiler::TiledGeometry& geometry,
                     const std::filesystem::path& folder);

}  // namespace tessera::postprocess::report
