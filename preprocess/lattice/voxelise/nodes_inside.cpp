// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/lattice/voxelise/nodes_inside.hpp"

#include <algorithm>

namespace tessera::preprocess::lattice {

using geometry::TriangleMesh;

TriangleMesh inLatticeCoordinates(TriangleMesh mesh, const geometry::Frame& frame,
                                  const Double3& nodes) {
  for (Double3& vertex : mesh.vertex) {
    vertex = frame.toLattice(vertex);
    for (std::size_t a = 0; a < 3; ++a) vertex[a] = std::clamp(vertex[a], -0.5, nodes[a] - 0.5);
  }
  return mesh;
}

Voxels nodesInside(const TriangleMesh& mesh, const std::vector<stage::Triangle>& ends,
                   const Int3& nodes, const std::array<bool, 3>& periodic) {
  if (periodic != std::array<bool, 3>{true, true, true})
    return voxeliseCounting(mesh, nodes, periodic);
  TriangleMesh closed{mesh.vertex, mesh.triangle, {}};
  closed.triangle.insert(closed.triangle.end(), ends.begin(), ends.end());
  return voxeliseCounting(closed, nodes, {false, false, false});
}

}  // namespace tessera::preprocess::lattice
