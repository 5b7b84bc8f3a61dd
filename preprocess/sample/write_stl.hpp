// SPDX-License-Identifier: GPL-3.0-or-later
// Binary STL: an 80-byte header that does not begin with "solid" (which marks ASCII), the number of
// triangles, then 50 bytes per triangle, little-endian.
#pragma once

#include <filesystem>
#include <string_view>

#include "preprocess/geometry/mesh.hpp"

namespace tessera::preprocess::sample {

// Atomic. Coordinates are written in multiples of unitMetres; title: for the header, at most 80
// characters. Throws StageError(OutputFailed).
void writeStl(const std::filesystem::path& path, const geometry::TriangleMesh& mesh,
              double unitMetres, std::string_view title);

}  // namespace tessera::preprocess::sample
