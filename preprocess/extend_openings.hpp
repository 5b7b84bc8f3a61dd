// SPDX-License-Identifier: GPL-3.0-or-later
// --extend: which openings get a straight tube, and how long it may be.
#pragma once

#include <vector>

#include "preprocess/geometry/mesh.hpp"
#include "preprocess/preprocess_options.hpp"

namespace tessera::preprocess {

// One after the other by id; the request that names an opening goes before that for all of them.
// mesh: labelled, metres. Returns the length (m) of each opening's tube, 0 without one; empty
// without requests. Throws StageError(Usage) for an opening that there is not, or a tube that would
// run into the surface or another tube.
std::vector<double> extendOpenings(const std::vector<OpeningExtension>& requests,
                                   geometry::TriangleMesh& mesh,
                                   std::vector<geometry::Opening>& openings);

}  // namespace tessera::preprocess
