// SPDX-License-Identifier: GPL-3.0-or-later
// report.html: one self-contained file (style, script and pictures inside, nothing fetched) with
// warnings, the numbers, the wall to turn, the pictures, what was run, convergence and provenance.
#pragma once

#include <filesystem>
#include <vector>

#include "postprocess/picture/wall_values.hpp"

namespace tessera {

struct Results;
struct Fields;
struct TiledGeometry;

// Writes folder/report.html with the pictures that writePictures() left in the folder. Text from
// the user (names, case file, options) is escaped. Throws StageError(OutputFailed), (BadInput)
// when a picture cannot be read back.
void writeReportHtml(const Results& results, const std::vector<WallValues>& wall,
                     const Fields& fields, const TiledGeometry& geometry,
                     const std::filesystem::path& folder);

}  // namespace tessera
