// SPDX-License-Identifier: GPL-3.0-or-later
// Openings that the file tells: faces (solids of an STL, ModelFaceID of a VTP, one file of several)
// that are flat.
#pragma once

#include <string>
#include <vector>

#include "preprocess/surface/repair/repair.hpp"

namespace tessera::preprocess::surface {

struct FaceCaps {
  std::vector<Cap> caps;              // named after their faces
  std::vector<std::string> warnings;  // flat faces that could not be told from walls
};

// A connected part of a face is a cap when it is as near to a plane as an open loop must be
// (a tenth of its radius), has one rim, is not thin (4 pi A / P^2 > 0.3) and the wall falls away by
// more than 20 degrees over three quarters of the rim; faces that hold such a part and touch
// another one, as the sides of a box do, are walls. mesh: closed and outward, its labels index
// faceName. Of several caps on one face the names are numbered, "outlet1", "outlet2", in the order
// of the mesh.
FaceCaps findFaceCaps(const geometry::TriangleMesh& mesh, const std::vector<std::string>& faceName);

}  // namespace tessera::preprocess::surface
