// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/opening_flow.hpp"

#include <algorithm>
#include <cmath>

#include "postprocess/plane_flow.hpp"
#include "preprocess/surface/mesh.hpp"

namespace tessera {

namespace {

std::optional<double> flowJustInside(const Opening& opening, const NodeLookup& lookup,
                                     const Fields& fields) {
  for (const double depth : {2.0, 3.0, 4.0}) {
    const Double3 point = opening.centre - (depth * lookup.geometry.frame.spacing) * opening.normal;
    if (const auto plane = planeFlow({opening.name, point, opening.normal}, lookup, fields))
      return plane->flowRate;
  }
  return std::nullopt;
}

OpeningSummary summarise(const Opening& opening, const NodeLookup& lookup, const Fields& fields) {
  OpeningSummary summary;
  summary.id = opening.id;
  summary.name = opening.name;
  summary.centre = opening.centre;
  summary.normal = opening.normal;
  summary.area = opening.area;
  summary.radius = opening.radius;
  for (const OpeningResult& result : fields.openings) {
    if (result.id != opening.id) continue;
    summary.name = result.name.empty() ? opening.name : result.name;
    summary.kind = result.kind;
    summary.flowRate = result.flowRate;
    summary.meanPressure = result.meanPressure;
  }
  if (opening.area > 0.0) summary.meanVelocity = std::abs(summary.flowRate) / opening.area;
  if (fields.kinematicViscosity > 0.0)
    summary.reynolds = summary.meanVelocity * 2.0 * opening.radius / fields.kinematicViscosity;
  summary.flowRateInside = flowJustInside(opening, lookup, fields);
  return summary;
}

}  // namespace

std::vector<OpeningSummary> openingSummaries(const NodeLookup& lookup, const Fields& fields) {
  std::vector<OpeningSummary> summaries;
  for (const Opening& opening : lookup.geometry.openings)
    summaries.push_back(summarise(opening, lookup, fields));
  std::sort(summaries.begin(), summaries.end(),
            [](const OpeningSummary& a, const OpeningSummary& b) { return a.id < b.id; });
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
  double inletArea = 0.0, inlet = 0.0, outflow = 0.0, outlet = 0.0;
  for (const OpeningSummary& opening : openings) {
    if (opening.flowRate < 0.0) {
      inletArea += opening.area;
      inlet += opening.area * opening.meanPressure;
    } else {
      outflow += opening.flowRate;
      outlet += opening.flowRate * opening.meanPressure;
    }
  }
  if (!(inletArea > 0.0) || !(outflow > 0.0)) return std::nullopt;
  return inlet / inletArea - outlet / outflow;
}

}  // namespace tessera
