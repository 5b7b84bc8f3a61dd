// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/boundary/outflow_split.hpp"

#include <algorithm>
#include <cmath>

#include "pipelines/stage/error.hpp"

namespace tessera {

namespace {

constexpr double sumTolerance = 1e-6;

bool isSplit(const OpeningCondition& condition) {
  return condition.kind == OpeningKind::OutflowSplit;
}

void fillByMurray(const std::string& caseName, const TiledGeometry& geometry, SolverCase& run) {
  double given = 0.0;
  double volume = 0.0;
  const auto murray = [&](std::size_t k) {
    return geometry.dimensions == 2 ? std::pow(geometry.openings[k].area, 2)
                                    : std::pow(geometry.openings[k].radius, 3);
  };
  for (std::size_t k = 0; k < run.openings.size(); ++k) {
    if (!isSplit(run.openings[k])) continue;
    if (run.openings[k].fraction >= 0.0)
      given += run.openings[k].fraction;
    else
      volume += murray(k);
  }
  const bool wrong =
      volume > 0.0 ? given > 1.0 - sumTolerance : std::abs(given - 1.0) > sumTolerance;
  if (wrong)
    fail(ExitCode::Usage, caseName + ": the fractions of the outflow splits add up to " +
                              std::to_string(given) + "; expected is " +
                              (volume > 0.0 ? "less than 1, some being left open" : "1"));
  for (std::size_t k = 0; k < run.openings.size(); ++k)
    if (isSplit(run.openings[k]) && run.openings[k].fraction < 0.0)
      run.openings[k].fraction = (1.0 - given) * murray(k) / volume;
}

// Sum of the inlets' flow rates at their largest, and each one's share in it.
double shareInflow(const std::string& caseName, const TiledGeometry& geometry, SolverCase& run) {
  double inflow = 0.0;
  for (std::size_t k = 0; k < run.openings.size(); ++k) {
    if (isSplit(run.openings[k])) continue;
    if (!prescribesVelocity(run.openings[k]))
      fail(ExitCode::Usage, caseName + ": opening " + std::to_string(geometry.openings[k].id) +
                                " holds a pressure beside outflow splits, which would take what "
                                "they leave; expected are velocity and flow-rate openings beside "
                                "them, or pressures at all outlets");
    inflow += run.openings[k].mean * geometry.openings[k].area;
  }
  if (!(inflow > 0.0))
    fail(ExitCode::Usage, caseName +
                              ": outflow splits take fractions of an inflow, but no velocity or "
                              "flow-rate opening lets any in; expected is at least one");
  for (std::size_t k = 0; k < run.openings.size(); ++k)
    if (!isSplit(run.openings[k]))
      run.openings[k].inflowShare = run.openings[k].mean * geometry.openings[k].area / inflow;
  return inflow;
}

}  // namespace

void splitOutflow(const std::string& caseName, const TiledGeometry& geometry, SolverCase& run) {
  if (std::none_of(run.openings.begin(), run.openings.end(), isSplit)) return;
  const double inflow = shareInflow(caseName, geometry, run);
  fillByMurray(caseName, geometry, run);
  OpeningCondition* largest = nullptr;
  for (std::size_t k = 0; k < run.openings.size(); ++k) {
    OpeningCondition& condition = run.openings[k];
    if (!isSplit(condition)) continue;
    condition.mean = -condition.fraction * inflow / geometry.openings[k].area;
    if (largest == nullptr || condition.fraction > largest->fraction) largest = &condition;
  }
  largest->takesRest = true;
}

}  // namespace tessera
