// SPDX-License-Identifier: GPL-3.0-or-later
// Counts of a lattice whose nodes are known.
#pragma once

#include <span>

#include "preprocess/lattice/links/links.hpp"
#include "preprocess/plan/lattice_counts.hpp"

namespace tessera::preprocess::plan {

// Sides of the box, or triangles of a labelled mesh in lattice coordinates.
struct WhereOpen {
  std::span<const lattice::BoxFace> faces;
  const geometry::TriangleMesh* mesh = nullptr;
};

// All but triangles and vertices. Parallel.
LatticeCounts countLattice(const geometry::BitLattice& fluid, int dimensions,
                           const std::array<bool, 3>& periodic, const WhereOpen& open);

}  // namespace tessera::preprocess::plan
