// SPDX-License-Identifier: GPL-3.0-or-later
// Implicit surface: zero set of a signed distance function, meshed by isosurface() and relax().
#pragma once

#include <algorithm>
#include <functional>

#include "preprocess/geometry/mesh.hpp"

namespace tessera::preprocess::geometry {

// Negative inside, lengths in the unit of the points. The gradient is about 1 near the surface and
// at most 1 elsewhere, so that |value| does not exceed the distance to the surface.
struct Distance {
  double value = 0.0;
  Double3 gradient{};
};
using DistanceField = std::function<Distance(const Double3&)>;

// Projects a point near the surface onto it by Newton steps.
inline Double3 ontoSurface(const DistanceField& field, Double3 point, int steps) {
  constexpr double flattest = 0.1;  // gradients of two parts may cancel; bounds the step
  for (int step = 0; step < steps; ++step) {
    const Distance d = field(point);
    const double slope = std::max(dot(d.gradient, d.gradient), flattest);
    point = point - (d.value / slope) * d.gradient;
  }
  return point;
}

}  // namespace tessera::preprocess::geometry
