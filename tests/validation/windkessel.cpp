// SPDX-License-Identifier: GPL-3.0-or-later
// An outlet with the pressure of a three-element Windkessel (Westerhof, Lankhaar & Westerhof 2009)
// behind a pulsating flow, against the ordinary differential equation it stands for,
//   p = R_p Q + p_c,  C dp_c/dt = Q - p_c / R_d,
// whose solution for a flow of two harmonics is a sum of exponentials.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "solver/backend/sample.hpp"
#include "tests/fixtures/case/opening_cases.hpp"
#include "tests/validation/run.hpp"

namespace tessera::validation {

using namespace tessera::picture;
using namespace tessera::solver::backend;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::model;
using namespace tessera::tiler::file;

namespace {

using Complex = std::complex<double>;

// SI. The flow is mean (1 + sum of Re(harmonic exp(i k omega t))).
struct Outlet3 {
  double proximal = 1e9, distal = 1.2e10, compliance = 1.6e-10, start = 3.0;
  double mean = 0.003 * 8e-8, period = 4.0;
  std::vector<Complex> harmonics{{0.0, -0.6}, {0.3, 0.0}};

  [[nodiscard]] double omega() const { return 2.0 * std::numbers::pi / period; }
  [[nodiscard]] double flow(double t) const {
    double sum = 1.0;
    for (std::size_t k = 0; k < harmonics.size(); ++k)
      sum += std::real(harmonics[k] * std::polar(1.0, double(k + 1) * omega() * t));
    return mean * sum;
  }
  // p_c of the periodic state.
  [[nodiscard]] double settled(double t) const {
    double sum = mean * distal;
    for (std::size_t k = 0; k < harmonics.size(); ++k) {
      const Complex rate(1.0 / distal, double(k + 1) * omega() * compliance);
      sum += std::real(mean * harmonics[k] / rate * std::polar(1.0, double(k + 1) * omega() * t));
    }
    return sum;
  }
  [[nodiscard]] double pressure(double t) const {
    const double decay = std::exp(-t / (distal * compliance));
    return proximal * flow(t) + settled(t) + (start - settled(0.0)) * decay;
  }
};

}  // namespace

Findings windkessel(const Options& options) {
  const Outlet3 outlet;
  const TilesFile tiles = testing::planeChannel(8, 8);
  SolverCase run = testing::planeCase();
  const double area = 8e-8;
  run.openings[0] = testing::pulsating(
      testing::periodicSeries(outlet.period,
                              [&](double s) { return outlet.flow(s * outlet.period) / area; }),
      Profile::Parabolic);
  run.openings[1] = Windkessel{.proximal = outlet.proximal,
                               .compliance = outlet.compliance,
                               .resistance = outlet.distal,
                               .initial = outlet.start};
  Flow flow = startFlow(tiles, run, options);
  const Scales& scales = flow.simulation->setup().lattice.scales;
  std::vector<double> time, ours, theirs;
  double worst = 0.0, largest = 0.0;
  const int samples = options.quick ? 60 : 300;
  for (int k = 1; k <= samples; ++k) {
    flow.simulation->advance(100);
    // The outlet's pressure is that of the middle of the last step.
    time.push_back((100.0 * k - 0.5) * scales.timeStep);
    ours.push_back(flow.simulation->outlets().states[0].pressure * scales.pressure() / 3.0);
    theirs.push_back(outlet.pressure(time.back()));
    // At first sound has to carry the flow to the outlet.
    if (time.back() > outlet.period) worst = largerOf(worst, std::abs(ours.back() - theirs.back()));
    largest = std::max(largest, std::abs(theirs.back()));
  }
  Findings out;
  out.setting =
      "A plane channel in 2D with a pulsating flow of two harmonics, from a pressure that does not "
      "fit to begin with; compared from the second of " +
      shortNumber(samples * 0.1 / outlet.period, 3) + " periods on.";
  out.atMost("largest difference of the pressure, over the largest pressure", worst / largest, 2e-3,
             "ordinary differential equation");
  Chart chart = chartOf("Pressure at a Windkessel outlet", "time, s", "pressure, Pa");
  chart.curves = {curve("equation", time, theirs, 0), curve("ours", time, ours, 1, true)};
  out.charts.push_back(chart);
  return out;
}

}  // namespace tessera::validation
