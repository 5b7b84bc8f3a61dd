// SPDX-License-Identifier: GPL-3.0-or-later
// Orientation of a mesh: consistent between neighbours, then each part outward.
#pragma once

#include <cstdint>

#include "preprocess/surface/topology/edge_table.hpp"
#include "preprocess/surface/topology/parts.hpp"

namespace tessera::preprocess::surface {

// Reverses triangles so that any two that alone share an edge traverse it in opposite directions;
// the majority of each part keeps its orientation. Returns the number of triangles reversed.
std::uint64_t orientConsistently(geometry::TriangleMesh& mesh, const EdgeTable& edges);

struct OutwardTurn {
  std::uint64_t turned = 0;                // parts reversed
  std::uint64_t cavities = 0;              // parts now oriented inward
  std::uint64_t covered = 0;               // parts in another one with the same orientation
  std::vector<std::size_t> coveredPart{};  // their indices
};

// Orients each connected part of a closed mesh to positive volume, except for parts inside another
// one: there the file's orientation relative to the smallest part around them counts. With the
// opposite orientation a part is a cavity, or a body in the cavity; with the same one it has no
// effect. Parts that only overlap are both outward and enclose their union. parts: of the mesh
// before.
OutwardTurn turnOutward(geometry::TriangleMesh& mesh, const Parts& parts);

}  // namespace tessera::preprocess::surface
