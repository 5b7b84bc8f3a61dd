// SPDX-License-Identifier: GPL-3.0-or-later
// Closed surface to lattice by signed scanline winding in integer arithmetic.
#pragma once

#include <array>
#include <cstdint>

#include "preprocess/geometry/bit_lattice.hpp"
#include "preprocess/geometry/mesh.hpp"

namespace tessera::preprocess::lattice {

// Largest number of nodes on an axis for which the integer arithmetic cannot overflow.
constexpr int maxNodesPerAxis = 8192;

struct Voxels {
  geometry::BitLattice fluid;
  // Sum of the positive winding numbers of all nodes: more than fluid.count() where parts overlap,
  // and in nodes what the signed volume of the surface is in space.
  std::uint64_t windingSum = 0;
};

// Sets every node with a positive winding number: inside a closed surface whose normals point out
// of the fluid, the union of overlapping ones. mesh: in lattice coordinates, node i of an axis at
// coordinate i, all vertices in [-0.5, nodes - 0.5]. Closed, but for the two end planes of a
// periodic axis, where it may stay open; periodic on all three axes is refused. A row whose
// winding does not come back to zero, a vertex outside of the box or a box of more than
// maxNodesPerAxis throw StageError(BadInput). Memory follows the surface and the nodes inside, not
// the box. Same bits for any number of threads.
Voxels voxeliseCounting(const geometry::TriangleMesh& mesh, const Int3& nodes,
                        const std::array<bool, 3>& periodic);

inline geometry::BitLattice voxelise(const geometry::TriangleMesh& mesh, const Int3& nodes,
                                     const std::array<bool, 3>& periodic) {
  return voxeliseCounting(mesh, nodes, periodic).fluid;
}

}  // namespace tessera::preprocess::lattice
