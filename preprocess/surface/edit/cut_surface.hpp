// SPDX-License-Identifier: GPL-3.0-or-later
// --cut: ends vessels at planes. Triangles are split only where the plane crosses the vessel; the
// part beyond it is removed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "preprocess/geometry/mesh.hpp"
#include "preprocess/surface/repair/close_surface.hpp"
#include "preprocess/surface/repair/repair.hpp"

namespace tessera::preprocess::surface {

struct CutEnds {
  // By cut: vertices in its plane along which the surface is now open, ascending.
  std::vector<std::vector<std::uint32_t>> rim;
  std::vector<std::string> warnings;  // points far from their cross-section
};

// Cuts at the planes in turn. The surface may be open elsewhere and inconsistently oriented.
// Vertices within the tolerance (m) of a plane move onto it. Throws StageError(Usage) when a plane
// crosses nothing, the surface is open where it crosses it, or both sides are also connected
// elsewhere.
CutEnds cutAway(geometry::TriangleMesh& mesh, const std::vector<CutPlane>& planes,
                double tolerance);

// Assigns loops on the rims to their cuts. Throws StageError(Usage) when a later cut removed a rim.
void markCuts(const CutEnds& ends, const std::vector<CutPlane>& planes,
              std::vector<BoundaryLoop>& loops);

// Covers the assigned loops; those of one cut are one opening.
std::vector<Cap> coverCuts(geometry::TriangleMesh& mesh, const std::vector<BoundaryLoop>& loops);

// Suggested --cut for a closed surface without openings.

// Text of a tested --cut: a cross-section about one radius before the end farthest from the
// surface's centroid, perpendicular to the vessel. Absent for surfaces without such an end: a ball,
// a box. metresPerUnit: of the text's point.
std::optional<std::string> suggestCut(const geometry::TriangleMesh& mesh, double metresPerUnit);

}  // namespace tessera::preprocess::surface
