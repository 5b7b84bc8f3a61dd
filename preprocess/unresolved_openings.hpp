// SPDX-License-Identifier: GPL-3.0-or-later
// Openings of a surface that the lattice does not resolve: side branches of fewer than two nodes
// across, slivers of pores, ends inside another part.
#pragma once

#include <vector>

#include "preprocess/preprocess_options.hpp"
#include "preprocess/preprocess_report.hpp"
#include "preprocess/surface_plan.hpp"

namespace tessera::preprocess {

// Makes openings of fewer than two nodes across wall, whether nodes lie there or not, renumbers the
// others and warns; --openings, --open, --faces and --across by that opening keep them. Requires
// the lattice's spacing. Throws StageError(Usage) with a spacing that works where the opening is
// the widest or one of the two widest, or is called inlet.
void closeUnresolvedBranches(const PreprocessOptions& options, SurfacePlan& plan);

// Makes openings that no link of the lattice ends on wall, renumbers the others and warns: on sides
// of --faces that keep another opening, and elsewhere those narrower than four nodes, unless
// --openings, --open or --faces asked for them or none would remain. label: of the surface's
// triangles. Throws StageError(Usage) for any other opening without a link.
void closeUnresolved(const PreprocessOptions& options, geometry::LatticeGeometry& geometry,
                     std::vector<geometry::Patch>& label, PreprocessReport& report);

}  // namespace tessera::preprocess
