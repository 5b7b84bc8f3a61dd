// SPDX-License-Identifier: GPL-3.0-or-later
// A surface as the zero set of a function: what isosurface() meshes and relax() keeps to.
#pragma once

#include <functional>

#include "preprocess/geometry/mesh.hpp"

namespace tessera::preprocess::geometry {

// Negative inside, lengths in the unit of the points. The gradient is about 1 near the surface and
// nowhere longer than 1, so that |value| is no more than the distance to the surface.
struct Distance {
  double value = 0.0;
  Double3 gradient{};
};
using DistanceField = std::function<Distance(const Double3&)>;

// Moves the point onto the field's zero surface, near which it must lie, by Newton steps.
Double3 ontoSurface(const DistanceField& field, Double3 point, int steps);

}  // namespace tessera::preprocess::geometry
