// SPDX-License-Identifier: GPL-3.0-or-later
// Counts of a surface's lattice before it is built: from a voxelisation at the requested spacing,
// or, above a number of nodes, extrapolated from two coarser spacings.
#pragma once

#include <array>
#include <vector>

#include "preprocess/geometry/bit_lattice.hpp"
#include "preprocess/geometry/mesh.hpp"
#include "preprocess/lattice/choose_lattice.hpp"
#include "preprocess/plan/count_lattice.hpp"

namespace tessera::preprocess::plan {

struct SurfaceToCount {
  const geometry::TriangleMesh& mesh;  // metres, labelled, closed but for the ends of periodic axes
  const std::vector<stage::Triangle>& ends;  // removed there, indexing the mesh's vertices
  double volume = 0.0;                       // m3, with these ends closed
  std::array<bool, 3> periodic{};
  bool keepConnected = false;
  const geometry::BitLattice* fluid = nullptr;  // the nodes inside, if known already
  geometry::TriangleMesh sheets{};  // coordinates of the lattice, walls with fluid on both sides
};

// maxNodes: limit on the nodes inside the surface for one pass. Exact up to there, and if the nodes
// are known, with the links that walls cross between fluid nodes and the fluid that these cut off,
// up to 10^7 boundary nodes; beyond, such links are those at sheets. Independent of the number of
// threads and of the machine. Throws StageError(BadInput) as voxelise().
LatticeCounts countSurface(const SurfaceToCount& surface, const lattice::LatticeChoice& lattice,
                           double maxNodes);

}  // namespace tessera::preprocess::plan
