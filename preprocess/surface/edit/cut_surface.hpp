// SPDX-License-Identifier: GPL-3.0-or-later
// --cut: vessels that end at planes. Triangles are divided exactly where the plane crosses the
// vessel and nowhere else; what hangs on to them beyond it goes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "preprocess/surface/repair/close_surface.hpp"
#include "preprocess/surface/repair/repair.hpp"

namespace tessera::preprocess::surface {

struct CutEnds {
  // By cut: the vertices in its plane along which the surface is open now, ascending.
  std::vector<std::vector<std::uint32_t>> rim;
  std::vector<std::string> warnings;  // points that lie far from what was cut
};

// Cuts one plane after the other. The surface may be open elsewhere and need not be wound outward.
// Vertices within the tolerance (m) of a plane move onto it. Throws StageError(Usage) when a plane
// crosses nothing, the surface is open where it crosses it, or what lies beyond hangs together with
// what lies before it another way.
CutEnds cutAway(geometry::TriangleMesh& mesh, const std::vector<CutPlane>& planes,
                double tolerance);

// Tells the loops that lie on the rims. Throws StageError(Usage) when one of the rims is gone,
// since a later cut removed it.
void markCuts(const CutEnds& ends, const std::vector<CutPlane>& planes,
              std::vector<BoundaryLoop>& loops);

// Covers the loops that were marked; those of one cut are one opening.
std::vector<Cap> coverCuts(geometry::TriangleMesh& mesh, const std::vector<BoundaryLoop>& loops);

}  // namespace tessera::preprocess::surface
