// SPDX-License-Identifier: GPL-3.0-or-later
// --name: user-defined names of openings; their ids stay.
#pragma once

#include <vector>

#include "preprocess/geometry/mesh.hpp"
#include "preprocess/preprocess_options.hpp"

namespace tessera::preprocess {

// Throws StageError(Usage) when a request names no opening, or two openings get the same name.
void nameOpenings(const std::vector<OpeningName>& requests,
                  std::vector<geometry::Opening>& openings);

// text: an id if it is a whole number, otherwise a name.
bool refersTo(const std::string& text, const geometry::Opening& opening);

// For messages: "it has 1 (inlet), 2 (opening2)".
std::string listOf(const std::vector<geometry::Opening>& openings);

// --extend: straight tubes at openings, and their largest possible length.

// Extends the openings in the order of their ids; a request for one opening overrides that for all.
// mesh: labelled, metres. Returns the length (m) of each opening's tube, 0 without one; empty
// without requests. Throws StageError(Usage) for an unknown opening, or a tube that would run into
// the surface or another tube.
std::vector<double> extendOpenings(const std::vector<OpeningExtension>& requests,
                                   geometry::TriangleMesh& mesh,
                                   std::vector<geometry::Opening>& openings);

}  // namespace tessera::preprocess
