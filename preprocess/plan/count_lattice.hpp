// SPDX-License-Identifier: GPL-3.0-or-later
// What a lattice holds, counted: for images, whose nodes are known before any of the work.
#pragma once

#include <span>

#include "preprocess/lattice/links.hpp"
#include "preprocess/plan/lattice_counts.hpp"

namespace tessera {

// faces: sides of the box that are openings. Parallel.
LatticeCounts countLattice(const BitLattice& fluid, int dimensions,
                           const std::array<bool, 3>& periodic, std::span<const BoxFace> faces);

}  // namespace tessera
