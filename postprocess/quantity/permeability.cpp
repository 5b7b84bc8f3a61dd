// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/quantity/permeability.hpp"

#include <cmath>
#include <cstdio>

#include "preprocess/geometry/mesh.hpp"

namespace tessera::postprocess::quantity {

using results::OpeningSummary;
using results::Permeability;

namespace {

// Of the Reynolds number on sqrt(k). Forchheimer's law G = mu U / k (1 + c Re) with c = 0.55 (Ward
// 1964) is there 5.5 % off Darcy's.
constexpr double largestDarcyReynolds = 0.1;

// Rocks and packs have 1.2 to 3; where nothing passes, what is left goes round in circles.
constexpr double largestTortuosity = 10.0;

struct Medium {
  const fields::NodeLookup& lookup;
  const solver::file::Fields& fields;
  const fields::NodeSums& sums;
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
  result.blocked = !(result.superficial > 0.0) || result.tortuosity > largestTortuosity;
  result.inertial = result.poreReynolds > largestDarcyReynolds;
  return result;
}

std::optional<Permeability> byBodyForce(const Medium& medium) {
  const Double3& force = medium.fields.bodyForce;
  const double size = length(force);
  if (!(size > 0.0)) return std::nullopt;
  const tiler::TiledGeometry& geometry = medium.lookup.geometry;
  for (std::size_t a = 0; a < 3; ++a) {
    const bool driven = std::abs(dot(force, geometry.frame.axis[a])) > 1e-9 * size;
    if (driven && !geometry.periodic[a]) return std::nullopt;
  }
  return darcy(medium, (1.0 / size) * force, size);
}

// The axis of the box along which the normal points, when it does.
std::optional<std::size_t> axisAlong(const preprocess::geometry::Frame& frame,
                                     const Double3& normal) {
  for (std::size_t a = 0; a < 3; ++a)
    if (std::abs(dot(frame.axis[a], normal)) > 1.0 - 1e-9) return a;
  return std::nullopt;
}

std::optional<Permeability> byPressure(const Medium& medium,
                                       const std::vector<OpeningSummary>& openings) {
  const tiler::TiledGeometry& geometry = medium.lookup.geometry;
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

std::optional<Permeability> permeability(const fields::NodeLookup& lookup,
                                         const solver::file::Fields& fields,
                                         const fields::NodeSums& sums,
                                         const std::vector<OpeningSummary>& openings) {
  if (!fields.constantViscosity()) return std::nullopt;
  const Medium medium{lookup, fields, sums};
  return openings.empty() ? byBodyForce(medium) : byPressure(medium, openings);
}

namespace {

// The axis that the force lies along, where the report says that nothing passes along it.
std::string blockedAxes(const results::Results& results, const preprocess::geometry::Frame& frame) {
  std::string axes;
  if (!results.geometryReport) return axes;
  for (std::size_t a = 0; a < 3; ++a) {
    const bool driven = std::abs(dot(frame.axis[a], results.permeability->direction)) > 1.0 - 1e-9;
    if (driven && !results.geometryReport->percolates[a].value_or(true)) axes += "xyz"[a];
  }
  return axes;
}

}  // namespace

void warnAboutBlocked(results::Results& results, const preprocess::geometry::Frame& frame) {
  if (!results.permeability) return;
  Permeability& found = *results.permeability;
  const std::string axes = blockedAxes(results, frame);
  if (axes.empty() && !found.blocked) return;
  char size[160];
  std::snprintf(size, sizeof size, "%.2g m2 is no permeability but what is left of a flow at rest",
                found.value);
  std::string why = "no way through the fluid leads along " + axes;
  if (axes.empty()) {
    char turns[80];
    std::snprintf(turns, sizeof turns, "the fluid moves %.0f times as much as it gets on",
                  found.tortuosity);
    why = found.superficial > 0.0   ? turns
          : found.superficial < 0.0 ? "the fluid moves against the force"
                                    : "the fluid is at rest";
  }
  found.blocked = true;
  results.warnings.push_back("nothing passes along the driving force: " + why + ", so " + size +
                             "; drive it along an axis that percolates (tessera-preprocess says "
                             "which), or make the image periodic with --mirror");
}

}  // namespace tessera::postprocess::quantity
