// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/boundary/outflow_split.hpp"

#include <algorithm>
#include <cmath>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "solver/boundary/pressure.hpp"
#include "solver/boundary/velocity.hpp"

namespace tessera::solver::boundary {

using stage::ExitCode;
using stage::fail;

namespace {

constexpr double sumTolerance = 1e-6;

void fillByMurray(const std::string& caseName, int dimensions,
                  const std::vector<SplitOpening>& openings) {
  double given = 0.0;
  double volume = 0.0;
  const auto murray = [&](const preprocess::geometry::Opening& opening) {
    return dimensions == 2 ? std::pow(opening.area, 2) : std::pow(opening.radius, 3);
  };
  for (const SplitOpening& at : openings) {
    if (at.split == nullptr) continue;
    if (at.split->fraction >= 0.0)
      given += at.split->fraction;
    else
      volume += murray(at.opening);
  }
  const bool wrong =
      volume > 0.0 ? given > 1.0 - sumTolerance : std::abs(given - 1.0) > sumTolerance;
  if (wrong)
    fail(ExitCode::Usage, fmt::format("{}: the fractions of the outflow splits add up to {}; {}",
                                      caseName, stage::number(given),
                                      volume > 0.0 ? "less than 1 is required where some are open"
                                                   : "1 is required"));
  for (const SplitOpening& at : openings)
    if (at.split != nullptr && at.split->fraction < 0.0)
      at.split->fraction = (1.0 - given) * murray(at.opening) / volume;
}

// Sum of the inlets' flow rates at their largest.
double largestInflow(const std::string& caseName, const std::vector<SplitOpening>& openings) {
  double inflow = 0.0;
  for (const SplitOpening& at : openings) {
    if (at.split != nullptr || at.other.prescribed == Prescribed::Nothing) continue;
    if (at.other.prescribed != Prescribed::Velocity)
      fail(
          ExitCode::Usage,
          fmt::format("{}: {} holds a pressure next to outflow splits, which would "
                      "take the remainder; velocity and flow-rate openings are required with them, "
                      "or pressures at all outlets",
                      caseName, labelOf(at.opening)));
    inflow += at.other.mean * at.opening.area;
  }
  if (!(inflow > 0.0))
    fail(ExitCode::Usage, caseName +
                              ": outflow splits take fractions of an inflow, but no velocity or "
                              "flow-rate opening lets any in; at least one is required");
  return inflow;
}

}  // namespace

OutflowSplit OutflowSplit::fromCase(OpeningTable& from) {
  OutflowSplit out;
  out.profile = readProfile(from, "developed");
  if (out.profile == Profile::Womersley)
    fail(ExitCode::Usage, from.table.where("profile") +
                              ": an outflow split follows the inflow; use profile = \"plug\", "
                              "\"parabolic\" or \"developed\"");
  out.fraction = from.table.quantity("fraction", stage::Dimension::None, 0.0, 1.0).value_or(-1.0);
  return out;
}

Prescription OutflowSplit::prescription() const {
  return {takesRest ? Prescribed::Pressure : Prescribed::Velocity, profile, mean};
}

OpeningLinks OutflowSplit::links(const PlannedOpening& opening) const {
  if (takesRest) return Pressure{}.links(opening);
  return Velocity{profile, mean}.links(opening);
}

Amplitudes OutflowSplit::amplitudes() const {
  if (takesRest) return Pressure{}.amplitudes();
  return {1, [parts = inflow](const OpeningMoment& now, std::span<double> out) {
            double sum = 0.0;
            for (const InflowShare& part : parts)
              sum += part.share * relativeValue(part.series.get(), now.time);
            out[0] = now.ramp * sum;
          }};
}

OpeningPhysics OutflowSplit::physics() const {
  const auto& [profileOf, fractionOf, meanOf, restOf, inflowOf] = *this;
  return {.profile = static_cast<double>(profileOf), .mean = meanOf, .fraction = fractionOf};
}

void splitOutflow(const std::string& caseName, int dimensions,
                  const std::vector<SplitOpening>& openings) {
  if (std::none_of(openings.begin(), openings.end(),
                   [](const SplitOpening& at) { return at.split != nullptr; }))
    return;
  const double total = largestInflow(caseName, openings);
  std::vector<InflowShare> inflow;
  for (const SplitOpening& at : openings)
    if (at.split == nullptr && at.other.mean != 0.0)
      inflow.push_back({at.other.mean * at.opening.area / total, at.other.series});
  fillByMurray(caseName, dimensions, openings);
  OutflowSplit* largest = nullptr;
  for (const SplitOpening& at : openings) {
    if (at.split == nullptr) continue;
    at.split->inflow = inflow;
    at.split->mean = -at.split->fraction * total / at.opening.area;
    if (largest == nullptr || at.split->fraction > largest->fraction) largest = at.split;
  }
  largest->takesRest = true;
}

}  // namespace tessera::solver::boundary
