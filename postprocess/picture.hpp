// SPDX-License-Identifier: GPL-3.0-or-later
// The pictures of a run, made without display or GPU: wall_wss.png, velocity_slice.png,
// convergence.png and convergence.svg. The same input gives the same bytes on any number of
// threads.
#pragma once

#include <filesystem>

namespace tessera {

struct Results;
struct Fields;
struct TiledGeometry;

// Writes into the folder, which must exist. A picture whose data the run does not have (no wall, no
// monitor rows) is left out. Throws StageError(OutputFailed).
void writePictures(const Results& results, const Fields& fields, const TiledGeometry& geometry,
                   const std::filesystem::path& folder);

}  // namespace tessera
