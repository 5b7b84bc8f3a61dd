// SPDX-License-Identifier: GPL-3.0-or-later
// Sides of an image as openings and walls, and percolation between them.
#pragma once

#include <string>
#include <vector>

#include "preprocess/lattice/connectivity/components.hpp"
#include "preprocess/lattice/links/links.hpp"
#include "preprocess/preprocess_options.hpp"
#include "preprocess/preprocess_report.hpp"
#include "preprocess/surface/openings/openings.hpp"

namespace tessera::preprocess {

// Adds an opening for each side, measured by its nodes, in documented order; returns the sides of
// the box with their ids. Throws StageError(Usage) for a side without fluid.
std::vector<lattice::BoxFace> openSides(geometry::LatticeGeometry& geometry,
                                        const std::vector<surface::Side>& sides);

// Fluid nodes at each of the geometry's openings, by its side.
std::vector<std::vector<std::uint64_t>> nodesByFace(const geometry::BitLattice& fluid,
                                                    const std::vector<lattice::BoxFace>& faces);

// As reportPaths(), and which periodic axes percolate, with a warning for those that do not.
// touching: fluid nodes by opening. file: for error messages.
void reportPercolation(const geometry::LatticeGeometry& geometry,
                       const std::vector<surface::Side>& sides,
                       const std::vector<std::vector<std::uint64_t>>& touching,
                       const std::string& file, PreprocessReport& report);

// Named walls of an image's sides: lids, plates, planes of symmetry. Adds the names to the
// geometry, in the order given, after "wall"; sides of one name are one wall. Throws
// StageError(Usage) for a side without fluid.
std::vector<lattice::WallFace> nameSides(geometry::LatticeGeometry& geometry,
                                         const std::vector<SideWall>& sides);

}  // namespace tessera::preprocess
