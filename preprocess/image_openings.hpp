// SPDX-License-Identifier: GPL-3.0-or-later
// Sides of an image as openings, and whether fluid leads from one to the other.
#pragma once

#include <string>
#include <vector>

#include "preprocess/lattice/connectivity/components.hpp"
#include "preprocess/preprocess_report.hpp"
#include "preprocess/surface/openings/openings.hpp"

namespace tessera::preprocess {

// Gives the geometry an opening for each side, measured by its nodes, in their documented order;
// returns the faces of the box with their ids. Throws StageError(Usage) for a side without fluid.
std::vector<lattice::BoxFace> openSides(geometry::LatticeGeometry& geometry,
                                        const std::vector<surface::Side>& sides);

// The nodes at each of the geometry's openings, by its face.
std::vector<std::vector<std::uint64_t>> nodesByFace(const geometry::BitLattice& fluid,
                                                    const std::vector<lattice::BoxFace>& faces);

// As reportPaths, and which periodic axes percolate; one that does not is a warning. touching: by
// opening. file: for the sentence that refuses.
void reportPercolation(const geometry::LatticeGeometry& geometry,
                       const std::vector<surface::Side>& sides,
                       const std::vector<std::vector<std::uint64_t>>& touching,
                       const std::string& file, PreprocessReport& report);

}  // namespace tessera::preprocess
