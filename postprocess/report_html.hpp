// SPDX-License-Identifier: GPL-3.0-or-later
// report.html: one self-contained file (style and pictures inside, nothing fetched) with what was
// run, the numbers, the pictures, warnings, convergence and provenance.
#pragma once

#include <filesystem>

namespace tessera {

struct Results;
struct Fields;
struct TiledGeometry;

// Writes folder/report.html with the pictures that writePictures() left in the folder. Text from
// the user (names, case file, options) is escaped. Throws StageError(OutputFailed), (BadInput)
// when a picture cannot be read back.
void writeReportHtml(const Results& results, const Fields& fields, const TiledGeometry& geometry,
                     const std::filesystem::path& folder);

}  // namespace tessera
