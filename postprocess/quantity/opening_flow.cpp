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

OpeningSummary summarise(const preprocess::geometry::Opening& opening,
                         const fields::NodeLookup& lookup, const solver::file::Fields& fields) {
  OpeningSummary summary;
  summary.id = opening.id;
  summary.name = opening.name;
  summary.centre = opening.centre;
  summary.normal = opening.normal;
  summary.area = opening.area;
  summary.radius = opening.radius;
  for (const solver::file::OpeningResult& result : fields.openings) {
    if (result.id != opening.id) continue;
    summary.name = result.name.empty() ? opening.name : result.name;
    summary.kind = result.kind;
    summary.flowRate = result.flowRate;
    summary.meanPressure = result.meanPressure;
  }
  if (opening.area > 0.0) summary.meanVelocity = std::abs(summary.flowRate) / opening.area;
  if (fields.kinematicViscosity > 0.0)
    summary.reynolds = summary.meanVelocity * 2.0 * opening.radius / fields.kinematicViscosity;
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
