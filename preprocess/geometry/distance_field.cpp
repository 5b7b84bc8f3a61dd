// SPDX-License-Identifier: GPL-3.0-or-later
// Newton steps onto the zero surface of a field.
#include "preprocess/geometry/distance_field.hpp"

#include <algorithm>

namespace tessera::preprocess::geometry {

Double3 ontoSurface(const DistanceField& field, Double3 point, int steps) {
  constexpr double flattest = 0.1;  // gradients of two parts may cancel, which must not throw far
  for (int step = 0; step < steps; ++step) {
    const Distance d = field(point);
    const double slope = std::max(dot(d.gradient, d.gradient), flattest);
    point = point - (d.value / slope) * d.gradient;
  }
  return point;
}

}  // namespace tessera::preprocess::geometry
