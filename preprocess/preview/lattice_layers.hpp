// SPDX-License-Identifier: GPL-3.0-or-later
// Layers of a lattice's nodes for the interactive view.
#pragma once

#include <span>

#include "pipelines/picture/view_parts.hpp"
#include "preprocess/geometry/lattice_geometry.hpp"

namespace tessera::preprocess::preview {

// Layers across each axis, in 2D the one layer, as many as fit into about two megabytes; entries
// are fluid, each wall, opening. tiles: first nodes; outlines of those that a layer meets.
picture::ViewLattice latticeLayers(const geometry::LatticeGeometry& geometry,
                                   std::span<const Int3> tiles, const Int3& tileEdge);

}  // namespace tessera::preprocess::preview
