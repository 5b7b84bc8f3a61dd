// SPDX-License-Identifier: GPL-3.0-or-later
// STL, binary and ASCII. Binary is told by its size (84 + 50 n bytes), never by the word "solid",
// which many binary files begin with. Normals and attribute bytes in the file are ignored.
// The solids of an ASCII file are faces where they have several names.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "preprocess/read/surface/triangle_soup.hpp"

namespace tessera::preprocess::read {

// Throws StageError(BadInput): missing, truncated, not an STL, no triangles, a coordinate that is
// not finite.
TriangleSoup readStl(const std::filesystem::path& path);
// The same from the bytes of a file; name is for the sentences.
TriangleSoup parseStl(std::string_view bytes, const std::string& name);

}  // namespace tessera::preprocess::read
