// SPDX-License-Identifier: GPL-3.0-or-later
// Geometry of a .vdb or .tiles as a lattice, for pages and cases.
#pragma once

#include <filesystem>
#include <vector>

#include "preprocess/geometry/lattice_geometry.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::info {

struct FileGeometry {
  preprocess::geometry::LatticeGeometry lattice;
  std::vector<Int3> tiles;  // first node of each; empty for a .vdb
  Int3 tileEdge{};
};

// Nodes and links of all tiles; boundary nodes in the order of the tiles. Moves the surface.
preprocess::geometry::LatticeGeometry latticeOf(tiler::TiledGeometry&& tiled);

// Throws StageError(BadInput) for a damaged file, (Usage) for one of another kind, (NoResource).
FileGeometry geometryOfFile(const std::filesystem::path& path);

}  // namespace tessera::info
