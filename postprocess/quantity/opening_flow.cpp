// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/quantity/opening_flow.hpp"

#include <algorithm>
#include <cmath>

#include "pipelines/stage/system/parallel_for.hpp"
#include "postprocess/quantity/cross_section.hpp"
#include "preprocess/geometry/mesh.hpp"

namespace tessera::postprocess::quantity {

using results::OpeningSummary;

namespace {

std::optional<CrossSection> justInside(const preprocess::geometry::Opening& opening,
                                       const fields::NodeLookup& lookup,
                                       const solver::file::Fields& fields) {
  for (const double depth : {2.0, 3.0, 4.0}) {
    const Double3 point = opening.centre - (depth * lookup.geometry.frame.spacing) * opening.normal;
    if (const auto section = crossSection(lookup, fields, point, opening.normal)) return section;
  }
  return std::nullopt;
}

struct OnPlane {
  double pressure = 0.0;  // Pa
  double distance = 0.0;  // of the plane from the nodes, spacings
};

// Mean over the links that end on the opening, each with the area it stands for, of the pressure on
// its plane: extrapolated along the link from its node and the one before. pressure(k): Pa at node
// k of the fields.
template <class Pressure>
std::optional<OnPlane> onPlane(const preprocess::geometry::Opening& opening,
                               const fields::NodeLookup& lookup, const Pressure& pressure) {
  constexpr double weights[] = {0.0, 2.0 / 27.0, 1.0 / 54.0, 1.0 / 216.0};  // of D3Q27
  constexpr double farthest = 8.0;  // parts of a link; a whole one where the opening is plane
  const tiler::TiledGeometry& g = lookup.geometry;
  const preprocess::geometry::Patch patch = preprocess::geometry::openingPatch(opening.id);
  const Double3 centre = g.frame.toLattice(opening.centre);
  Double3 normal{};
  for (std::size_t a = 0; a < 3; ++a) normal[a] = dot(g.frame.axis[a], opening.normal);
  double sum = 0.0, area = 0.0, distance = 0.0;
  // Slope along the normal of links with a node before, for those without, at the rim.
  double slope = 0.0, known = 0.0, missing = 0.0;
  const auto add = [&](const Int3& node, int direction) {
    const Int3 step = preprocess::geometry::directionStep(direction);
    double cn = 0.0, ahead = 0.0;
    int squared = 0;
    Int3 behind{}, back{};
    for (std::size_t a = 0; a < 3; ++a) {
      cn += step[a] * normal[a];
      ahead += (centre[a] - node[a]) * normal[a];
      squared += step[a] * step[a];
      back[a] = -step[a];
      behind[a] = node[a] - step[a];
    }
    const std::int64_t found = lookup.indexOf(node);
    const std::int64_t before = lookup.indexOf(behind);
    if (found < 0 || !(cn > 0.0)) return;
    const auto here = static_cast<std::size_t>(found);
    const double share = weights[squared] * cn;
    sum += share * pressure(here);
    area += share;
    ahead = std::clamp(ahead / cn, -farthest, farthest) * cn;
    distance += share * ahead;
    if (before < 0 || !lookup.connected(node, back)) {
      missing += share * ahead;
      return;
    }
    const double own = (pressure(here) - pressure(static_cast<std::size_t>(before))) / cn;
    sum += share * ahead * own;
    slope += share * own;
    known += share;
  };
  for (std::size_t t = 0; t < g.tiles(); ++t) {
    if ((g.tileFlags[t] & tiler::tileHasOpening) == 0) continue;
    tiler::forBoundaryNodes(g, t, [&](std::uint8_t local, std::uint32_t mask, std::uint64_t link) {
      for (; mask != 0; mask &= mask - 1, ++link)
        if (g.linkPatch[link] == patch) add(g.nodeOf(t, local), std::countr_zero(mask));
    });
  }
  if (!(area > 0.0)) return std::nullopt;
  if (known > 0.0) sum += missing * slope / known;
  return OnPlane{sum / area, distance / area};
}

// Sets the pressures at the plane.
void addPlane(const preprocess::geometry::Opening& opening, const fields::NodeLookup& lookup,
              const solver::file::Fields& fields, OpeningSummary& summary) {
  summary.meanPressure = summary.nodePressure;
  const auto atEnd = onPlane(opening, lookup,
                             [&](std::size_t k) { return fields.pressurePa(fields.pressure[k]); });
  if (!atEnd) return;
  summary.meanPressure = atEnd->pressure;
  summary.planeDistance = atEnd->distance * lookup.geometry.frame.spacing;
  if (!fields.means || fields.means->pressure.size() != fields.pressure.size()) return;
  const auto overPeriod = onPlane(opening, lookup, [&](std::size_t k) {
    return fields.means->pressureReference + fields.means->pressure[k] * fields.pressureFactor;
  });
  summary.meanPressureOverPeriod = overPeriod->pressure;
}

OpeningSummary summarise(const preprocess::geometry::Opening& opening,
                         const fields::NodeLookup& lookup, const solver::file::Fields& fields) {
  OpeningSummary summary;
  summary.id = opening.id;
  summary.name = opening.name;
  summary.centre = opening.centre;
  summary.normal = opening.normal;
  summary.area = opening.area;
  summary.radius = opening.radius;
  summary.diameter = lookup.geometry.dimensions == 2 ? opening.area / lookup.geometry.frame.spacing
                                                     : 2.0 * opening.radius;
  for (const solver::file::OpeningResult& result : fields.openings) {
    if (result.id != opening.id) continue;
    summary.name = result.name.empty() ? opening.name : result.name;
    summary.kind = result.kind;
    summary.flowRate = result.flowRate;
    summary.nodePressure = result.meanPressure;
    summary.force = result.force;
  }
  addPlane(opening, lookup, fields, summary);
  if (opening.area > 0.0) summary.meanVelocity = std::abs(summary.flowRate) / opening.area;
  if (fields.kinematicViscosity > 0.0)
    summary.reynolds = summary.meanVelocity * summary.diameter / fields.kinematicViscosity;
  if (const auto section = justInside(opening, lookup, fields)) {
    summary.flowRateInside = section->flowRate;
    summary.peakVelocity = section->peakVelocity;
    summary.peakPressure = section->peakPressure;
  }
  return summary;
}

// Area-weighted mean.
std::optional<double> inletPressure(const std::vector<OpeningSummary>& openings) {
  double area = 0.0, sum = 0.0;
  for (const OpeningSummary& opening : openings) {
    if (!(opening.flowRate < 0.0)) continue;
    area += opening.area;
    sum += opening.area * opening.meanPressure;
  }
  if (!(area > 0.0)) return std::nullopt;
  return sum / area;
}

// Flow splits, and the resistance from the inlets to each outlet.
void addShares(std::vector<OpeningSummary>& openings) {
  const auto inlet = inletPressure(openings);
  double in = 0.0, out = 0.0;
  for (const OpeningSummary& opening : openings)
    (opening.flowRate < 0.0 ? in : out) += std::abs(opening.flowRate);
  for (OpeningSummary& opening : openings) {
    const double all = opening.flowRate < 0.0 ? in : out;
    if (all > 0.0) opening.flowFraction = std::abs(opening.flowRate) / all;
    if (inlet && opening.flowRate > 0.0)
      opening.resistance = (*inlet - opening.meanPressure) / opening.flowRate;
  }
}

}  // namespace

std::vector<OpeningSummary> openingSummaries(const fields::NodeLookup& lookup,
                                             const solver::file::Fields& fields) {
  const std::vector<preprocess::geometry::Opening>& openings = lookup.geometry.openings;
  std::vector<OpeningSummary> summaries(openings.size());
  stage::parallelFor(openings.size(),
                     [&](std::size_t i) { summaries[i] = summarise(openings[i], lookup, fields); });
  std::sort(summaries.begin(), summaries.end(),
            [](const OpeningSummary& a, const OpeningSummary& b) { return a.id < b.id; });
  addShares(summaries);
  return summaries;
}

double massResidual(const std::vector<OpeningSummary>& openings) {
  double sum = 0.0, largest = 0.0;
  for (const OpeningSummary& opening : openings) {
    sum += opening.flowRate;
    largest = std::max(largest, std::abs(opening.flowRate));
  }
  return largest > 0.0 ? std::abs(sum) / largest : 0.0;
}

std::optional<double> pressureDrop(const std::vector<OpeningSummary>& openings) {
  const auto inlet = inletPressure(openings);
  double outflow = 0.0, outlet = 0.0;
  for (const OpeningSummary& opening : openings) {
    if (opening.flowRate < 0.0) continue;
    outflow += opening.flowRate;
    outlet += opening.flowRate * opening.meanPressure;
  }
  if (!inlet || !(outflow > 0.0)) return std::nullopt;
  return *inlet - outlet / outflow;
}

std::optional<double> resistance(const std::vector<OpeningSummary>& openings) {
  const auto drop = pressureDrop(openings);
  if (!drop) return std::nullopt;
  double in = 0.0;
  for (const OpeningSummary& opening : openings) in += std::max(0.0, -opening.flowRate);
  return *drop / in;
}

}  // namespace tessera::postprocess::quantity
