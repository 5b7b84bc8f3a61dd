// SPDX-License-Identifier: GPL-3.0-or-later
// Flow through a cross-section by quadrature on its plane.
#pragma once

#include <optional>

#include "postprocess/fields/node_lookup.hpp"
#include "solver/file/fields_file.hpp"

namespace tessera::postprocess::quantity {

struct CrossSection {
  double area = 0.0;          // m2
  Double3 centroid{};         // m, world
  double flowRate = 0.0;      // m3/s, positive along the normal
  double meanVelocity = 0.0;  // m/s, along the normal
  double peakVelocity = 0.0;  // m/s, the largest magnitude
  double meanPressure = 0.0;  // Pa, gauge
  double peakPressure = 0.0;  // Pa, gauge, the highest
};

// Integrates over the connected part of the plane's cross-section that contains the point, which
// ends at cut links; nullopt if the point is solid. Walls are halfway along their links, and the
// velocity falls linearly to zero there. point in m, normal unit, both in the world. Quadrature
// points are a quarter of a node apart, in large sections (radius above 40, 80 nodes) a half or a
// whole node.
std::optional<CrossSection> crossSection(const fields::NodeLookup& lookup,
                                         const solver::file::Fields& fields, const Double3& point,
                                         const Double3& normal);

}  // namespace tessera::postprocess::quantity
