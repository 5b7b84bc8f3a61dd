// SPDX-License-Identifier: GPL-3.0-or-later
// PLY (Turk 1994, "The PLY polygon file format"): ascii, binary of either byte order, any types of
// properties and lists; elements and properties other than the vertices' x, y, z, the faces'
// vertex_indices (or vertex_index) and tristrips are passed over.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "preprocess/read/surface/triangle_soup.hpp"

namespace tessera::preprocess::read {

// Throws StageError(BadInput): missing, truncated, not a PLY, no faces, a vertex that there is not,
// a coordinate that is not finite. Polygons become triangles; below three corners they are dropped.
TriangleSoup readPly(const std::filesystem::path& path);
// The same from the bytes of a file; name is for the sentences.
TriangleSoup parsePly(std::string_view bytes, const std::string& name);

}  // namespace tessera::preprocess::read
