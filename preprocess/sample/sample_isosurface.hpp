// SPDX-License-Identifier: GPL-3.0-or-later
// The zero surface of a distance field as a smooth, evenly sized triangle mesh: surface nets
// (Gibson, "Constrained elastic surface nets", MICCAI 1998) on the cells near the surface, every
// vertex moved onto the surface by Newton steps; exact circular ends by cutting; tangential
// relaxation for well-shaped triangles. Lengths in metres, the same bytes on any number of threads.
#pragma once

#include <span>

#include "preprocess/sample/sample_field.hpp"

namespace tessera {

// Closed, oriented outwards. The field must vary no faster than distance does, and the surface lie
// inside the box. cell: side of a grid cell; the triangles' edges average about 0.9 of it.
TriangleMesh isosurface(const DistanceField& field, const Double3& low, const Double3& high,
                        double cell);

// The end of a tube: what lies beyond the plane and within reach of the centre is cut off. Near it
// the surface must be the circular cylinder about (centre, normal).
struct TubeEnd {
  Double3 centre{};
  Double3 normal{};  // unit, out of the vessel
  double radius = 0.0;
  double reach = 0.0;
};

// Cuts the mesh open; the rim's vertices lie on the circle. cell as above.
void cutEnd(TriangleMesh& mesh, const TubeEnd& end, double cell);

// Moves vertices along the surface towards the middle of their neighbours, rim vertices along
// their circle, and flips edges towards Delaunay.
void relax(TriangleMesh& mesh, const DistanceField& field, std::span<const TubeEnd> ends,
           int rounds);

}  // namespace tessera
