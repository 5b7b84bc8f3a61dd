// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/quantity/pressure_ratio.hpp"

#include <span>
#include <vector>

namespace tessera::postprocess::quantity {

using results::Results;

namespace {

constexpr double leastRatio = 0.1;  // lower ones are of pressures relative to an outlet's

struct FlowAndPressure {
  double flowRate;  // m3/s, out of the fluid
  double pressure;  // Pa, gauge
};

// Pa; nullopt without inlets, outlets or meaning.
std::optional<double> meanInletPressure(std::span<const FlowAndPressure> openings) {
  double inflow = 0.0, power = 0.0, outflow = 0.0;
  for (const FlowAndPressure& opening : openings) {
    if (opening.flowRate > 0.0) outflow += opening.flowRate;
    if (opening.flowRate >= 0.0) continue;
    inflow -= opening.flowRate;
    power -= opening.flowRate * opening.pressure;
  }
  if (!(inflow > 0.0) || !(outflow > 0.0)) return std::nullopt;
  const double pressure = power / inflow;
  for (const FlowAndPressure& opening : openings)
    if (!(opening.pressure >= leastRatio * pressure)) return std::nullopt;
  return pressure > 0.0 ? std::optional(pressure) : std::nullopt;
}

bool isVessel(const Results& results) {
  return !results.flat() && !results.wall.triangle.empty() && !results.wall.fromVoxels;
}

void addOverPeriod(results::CycleFlow& cycle) {
  std::vector<FlowAndPressure> means;
  for (const results::CycleFlow::AtOpening& opening : cycle.openings)
    means.push_back({opening.flowRate.mean, opening.pressure.mean});
  const auto pressure = meanInletPressure(means);
  for (results::CycleFlow::AtOpening& opening : cycle.openings)
    if (pressure && opening.flowRate.mean > 0.0)
      opening.pressureRatio = opening.pressure.mean / *pressure;
}

}  // namespace

std::optional<double> referenceOfRatios(const Results& results) {
  if (results.period || !isVessel(results)) return std::nullopt;
  std::vector<FlowAndPressure> now;
  for (const results::OpeningSummary& opening : results.openings)
    now.push_back({opening.flowRate, opening.meanPressure});
  return meanInletPressure(now);
}

void addPressureRatios(Results& results) {
  if (results.cycleFlow && isVessel(results)) addOverPeriod(*results.cycleFlow);
  const auto pressure = referenceOfRatios(results);
  if (!pressure) return;
  for (results::OpeningSummary& opening : results.openings)
    if (opening.flowRate > 0.0) opening.pressureRatio = opening.meanPressure / *pressure;
  for (results::Centreline& line : results.centrelines)
    for (results::Station& station : line.stations)
      station.pressureRatio = station.meanPressure / *pressure;
}

}  // namespace tessera::postprocess::quantity
