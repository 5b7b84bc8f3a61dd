// SPDX-License-Identifier: GPL-3.0-or-later
// OBJ (Wavefront): vertices and polygons; positions only, so of "v/vt/vn" the first number. Groups
// (g), else materials (usemtl), else objects (o) become faces where there are several of them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "preprocess/read/surface/triangle_soup.hpp"

namespace tessera::preprocess::read {

// Throws StageError(BadInput): missing, damaged, curved surfaces (curv, surf), no faces, a vertex
// that does not come before its face, a coordinate that is not finite.
TriangleSoup readObj(const std::filesystem::path& path);
// The same from the bytes of a file; name is for the sentences.
TriangleSoup parseObj(std::string_view bytes, const std::string& name);

}  // namespace tessera::preprocess::read
