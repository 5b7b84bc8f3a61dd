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

// Rate of change at each moment of a course, of which the last moment is the first of the next
// period; central differences.
std::vector<double> rateOf(const fields::PeriodCourse& course) {
  const std::size_t last = course.time.size() - 1;
  const double period = course.time[last] - course.time[0];
  std::vector<double> rate;
  for (std::size_t i = 0; i <= last; ++i) {
    const std::size_t before = i == 0 ? last - 1 : i - 1, after = i == last ? 1 : i + 1;
    double time = course.time[after] - course.time[before];
    if (time <= 0.0) time += period;
    rate.push_back((course.value[after] - course.value[before]) / time);
  }
  return rate;
}

// Adds to the pressure of the nodes next to an opening what it changes by up to the plane,
// -distance (density / area dQ/dt + r Q) with Q out of the fluid: the momentum balance of the flow
// across it. The friction r is that of the mean over the period and of its end, where pressures at
// the plane are known, by least squares; the mean is then exact.
void moveToPlane(const results::OpeningSummary& opening, double density,
                 const fields::PeriodCourse& flow, fields::PeriodCourse& pressure) {
  if (!opening.meanPressureOverPeriod || !(opening.area > 0.0)) return;
  const double meanFlow = fields::overPeriod(flow).mean, endFlow = flow.value.back();
  const double inertia = opening.planeDistance * density / opening.area;
  const std::vector<double> rate = rateOf(flow);
  const double atMean = *opening.meanPressureOverPeriod - fields::overPeriod(pressure).mean;
  const double atEnd = opening.meanPressure - opening.nodePressure + inertia * rate.back();
  const double squares = meanFlow * meanFlow + endFlow * endFlow;
  const double friction = squares > 0.0 ? -(meanFlow * atMean + endFlow * atEnd) / squares : 0.0;
  for (std::size_t i = 0; i < pressure.value.size(); ++i)
    pressure.value[i] -= inertia * rate[i] + friction * flow.value[i];
  const double rest = *opening.meanPressureOverPeriod - fields::overPeriod(pressure).mean;
  for (double& value : pressure.value) value += rest;
}

// Courses at an opening over the last period; empty without rows of the monitor.
struct Courses {
  fields::PeriodCourse flow, pressure;  // at the plane
};

Courses coursesAt(const results::OpeningSummary& opening, const Results& results) {
  Courses out{fields::lastPeriod(results, columnOf("flow_rate_", opening)),
              fields::lastPeriod(results, columnOf("pressure_", opening))};
  if (!out.flow.time.empty() && !out.pressure.time.empty())
    moveToPlane(opening, results.density, out.flow, out.pressure);
  return out;
}

CycleFlow::AtOpening atOpening(const results::OpeningSummary& opening, const Courses& courses,
                               const Results& results) {
  const results::OverPeriod flow = fields::overPeriod(courses.flow);
  CycleFlow::AtOpening out{opening.id, opening.name, flow, fields::overPeriod(courses.pressure),
                           0.0,        0.0};
  const double viscosity = results.kinematicViscosity;
  if (opening.area > 0.0 && viscosity > 0.0) {
    const double peak = std::max(std::abs(flow.least), std::abs(flow.largest));
    out.reynolds = peak / opening.area * opening.diameter / viscosity;
    out.womersley =
        0.5 * opening.diameter * std::sqrt(2.0 * std::numbers::pi / (*results.period * viscosity));
  }
  return out;
}

// Weighted sum over the openings of one of their courses.
results::OverPeriod weighted(const std::vector<Courses>& courses,
                             fields::PeriodCourse Courses::*member,
                             const std::vector<double>& weights) {
  fields::PeriodCourse sum;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const fields::PeriodCourse& course = courses[k].*member;
    sum.value.resize(course.value.size());
    for (std::size_t i = 0; i < course.value.size(); ++i)
      sum.value[i] += weights[k] * course.value[i];
    sum.time = course.time;
  }
  return fields::overPeriod(sum);
}

// Requires the openings.
void addDrop(CycleFlow& cycle, const Results& results, const std::vector<Courses>& courses) {
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
  cycle.pressureDrop = weighted(courses, &Courses::pressure, drop);
  const results::OverPeriod inflow = weighted(courses, &Courses::flow, inward);
  cycle.inflowMean = inflow.mean;
  cycle.inflowPeak = inflow.largest;
  cycle.resistance = cycle.pressureDrop->mean / inflow.mean;
}

}  // namespace

std::optional<CycleFlow> cycleFlow(const Results& results) {
  if (!results.period || results.openings.empty()) return std::nullopt;
  CycleFlow cycle;
  cycle.period = *results.period;
  std::vector<Courses> courses;
  for (const results::OpeningSummary& opening : results.openings) {
    courses.push_back(coursesAt(opening, results));
    if (courses.back().flow.time.empty() || courses.back().pressure.time.empty())
      return std::nullopt;
    cycle.openings.push_back(atOpening(opening, courses.back(), results));
  }
  addDrop(cycle, results, courses);
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
