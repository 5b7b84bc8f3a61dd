// SPDX-License-Identifier: GPL-3.0-or-later
// Sides of an image as openings, and whether fluid leads from one to the other.
#pragma once

#include <string>
#include <vector>

#include "preprocess/image/percolation.hpp"
#include "preprocess/lattice/components.hpp"
#include "preprocess/preprocess_report.hpp"
#include "preprocess/surface/openings.hpp"

namespace tessera {

// Gives the geometry an opening for each side, measured by its nodes, in their documented order;
// returns the faces of the box with their ids. Throws StageError(Usage) for a side without fluid.
std::vector<BoxFace> openSides(LatticeGeometry& geometry, const std::vector<Side>& sides);

// The nodes at each of the geometry's openings: on its face, or by the links that end on it.
std::vector<std::vector<std::uint64_t>> nodesByFace(const BitLattice& fluid,
                                                    const std::vector<BoxFace>& faces);
std::vector<std::vector<std::uint64_t>> nodesByLink(const LatticeGeometry& geometry);

// Adds connected parts, effective porosity and axes that percolate to the report. touching: by
// opening. Throws StageError(BadInput) when fluid does not lead from the first of the openings that
// are sides to each of the others; what else does not percolate is a warning. file: for the
// sentence.
void reportPercolation(const LatticeGeometry& geometry, const std::vector<Side>& sides,
                       const std::vector<std::vector<std::uint64_t>>& touching,
                       const std::string& file, PreprocessReport& report);

}  // namespace tessera
