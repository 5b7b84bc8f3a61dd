// SPDX-License-Identifier: GPL-3.0-or-later
// OpenVDB's conversion of a mesh to a lattice, as an independent oracle of the voxeliser.
#pragma once

#include "preprocess/geometry/bit_lattice.hpp"
#include "preprocess/geometry/mesh.hpp"

namespace tessera::test {

using namespace tessera::preprocess::geometry;

// The nodes with a negative distance. mesh: closed, in lattice coordinates; band: half width of the
// level set in nodes.
BitLattice insideByOpenVdb(const TriangleMesh& mesh, const Int3& nodes, float band);

}  // namespace tessera::test
