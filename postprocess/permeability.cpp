// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/permeability.hpp"

#include <cmath>

#include "preprocess/surface/mesh.hpp"

namespace tessera {

namespace {

// Mean velocity over the box, m/s, lattice axes; summed in the fields' order.
Double3 superficialVelocity(const TiledGeometry& geometry, const Fields& fields) {
  Double3 sum{};
  for (const auto& velocity : fields.velocity)
    for (std::size_t a = 0; a < 3; ++a) sum[a] += static_cast<double>(velocity[a]);
  const Int3& n = geometry.nodes;
  const double box = static_cast<double>(n[0]) * static_cast<double>(n[1]) * n[2];
  return (fields.velocityFactor / box) * sum;
}

std::optional<Permeability> darcy(const NodeLookup& lookup, const Fields& fields,
                                  const Double3& direction, double gradient) {
  if (!(gradient > 0.0)) return std::nullopt;
  const Frame& frame = lookup.geometry.frame;
  Permeability result;
  result.direction = direction;
  result.pressureGradient = gradient;
  result.superficial =
      dot(frame.directionToWorld(superficialVelocity(lookup.geometry, fields)), direction);
  result.value = fields.density * fields.kinematicViscosity * result.superficial / gradient;
  return result;
}

std::optional<Permeability> byBodyForce(const NodeLookup& lookup, const Fields& fields) {
  const Double3& force = fields.bodyForce;
  const double size = length(force);
  if (!(size > 0.0)) return std::nullopt;
  const Frame& frame = lookup.geometry.frame;
  for (std::size_t a = 0; a < 3; ++a) {
    const bool driven = std::abs(dot(force, frame.axis[a])) > 1e-9 * size;
    if (driven && !lookup.geometry.periodic[a]) return std::nullopt;
  }
  return darcy(lookup, fields, (1.0 / size) * force, size);
}

// The axis of the box along which the normal points, when it does.
std::optional<std::size_t> axisAlong(const Frame& frame, const Double3& normal) {
  for (std::size_t a = 0; a < 3; ++a)
    if (std::abs(dot(frame.axis[a], normal)) > 1.0 - 1e-9) return a;
  return std::nullopt;
}

std::optional<Permeability> byPressure(const NodeLookup& lookup, const Fields& fields,
                                       const std::vector<OpeningSummary>& openings) {
  const TiledGeometry& geometry = lookup.geometry;
  if (openings.size() != 2 || !geometry.surface.triangle.empty()) return std::nullopt;
  const bool firstIsInlet = openings[0].meanPressure >= openings[1].meanPressure;
  const OpeningSummary& inlet = openings[firstIsInlet ? 0 : 1];
  const OpeningSummary& outlet = openings[firstIsInlet ? 1 : 0];
  const auto axis = axisAlong(geometry.frame, outlet.normal);
  if (!axis || dot(inlet.normal, outlet.normal) > -1.0 + 1e-9) return std::nullopt;
  const double extent = geometry.nodes[*axis] * geometry.frame.spacing;
  const double gradient =
      (inlet.meanPressure - outlet.meanPressure) / extent + dot(fields.bodyForce, outlet.normal);
  return darcy(lookup, fields, outlet.normal, gradient);
}

}  // namespace

std::optional<Permeability> permeability(const NodeLookup& lookup, const Fields& fields,
                                         const std::vector<OpeningSummary>& openings) {
  if (!fields.constantViscosity()) return std::nullopt;
  return openings.empty() ? byBodyForce(lookup, fields) : byPressure(lookup, fields, openings);
}

}  // namespace tessera
