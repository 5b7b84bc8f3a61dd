// SPDX-License-Identifier: GPL-3.0-or-later
// VTP: PolyData in VTK's XML format. Polys and Strips of all Pieces; Verts and Lines are passed
// over.
//
// Faces are told by the first of these arrays of the cells that all pieces have: ModelFaceID
// (SimVascular; 3 becomes "face3"), CellEntityIds (VMTK, likewise), CapID (SimVascular: positive
// ones "cap2", all others "wall").
#pragma once

#include <filesystem>
#include <string>

#include "preprocess/read/surface/triangle_soup.hpp"
#include "preprocess/read/whole_file.hpp"

namespace tessera::preprocess::read {

// Throws StageError(BadInput): missing, truncated, no PolyData, compressed by anything but zlib, no
// faces, a vertex that there is not, a coordinate that is not finite, more than 32768 faces.
TriangleSoup readVtp(const std::filesystem::path& path);
// The same from the bytes of a file, in whose place the XML is parsed; name is for the sentences.
TriangleSoup parseVtp(WholeFile file, const std::string& name);

}  // namespace tessera::preprocess::read
