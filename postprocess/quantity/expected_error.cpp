// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/quantity/expected_error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "pipelines/stage/vec3.hpp"
#include "postprocess/fields/last_period.hpp"
#include "postprocess/results/descriptors.hpp"
#include "tiler/analysis/resolution_error.hpp"

namespace tessera::postprocess::quantity {

using results::ExpectedError;
using results::OpeningSummary;
using results::Results;
using solver::file::Fields;
using tiler::analysis::ErrorOf;

namespace {

constexpr double betweenCycles = 1e-3;  // cycle_converged's default
constexpr double extrapolations = 0.5;  // of the difference between two of them
constexpr double forceBalance = 1.2;    // of the difference between the two integrals
constexpr double powerBalance = 0.45;   // of that between the power supplied and dissipated

// Relative to the largest flow rate, or of the kinetic energy without openings; at least the mass
// that is still missing, at most 1, that of a flow that swings.
double distanceFromSteady(const Results& results) {
  if (results.period) return 0.0;
  const auto& columns = results.monitor.columns;
  double largest = 0.0, worst = results.massResidual;
  const auto seriesOf = [&](std::size_t column) {
    std::vector<double> series;
    for (const auto& row : results.monitor.rows) series.push_back(row[column]);
    return series;
  };
  for (const OpeningSummary& opening : results.openings)
    largest = std::max(largest, std::abs(opening.flowRate));
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].starts_with("flow_rate_") && largest > 0.0)
      worst = std::max(worst, remainder(seriesOf(c), largest));
    if (columns[c].starts_with("pressure_") && results.pressureDrop && *results.pressureDrop != 0.0)
      worst = std::max(worst, remainder(seriesOf(c), std::abs(*results.pressureDrop)));
    if (columns[c].starts_with("kinetic_energy") && results.openings.empty()) {
      const std::vector<double> series = seriesOf(c);
      if (!series.empty() && series.back() > 0.0)
        worst = std::max(worst, remainder(series, series.back()));
    }
  }
  return std::min(worst, 1.0);
}

// A column of the monitor at a time, between its rows.
double valueAt(const results::Monitor& monitor, std::size_t column, double time) {
  const auto& rows = monitor.rows;
  const auto after = std::upper_bound(rows.begin() + 1, rows.end() - 1, time,
                                      [](double t, const auto& row) { return t < row[1]; });
  const auto& a = *(after - 1);
  const auto& b = *after;
  if (!(b[1] > a[1])) return b[column];
  return a[column] + (b[column] - a[column]) * (time - a[1]) / (b[1] - a[1]);
}

// Largest difference of a flow rate or pressure of the monitor from that a period before, over
// their range in the last period; 1 where the monitor has no two periods. At least the rule's.
double differenceBetweenCycles(const Results& results) {
  const results::Monitor& monitor = results.monitor;
  const double period = *results.period;
  if (monitor.rows.size() < 3 || monitor.columns.size() < 2 || monitor.columns[1] != "time[s]")
    return 1.0;
  const double last = monitor.rows.back()[1], rounding = 1e-6 * period;
  if (monitor.rows.front()[1] > last - 2.0 * period + rounding) return 1.0;
  double worst = betweenCycles;
  for (const char* quantity : {"flow_rate_", "pressure_"}) {
    double low = std::numeric_limits<double>::infinity(), high = -low, difference = 0.0;
    for (std::size_t c = 0; c < monitor.columns.size(); ++c) {
      if (!monitor.columns[c].starts_with(quantity)) continue;
      for (const auto& row : monitor.rows) {
        if (row[1] < last - period - rounding) continue;
        low = std::min(low, row[c]);
        high = std::max(high, row[c]);
        difference = std::max(difference, std::abs(row[c] - valueAt(monitor, c, row[1] - period)));
      }
    }
    if (high > low) worst = std::max(worst, difference / (high - low));
  }
  return std::min(worst, 1.0);
}

// Distance from the periodic flow, as the solver estimates it from the factor by which the changes
// between cycles fall; of a run that did not meet its rule at least the difference of its last two
// cycles, which is noise where changes do not fall. Older files of runs that met the rule have that
// of the rule. At most 1.
double distanceFromPeriodic(const Results& results) {
  const double known = std::max(results.cycleDistance.value_or(betweenCycles), 0.0);
  return std::min(results.converged ? known : std::max(known, differenceBetweenCycles(results)),
                  1.0);
}

// Error of a flow that diverged at its spacing and went on with cumulants: they stay bounded where
// the layers at the walls have no nodes. Half the time step mends what was too fast for the
// lattice.
double unresolved(const Fields& fields) {
  constexpr double withCumulants = 0.25;
  return fields.recovered.find("cumulant") != std::string::npos ? withCumulants : 0.0;
}

// Relative round-off of results by the numbers that hold the populations.
double rounding(const Fields& fields) {
  return tiler::analysis::roundingError(fields.variant);
}

bool prescribesFlow(const OpeningSummary& opening) {
  return opening.kind == "velocity" || opening.kind == "flow-rate" || opening.kind == "wall" ||
         opening.kind == "outflow-split";
}

class Model {
 public:
  Model(const Fields& fields, const tiler::TiledGeometry& geometry, const Results& results)
      : resolution_(
            tiler::analysis::resolutionOf(geometry, fields.wallScheme, results.shear.area,
                                          tiler::analysis::isSmoothed(fields.provenance.history))) {
    resolution_.gridReynolds =
        results::largestVelocity(results) * results.spacing / results.kinematicViscosity;
    halfway_ = fields.wallScheme.empty() ? geometry.surface.triangle.empty()
                                         : fields.wallScheme == "halfway";
    recovered_ = unresolved(fields);
    if (results.period)
      resolution_.stokes = std::numbers::pi * results.spacing * results.spacing /
                           (results.kinematicViscosity * *results.period);
    kept_ = {{"Mach number", tiler::analysis::machError(results.machMax)},
             {"sound", fields.soundError},
             {"distance from the steady state", distanceFromSteady(results)},
             {"precision", rounding(fields)}};
    if (results.period)
      kept_.push_back({"distance from the periodic flow", distanceFromPeriodic(results)});
  }
  [[nodiscard]] double across() const { return resolution_.across; }
  [[nodiscard]] double resolution(ErrorOf number) const {
    return tiler::analysis::resolutionError(number, resolution_) + recovered_;
  }
  // falls: more of it that a finer spacing reduces; stays: that it does not.
  [[nodiscard]] ExpectedError error(ErrorOf of, double falls = 0.0, double stays = 0.0) const {
    return {resolution(of) + falls + kept() + stays, kept() + stays};
  }
  // The error of a prescribed number.
  [[nodiscard]] ExpectedError error(double more) const { return {kept() + more, kept() + more}; }
  [[nodiscard]] std::vector<results::ErrorPart> parts() const {
    std::vector<results::ErrorPart> all = kept_;
    all.push_back({halfway_ ? "resolution with halfway walls" : "resolution",
                   resolution(ErrorOf::Flow) - recovered_});
    if (recovered_ > 0.0) all.push_back({"recovery from divergence", recovered_});
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.share > b.share; });
    return all;
  }

 private:
  [[nodiscard]] double kept() const {
    double sum = 0.0;
    for (const auto& part : kept_) sum += part.share;
    return sum;
  }
  tiler::analysis::Resolution resolution_;
  double recovered_ = 0.0;
  bool halfway_ = false;
  std::vector<results::ErrorPart> kept_;  // everything but the resolution
};

// Flow rates that a condition prescribes, or the others and the balance of mass, are exact but for
// the residual, which is part of the distance from the steady state where there is no period.
void addFlowErrors(const Model& model, Results& results) {
  const auto free = std::count_if(results.openings.begin(), results.openings.end(),
                                  [](const auto& o) { return !prescribesFlow(o); });
  const double residual =
      results.period ? fields::massResidualOverPeriod(results).value_or(results.massResidual) : 0.0;
  for (OpeningSummary& opening : results.openings) {
    const bool known = prescribesFlow(opening) || free == 1;
    opening.flowRateError =
        known ? model.error(residual) : model.error(ErrorOf::Flow, 0.0, residual);
  }
}

// Difference of two values of the shear, by a line and by a parabola through the stress inside:
// small radii, edges and thin layers that the scalings do not know.
double difference(double shear, double other) {
  return shear > 0.0 ? extrapolations * std::abs(shear - other) / shear : 0.0;
}

// Difference of the two integrals of the force, by momentum exchange and by stress, relative.
double differenceOfForces(const Results& results) {
  double difference = 0.0, total = 0.0;
  for (const results::WallForce& force : results.forces) {
    if (!force.exchanged) continue;
    difference = std::max(difference, length(*force.exchanged - force.pressure - force.viscous));
    total = std::max(total, length(*force.exchanged));
  }
  return total > 0.0 ? difference / total : 0.0;
}

// Share of the power of the force that drives the flow through a periodic medium that the stress at
// the nodes does not dissipate, which in steady flow is all of it: the layers around convex walls
// that the spacing does not resolve, of which the width of the pores says nothing.
double missingDissipation(const Results& results) {
  const auto dissipation = results.computed.find("dissipation");
  if (!results.openings.empty() || dissipation == results.computed.end()) return 0.0;
  const results::Permeability& flow = *results.permeability;
  const Int3& n = results.nodes;
  const double box = static_cast<double>(n[0]) * n[1] * n[2] * std::pow(results.spacing, 3);
  const double power = flow.pressureGradient * flow.superficial * box;
  return power > 0.0 ? std::abs(1.0 - dissipation->second / power) : 0.0;
}

}  // namespace

double remainder(const std::vector<double>& series, double scale) {
  if (series.size() < 3 || !(scale > 0.0)) return 0.0;
  const std::size_t n = series.size();
  const double last = std::abs(series[n - 1] - series[n - 2]);
  const double before = std::abs(series[n - 2] - series[n - 3]);
  const double ratio = before > 0.0 ? std::min(last / before, 0.98) : 0.0;
  return last * ratio / (1.0 - ratio) / scale;
}

void addExpectedErrors(const Fields& fields, const tiler::TiledGeometry& geometry,
                       Results& results) {
  const Model model(fields, geometry, results);
  results::ExpectedErrors& expected = results.expected;
  expected.nodesAcross = model.across();
  expected.parts = model.parts();
  expected.shear =
      model.error(ErrorOf::Shear, difference(results.shear.mean, expected.otherShear.mean));
  expected.highShear =
      model.error(ErrorOf::HighShear, difference(results.shear.p95, expected.otherShear.p95));
  expected.force = model.error(ErrorOf::Shear, 0.0, forceBalance * differenceOfForces(results));
  if (results.permeability)
    expected.permeability = model.error(ErrorOf::Flow, powerBalance * missingDissipation(results));
  const bool prescribed =
      std::all_of(results.openings.begin(), results.openings.end(),
                  [](const auto& o) { return o.kind == "pressure" || o.kind == "wall"; });
  if (results.pressureDrop)
    expected.pressureDrop = prescribed ? model.error(0.0) : model.error(ErrorOf::Flow);
  addFlowErrors(model, results);
}

}  // namespace tessera::postprocess::quantity
