// SPDX-License-Identifier: GPL-3.0-or-later
// Counts of a lattice whose nodes are known.
#pragma once

#include <span>

#include "preprocess/lattice/links.hpp"
#include "preprocess/plan/lattice_counts.hpp"

namespace tessera {

// Sides of the box, or triangles of a labelled mesh in lattice coordinates.
struct WhereOpen {
  std::span<const BoxFace> faces;
  const TriangleMesh* mesh = nullptr;
};

// All but triangles and vertices. Parallel.
LatticeCounts countLattice(const BitLattice& fluid, int dimensions,
                           const std::array<bool, 3>& periodic, const WhereOpen& open);

}  // namespace tessera
