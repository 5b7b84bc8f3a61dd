// SPDX-License-Identifier: GPL-3.0-or-later
// Sheets of a planned surface on the lattice.
#pragma once

#include "preprocess/geometry/frame.hpp"
#include "preprocess/geometry/lattice_geometry.hpp"
#include "preprocess/geometry/mesh.hpp"

namespace tessera::preprocess {

// Metres to nodes, without the triangles that lie out of the box.
geometry::TriangleMesh sheetsInLattice(geometry::TriangleMesh sheets, const geometry::Frame& frame,
                                       const Int3& nodes);

// Appends both sides of sheets, each with vertices of its own, so that the surface stays closed and
// every side has a normal out of the fluid there. sheets: in lattice coordinates.
void addBothSides(const geometry::TriangleMesh& sheets, geometry::Surface& surface);

}  // namespace tessera::preprocess
