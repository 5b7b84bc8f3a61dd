// SPDX-License-Identifier: GPL-3.0-or-later
// Separately meshed caps over the open ends of a surface: parts without volume.
#pragma once

#include <vector>

#include "preprocess/surface/repair/repair.hpp"
#include "preprocess/surface/topology/parts.hpp"

namespace tessera::preprocess::surface {

// Parts without volume. mesh: closed, so that sheets have two sides; its labels are the file's
// faces. parts: of the mesh.
std::vector<FlatPart> flatPartsOf(const geometry::TriangleMesh& mesh, const Parts& parts);

// Whether a flat part, closed and so of two sides, has the place and area of a cap.
bool liesOver(const geometry::TriangleMesh& mesh, const Cap& cap, const FlatPart& part);

// Assigns to the caps over open loops the face of a sheet there, a part without volume of similar
// size and position.
void assignSeparateCaps(const geometry::TriangleMesh& mesh, const std::vector<FlatPart>& sheets,
                        std::vector<Cap>& caps);

}  // namespace tessera::preprocess::surface
