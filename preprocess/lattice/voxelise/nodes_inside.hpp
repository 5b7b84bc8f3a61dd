// SPDX-License-Identifier: GPL-3.0-or-later
// The nodes inside a labelled surface, with the ends that a periodic axis leaves open.
#pragma once

#include <array>
#include <vector>

#include "preprocess/lattice/voxelise/voxelise.hpp"

namespace tessera::preprocess::lattice {

// Metres to nodes. Vertices that rounding puts outside of the box of nodes are moved onto its side.
geometry::TriangleMesh inLatticeCoordinates(geometry::TriangleMesh mesh,
                                            const geometry::Frame& frame, const Double3& nodes);

// voxeliseCounting() for any periodic axes. ends: the triangles that lay on the ends of periodic
// axes, of the mesh's vertices; used where all three axes are periodic, so that no ray comes from
// outside.
Voxels nodesInside(const geometry::TriangleMesh& mesh, const std::vector<stage::Triangle>& ends,
                   const Int3& nodes, const std::array<bool, 3>& periodic);

}  // namespace tessera::preprocess::lattice
