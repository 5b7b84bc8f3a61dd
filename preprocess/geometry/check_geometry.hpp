// SPDX-License-Identifier: GPL-3.0-or-later
// What a reader of geom.vdb may rely on.
#pragma once

#include <string>

#include "preprocess/geometry/lattice_geometry.hpp"

namespace tessera::preprocess::geometry {

// The first thing that does not agree in a geometry that was read, or empty: boundary nodes are
// fluid and ascend, arrays have the lengths that the masks ask for, patches, labels and triangle
// indices exist.
std::string defectOf(const LatticeGeometry& geometry);

}  // namespace tessera::preprocess::geometry
