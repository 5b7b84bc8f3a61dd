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

// Integrates over the connected part of the plane's cross-section that contains the point, by the
// quadrature of tiler::PlaneSection, which the monitor's stations have too; nullopt if the point is
// solid. point in m, normal unit, both in the world.
std::optional<CrossSection> crossSection(const fields::NodeLookup& lookup,
                                         const solver::file::Fields& fields, const Double3& point,
                                         const Double3& normal);

}  // namespace tessera::postprocess::quantity
