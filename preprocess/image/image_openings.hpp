// SPDX-License-Identifier: GPL-3.0-or-later
// Sides of an image as openings, and whether fluid leads from one to the other.
#pragma once

#include <string>
#include <vector>

#include "preprocess/lattice/components.hpp"
#include "preprocess/preprocess_report.hpp"
#include "preprocess/surface/openings.hpp"

namespace tessera {

// Gives the geometry an opening for each side, measured by its nodes, in their documented order;
// returns the faces of the box with their ids. Throws StageError(Usage) for a side without fluid.
std::vector<BoxFace> openSides(LatticeGeometry& geometry, const std::vector<Side>& sides);

// The nodes at each of the geometry's openings, by its face.
std::vector<std::vector<std::uint64_t>> nodesByFace(const BitLattice& fluid,
                                                    const std::vector<BoxFace>& faces);

// As reportPaths, and which periodic axes percolate; one that does not is a warning. touching: by
// opening. file: for the sentence that refuses.
void reportPercolation(const LatticeGeometry& geometry, const std::vector<Side>& sides,
                       const std::vector<std::vector<std::uint64_t>>& touching,
                       const std::string& file, PreprocessReport& report);

}  // namespace tessera
