// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/permeability.hpp"

#include <cmath>

#include "preprocess/surface/mesh.hpp"

namespace tessera {

namespace {

// Of the Reynolds number on sqrt(k). Forchheimer's law G = mu U / k (1 + c Re) with c = 0.55 (Ward
// 1964) is there 5.5 % off Darcy's.
constexpr double largestDarcyReynolds = 0.1;

struct Medium {
  const NodeLookup& lookup;
  const Fields& fields;
  const NodeSums& sums;
};

std::optional<Permeability> darcy(const Medium& medium, const Double3& direction, double gradient) {
  if (!(gradient > 0.0)) return std::nullopt;
  const auto& [lookup, fields, sums] = medium;
  const Int3& n = lookup.geometry.nodes;
  const double box = static_cast<double>(n[0]) * static_cast<double>(n[1]) * n[2];
  Permeability result;
  result.direction = direction;
  result.pressureGradient = gradient;
  result.velocity = (1.0 / box) * lookup.geometry.frame.directionToWorld(sums.velocity);
  result.superficial = dot(result.velocity, direction);
  result.value = fields.density * fields.kinematicViscosity * result.superficial / gradient;
  result.porosity = static_cast<double>(lookup.geometry.fluidNodes) / box;
  if (result.superficial > 0.0) {
    result.tortuosity = sums.speed / box / result.superficial;
    result.poreReynolds = result.superficial * std::sqrt(result.value) / fields.kinematicViscosity;
  }
  result.inertial = result.poreReynolds > largestDarcyReynolds;
  return result;
}

std::optional<Permeability> byBodyForce(const Medium& medium) {
  const Double3& force = medium.fields.bodyForce;
  const double size = length(force);
  if (!(size > 0.0)) return std::nullopt;
  const TiledGeometry& geometry = medium.lookup.geometry;
  for (std::size_t a = 0; a < 3; ++a) {
    const bool driven = std::abs(dot(force, geometry.frame.axis[a])) > 1e-9 * size;
    if (driven && !geometry.periodic[a]) return std::nullopt;
  }
  return darcy(medium, (1.0 / size) * force, size);
}

// The axis of the box along which the normal points, when it does.
std::optional<std::size_t> axisAlong(const Frame& frame, const Double3& normal) {
  for (std::size_t a = 0; a < 3; ++a)
    if (std::abs(dot(frame.axis[a], normal)) > 1.0 - 1e-9) return a;
  return std::nullopt;
}

std::optional<Permeability> byPressure(const Medium& medium,
                                       const std::vector<OpeningSummary>& openings) {
  const TiledGeometry& geometry = medium.lookup.geometry;
  if (openings.size() != 2 || !geometry.surface.triangle.empty()) return std::nullopt;
  const bool firstIsInlet = openings[0].meanPressure >= openings[1].meanPressure;
  const OpeningSummary& inlet = openings[firstIsInlet ? 0 : 1];
  const OpeningSummary& outlet = openings[firstIsInlet ? 1 : 0];
  const auto axis = axisAlong(geometry.frame, outlet.normal);
  if (!axis || dot(inlet.normal, outlet.normal) > -1.0 + 1e-9) return std::nullopt;
  const double extent = geometry.nodes[*axis] * geometry.frame.spacing;
  const double gradient = (inlet.meanPressure - outlet.meanPressure) / extent +
                          dot(medium.fields.bodyForce, outlet.normal);
  return darcy(medium, outlet.normal, gradient);
}

}  // namespace

std::optional<Permeability> permeability(const NodeLookup& lookup, const Fields& fields,
                                         const NodeSums& sums,
                                         const std::vector<OpeningSummary>& openings) {
  if (!fields.constantViscosity()) return std::nullopt;
  const Medium medium{lookup, fields, sums};
  return openings.empty() ? byBodyForce(medium) : byPressure(medium, openings);
}

}  // namespace tessera
