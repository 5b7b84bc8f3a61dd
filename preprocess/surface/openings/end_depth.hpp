// SPDX-License-Identifier: GPL-3.0-or-later
// Depth of a vessel behind a flat face: an end has a long vessel behind it, the flank of a duct the
// other flank.
#pragma once

#include <cstdint>
#include <span>

#include "preprocess/surface/openings/rim_turn.hpp"
#include "preprocess/surface/topology/edge_table.hpp"

namespace tessera::preprocess::surface {

// Depth of the vessel behind a region over the length of its rim's longest chord: the distance
// against its normal to the wall that faces it, median over 16 places spread over its area (ray and
// triangle after Moeller and Trumbore 1997). mesh: closed and outward; edges, frame: of the rim.
double depthOverLength(const geometry::TriangleMesh& mesh, std::span<const std::uint32_t> region,
                       std::span<const EndEdge> edges, const RimFrame& frame);

}  // namespace tessera::preprocess::surface
