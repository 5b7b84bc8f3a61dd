// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/quantity/cycles.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "pipelines/stage/text.hpp"
#include "postprocess/fields/last_period.hpp"
#include "postprocess/fields/sample_field.hpp"

namespace tessera::postprocess::quantity {

using results::CycleFlow;
using results::Results;

namespace {

std::string columnOf(const char* quantity, const results::OpeningSummary& opening) {
  return fmt::format("{}{}[", quantity, opening.id);
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

// Weighted sum over the openings of a monitored quantity, over the period.
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

// Requires the openings.
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

namespace {

constexpr std::uint32_t notAtWall = std::numeric_limits<std::uint32_t>::max();

struct MeanAtWall {
  Double3 traction{};  // as stored
  double shear = 0.0;
};

// Mean over the wall nodes among the eight around a point.
std::optional<MeanAtWall> meanAt(const fields::Stencil& stencil,
                                 const solver::file::MeanFields& means,
                                 const std::vector<std::uint32_t>& atWall) {
  MeanAtWall mean;
  double weights = 0.0;
  for (std::size_t k = 0; k < static_cast<std::size_t>(stencil.count); ++k) {
    const std::uint32_t at = atWall[stencil.node[k]];
    if (at == notAtWall) continue;
    const double weight = stencil.weight[k];
    weights += weight;
    mean.shear += weight * static_cast<double>(means.wallShear[at]);
    for (std::size_t a = 0; a < 3; ++a)
      mean.traction[a] += weight * static_cast<double>(means.wallTraction[at][a]);
  }
  if (!(weights > 0.0)) return std::nullopt;
  mean.shear /= weights;
  mean.traction = (1.0 / weights) * mean.traction;
  return mean;
}

}  // namespace

results::CycleShear cycleShear(const fields::NodeLookup& lookup, const solver::file::Fields& fields,
                               const WallSurface& wall, const std::vector<StressAtWall>& stress) {
  const solver::file::MeanFields& means = *fields.means;
  std::vector<std::uint32_t> atWall(fields.pressure.size(), notAtWall);
  for (std::size_t k = 0; k < means.wallNode.size(); ++k)
    atWall[means.wallNode[k]] = static_cast<std::uint32_t>(k);
  results::CycleShear out;
  for (std::size_t t = 0; t < stress.size(); ++t) {
    if (!stress[t].measured) continue;
    const Double3 centroid = centroidOf(wall.mesh, t);
    const fields::HalfSpace side{centroid, wall.normal[t]};
    std::optional<MeanAtWall> mean;
    for (const double depth : {0.5, 0.0, 1.0, 1.5})
      if (!mean)
        mean = meanAt(fields::stencilOnSide(lookup, centroid - depth * side.normal, side), means,
                      atWall);
    const double missing = std::numeric_limits<double>::quiet_NaN();
    const double shear = mean ? mean->shear * fields.stressFactor : missing;
    const double net = mean ? length(mean->traction) * fields.stressFactor : missing;
    out.tawss.push_back(shear);
    out.osi.push_back(shear > 0.0 ? 0.5 * (1.0 - std::min(1.0, net / shear)) : missing);
    out.residence.push_back(net > 0.0 ? 1.0 / net : missing);
  }
  return out;
}

}  // namespace tessera::postprocess::quantity
