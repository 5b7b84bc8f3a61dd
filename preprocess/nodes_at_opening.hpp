// SPDX-License-Identifier: GPL-3.0-or-later
// Nodes at an opening before the lattice is made.
#pragma once

#include "preprocess/geometry/frame.hpp"
#include "preprocess/geometry/mesh.hpp"
#include "preprocess/geometry/patch.hpp"

namespace tessera::preprocess {

// Whether a link along the axis nearest to the opening's normal ends on the opening, from a node of
// the straight vessel behind it: the lattice keeps such an opening. mesh: labelled, in metres.
bool linkEndsOn(const geometry::Opening& opening, const geometry::TriangleMesh& mesh,
                const geometry::Frame& frame);

}  // namespace tessera::preprocess
