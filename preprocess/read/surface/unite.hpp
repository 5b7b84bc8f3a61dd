// SPDX-License-Identifier: GPL-3.0-or-later
// Several surfaces as one.
#pragma once

#include <filesystem>
#include <vector>

#include "preprocess/read/surface/triangle_soup.hpp"

namespace tessera::preprocess::read {

// Reads all files and puts their triangles together. Of several files each one that tells no faces
// itself is one, named after the file without its extension. A name that an earlier file has
// becomes name_2, name_3 ..., in the order of the files. Throws StageError(BadInput).
TriangleSoup readSurfaces(const std::vector<std::filesystem::path>& paths);

}  // namespace tessera::preprocess::read
