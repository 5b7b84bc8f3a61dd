// SPDX-License-Identifier: GPL-3.0-or-later
// Winding of a mesh: neighbours first, then each part outward.
#pragma once

#include <cstdint>

#include "preprocess/surface/topology/edge_table.hpp"
#include "preprocess/surface/topology/parts.hpp"

namespace tessera::preprocess::surface {

// Turns triangles so that any two that meet alone on an edge run along it in opposite directions,
// starting from the first triangle of each part. Returns how many were turned.
std::uint64_t windAlike(geometry::TriangleMesh& mesh, const EdgeTable& edges);

struct OutwardTurn {
  std::uint64_t turned = 0;    // parts whose winding was reversed
  std::uint64_t cavities = 0;  // parts that are wound inward now
  std::uint64_t covered = 0;   // parts that lie in another one and are wound like it
};

// Turns each connected part of a closed mesh so that its volume is positive, except for parts that
// lie in another one: there the file's winding against the smallest part around them counts. Wound
// against it, a part is a cavity of it, or a body in the cavity; wound like it, the same thing once
// more, which changes nothing. Parts that merely overlap are both outward, and their union is what
// they enclose. parts: of the mesh as it is.
OutwardTurn turnOutward(geometry::TriangleMesh& mesh, const Parts& parts);

}  // namespace tessera::preprocess::surface
