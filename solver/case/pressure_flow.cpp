// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/case/pressure_flow.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "solver/boundary/prescription.hpp"
#include "solver/case/opening_paths.hpp"

namespace tessera::solver::cases {

namespace {

using boundary::Prescription;

constexpr int momentsOfPeriod = 64;

bool givesPressure(const SolverCase& run, std::size_t k) {
  return boundary::prescriptionOf(run.openings[k]).prescribed == boundary::Prescribed::Pressure;
}

// Largest difference of the pressures at two openings, Pa.
double pressureDifference(const SolverCase& run, std::size_t from, std::size_t to) {
  const Prescription a = boundary::prescriptionOf(run.openings[from]);
  const Prescription b = boundary::prescriptionOf(run.openings[to]);
  double largest = 0.0;
  const int moments = run.pulse.period > 0.0 ? momentsOfPeriod : 1;
  for (int m = 0; m < moments; ++m) {
    const double t = run.pulse.period * m / moments;
    largest = std::max(largest, std::abs(a.pressureAt(t) - b.pressureAt(t)));
  }
  return largest;
}

// Peak of Poiseuille's flow in a tube of this area, or between planes in 2D, per pressure gradient
// over the dynamic viscosity, m2.
double peakPerGradient(int dimensions, double area, double spacing) {
  if (dimensions == 3) return area / (4.0 * std::numbers::pi);
  const double width = area / spacing;
  return width * width / 8.0;
}

}  // namespace

double pressureDrivenVelocity(const SolverCase& run, const tiler::TiledGeometry& geometry,
                              comm::Ranks& ranks) {
  const double viscosity = run.density * run.kinematicViscosity;
  const double volume =
      static_cast<double>(geometry.fluidNodes) * std::pow(geometry.frame.spacing, 3.0);
  std::optional<OpeningPaths> paths;
  double largest = 0.0;
  for (std::size_t from = 0; from < run.openings.size(); ++from) {
    if (!givesPressure(run, from)) continue;
    std::vector<double> lengths;
    for (std::size_t to = from + 1; to < run.openings.size(); ++to) {
      if (!givesPressure(run, to)) continue;
      const auto& a = geometry.openings[from];
      const auto& b = geometry.openings[to];
      const double difference = pressureDifference(run, from, to);
      if (a.part != b.part || difference <= 0.0) continue;
      if (!paths) paths.emplace(geometry, ranks);
      if (lengths.empty()) lengths = paths->lengthsFrom(from);
      if (lengths[to] <= 0.0) continue;
      const double area = std::min({a.area, b.area, volume / lengths[to]});
      const double viscous = peakPerGradient(geometry.dimensions, area, geometry.frame.spacing) *
                             difference / (lengths[to] * viscosity);
      largest = std::max(largest, std::min(viscous, std::sqrt(2.0 * difference / run.density)));
    }
  }
  return largest;
}

}  // namespace tessera::solver::cases
