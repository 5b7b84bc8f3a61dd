// SPDX-License-Identifier: GPL-3.0-or-later
// Winding of a mesh: neighbours first, then each part outward.
#pragma once

#include <cstdint>

#include "preprocess/surface/edge_table.hpp"
#include "preprocess/surface/parts.hpp"

namespace tessera {

// Turns triangles so that any two that meet alone on an edge run along it in opposite directions,
// starting from the first triangle of each part. Returns how many were turned.
std::uint64_t windAlike(TriangleMesh& mesh, const EdgeTable& edges);

struct OutwardTurn {
  std::uint64_t turned = 0;    // parts that were inside-out
  std::uint64_t cavities = 0;  // parts left inward, since they lie within another one
};

// Turns each connected part of a closed mesh so that its volume is positive, except for a part
// that lies in another one and was wound against it: a cavity. parts: of the mesh as it is.
OutwardTurn turnOutward(TriangleMesh& mesh, const Parts& parts);

}  // namespace tessera
