// SPDX-License-Identifier: GPL-3.0-or-later
// OFF (Geomview): text, with or without colours (COFF), normals (NOFF) and texture coordinates
// (STOFF); one vertex and one face a line, comments from #.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "preprocess/read/surface/triangle_soup.hpp"

namespace tessera::preprocess::read {

// Throws StageError(BadInput): missing, truncated, not an OFF of three dimensions, binary, no
// faces, a vertex that there is not, a coordinate that is not finite.
TriangleSoup readOff(const std::filesystem::path& path);
// The same from the bytes of a file; name is for the sentences.
TriangleSoup parseOff(std::string_view bytes, const std::string& name);

}  // namespace tessera::preprocess::read
