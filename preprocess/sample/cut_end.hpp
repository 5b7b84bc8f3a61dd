// SPDX-License-Identifier: GPL-3.0-or-later
// The open ends of sample vessels: exact circles normal to the centreline. Lengths in metres.
#pragma once

#include <span>

#include "preprocess/mesher/relax.hpp"

namespace tessera::preprocess::sample {

// The end of a tube: what lies beyond the plane and within reach of the centre is cut off. Near it
// the surface must be the circular cylinder about (centre, normal).
struct TubeEnd {
  Double3 centre{};
  Double3 normal{};  // unit, out of the vessel
  double radius = 0.0;
  double reach = 0.0;
};

// Cuts the mesh open; the rim's vertices lie on the circle. cell: the grid cell of the mesh.
void cutEnd(geometry::TriangleMesh& mesh, const TubeEnd& end, double cell);

// Keeps rim vertices on the circle that they are nearest to; the ends must outlive it.
mesher::RimPlace alongCircles(std::span<const TubeEnd> ends);

}  // namespace tessera::preprocess::sample
