// SPDX-License-Identifier: GPL-3.0-or-later
// Ends of vessels that a file holds as faces meshed apart from the wall, so that they close
// nothing.
#pragma once

#include <vector>

#include "preprocess/surface/repair/repair.hpp"
#include "preprocess/surface/topology/parts.hpp"

namespace tessera::preprocess::surface {

// Tells the caps over open loops the face of the sheet that lies there: a part without volume, of
// about the cap's size and place. mesh: closed, so that sheets have two sides; its labels are the
// file's faces, and without them nothing is told. parts: of the mesh.
void findLids(const geometry::TriangleMesh& mesh, const Parts& parts, std::vector<Cap>& caps);

}  // namespace tessera::preprocess::surface
