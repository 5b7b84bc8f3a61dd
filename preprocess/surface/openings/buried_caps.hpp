// SPDX-License-Identifier: GPL-3.0-or-later
// Ends of parts that lie inside other parts, where fluid goes on: a side branch that begins within
// the main vessel. They are no openings; nor are the ends of a part that another one covers.
#pragma once

#include <cstdint>
#include <vector>

#include "preprocess/surface/repair/repair.hpp"
#include "preprocess/surface/topology/parts.hpp"

namespace tessera::preprocess::surface {

// Drops the caps beyond which the fluid of other parts goes on wherever it is asked, and those
// within which there is the fluid of a larger part; the other caps keep their order. The mesh,
// closed and outward, stays as it is, so their triangles are walls. parts: of the mesh. Returns how
// many ends that were, counting caps that begin with the same triangle once.
std::uint64_t dropBuriedCaps(const geometry::TriangleMesh& mesh, const Parts& parts,
                             std::vector<Cap>& caps);

}  // namespace tessera::preprocess::surface
