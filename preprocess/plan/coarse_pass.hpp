// SPDX-License-Identifier: GPL-3.0-or-later
// Counts of the lattice of a surface before the work on it: the surface is voxelised as it will be,
// or, where that is more nodes than asked for, at two coarser spacings from which the counts are
// extrapolated.
#pragma once

#include <array>
#include <vector>

#include "preprocess/geometry/bit_lattice.hpp"
#include "preprocess/geometry/mesh.hpp"
#include "preprocess/lattice/choose_lattice.hpp"
#include "preprocess/plan/lattice_counts.hpp"

namespace tessera::preprocess::plan {

struct SurfaceToCount {
  const geometry::TriangleMesh& mesh;  // metres, labelled, closed but for the ends of periodic axes
  const std::vector<stage::Triangle>& ends;  // that lay on those, of the mesh's vertices
  double volume = 0.0;                       // m3, with these ends closed
  std::array<bool, 3> periodic{};
  bool keepConnected = false;
  const geometry::BitLattice* fluid = nullptr;  // the nodes inside, where they are known already
};

// mostNodes: inside the surface, that a pass may have. Exact up to there, and where the nodes are
// known. Same result for any number of threads. Throws StageError(BadInput) as voxelise().
LatticeCounts countSurface(const SurfaceToCount& surface, const lattice::LatticeChoice& lattice,
                           double mostNodes);

}  // namespace tessera::preprocess::plan
