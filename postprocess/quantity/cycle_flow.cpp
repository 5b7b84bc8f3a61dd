// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/quantity/cycle_flow.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "postprocess/fields/last_period.hpp"

namespace tessera::postprocess::quantity {

using results::CycleFlow;
using results::Results;

namespace {

std::string columnOf(const char* quantity, const results::OpeningSummary& opening) {
  return quantity + std::to_string(opening.id) + '[';
}

std::optional<CycleFlow::AtOpening> courseAt(const results::OpeningSummary& opening,
                                             const Results& results) {
  const auto flow = fields::overPeriod(results, columnOf("flow_rate_", opening));
  const auto pressure = fields::overPeriod(results, columnOf("pressure_", opening));
  if (!flow || !pressure) return std::nullopt;
  CycleFlow::AtOpening out{opening.id, opening.name, *flow, *pressure, 0.0, 0.0};
  const double viscosity = results.kinematicViscosity;
  if (opening.area > 0.0 && viscosity > 0.0) {
    const double peak = std::max(std::abs(flow->least), std::abs(flow->largest));
    out.reynolds = peak / opening.area * 2.0 * opening.radius / viscosity;
    out.womersley =
        opening.radius * std::sqrt(2.0 * std::numbers::pi / (*results.period * viscosity));
  }
  return out;
}

// The sum over the openings of what the monitor says of each, times its weight, over the period.
results::OverPeriod weighted(const Results& results, const char* quantity,
                             const std::vector<double>& weights) {
  fields::PeriodCourse sum;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    fields::PeriodCourse course =
        fields::lastPeriod(results, columnOf(quantity, results.openings[k]));
    sum.value.resize(course.value.size());
    for (std::size_t i = 0; i < course.value.size(); ++i)
      sum.value[i] += weights[k] * course.value[i];
    sum.time = std::move(course.time);
  }
  return fields::overPeriod(sum);
}

// After the openings.
void addDrop(CycleFlow& cycle, const Results& results) {
  const std::size_t count = results.openings.size();
  double inletArea = 0.0, outflow = 0.0;
  for (std::size_t k = 0; k < count; ++k) {
    const double mean = cycle.openings[k].flowRate.mean;
    if (mean < 0.0) inletArea += results.openings[k].area;
    outflow += std::max(0.0, mean);
  }
  if (!(inletArea > 0.0) || !(outflow > 0.0)) return;
  std::vector<double> drop(count), inward(count);
  for (std::size_t k = 0; k < count; ++k) {
    const double mean = cycle.openings[k].flowRate.mean;
    drop[k] = mean < 0.0 ? results.openings[k].area / inletArea : -mean / outflow;
    inward[k] = mean < 0.0 ? -1.0 : 0.0;
  }
  cycle.pressureDrop = weighted(results, "pressure_", drop);
  const results::OverPeriod inflow = weighted(results, "flow_rate_", inward);
  cycle.inflowMean = inflow.mean;
  cycle.inflowPeak = inflow.largest;
  cycle.resistance = cycle.pressureDrop->mean / inflow.mean;
}

}  // namespace

std::optional<CycleFlow> cycleFlow(const Results& results) {
  if (!results.period || results.openings.empty()) return std::nullopt;
  CycleFlow cycle;
  cycle.period = *results.period;
  for (const results::OpeningSummary& opening : results.openings) {
    auto course = courseAt(opening, results);
    if (!course) return std::nullopt;
    cycle.openings.push_back(std::move(*course));
  }
  addDrop(cycle, results);
  cycle.massResidual = fields::massResidualOverPeriod(results);
  return cycle;
}

}  // namespace tessera::postprocess::quantity
