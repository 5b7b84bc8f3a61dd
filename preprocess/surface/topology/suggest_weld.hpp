// SPDX-License-Identifier: GPL-3.0-or-later
// Which tolerance might join triangles whose edges do not match.
#pragma once

#include <vector>

#include "preprocess/surface/topology/edge_table.hpp"

namespace tessera::preprocess::surface {

// Tolerances to try, in m, ascending, each 1, 2 or 5 times a power of ten: from how far a sample of
// the vertices on edges of one triangle lie from the nearest such vertex of another triangle.
std::vector<double> weldsToTry(const geometry::TriangleMesh& mesh, const EdgeTable& edges);

}  // namespace tessera::preprocess::surface
