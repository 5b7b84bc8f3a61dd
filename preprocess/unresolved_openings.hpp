// SPDX-License-Identifier: GPL-3.0-or-later
// Openings of a surface that no link of the lattice ends on: slivers of pores, side branches finer
// than the node spacing, ends inside another part.
#pragma once

#include <vector>

#include "preprocess/preprocess_options.hpp"
#include "preprocess/preprocess_report.hpp"

namespace tessera::preprocess {

// Makes these openings wall, renumbers the others and warns: on sides of --faces that keep another
// opening, and elsewhere those narrower than four nodes, unless --openings, --open or --faces asked
// for them or none would remain. label: of the surface's triangles. Throws StageError(Usage) for
// any other opening without a link.
void closeUnresolved(const PreprocessOptions& options, geometry::LatticeGeometry& geometry,
                     std::vector<geometry::Patch>& label, PreprocessReport& report);

}  // namespace tessera::preprocess
