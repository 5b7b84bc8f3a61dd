// SPDX-License-Identifier: GPL-3.0-or-later
// Oscillating flow in a plane channel against its closed form (Womersley 1955, for two planes),
// driven by a flow rate that oscillates.
#include <catch2/catch.hpp>

#include "solver/boundary/profiles.hpp"
#include "solver/run/output.hpp"
#include "tests/fixtures/case/opening_cases.hpp"

using namespace tessera;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::file;
using namespace tessera::solver::run;
using namespace tessera::tiler;
using namespace tessera::tiler::file;
using namespace tessera::testing;

namespace {

using Complex = std::complex<double>;
constexpr double pi = 3.14159265358979323846;

// Amplitude of a cosine of the run's own period in samples over one period.
Complex amplitudeOf(const std::vector<double>& samples, const std::vector<double>& times,
                    double omega) {
  Complex sum;
  for (std::size_t k = 0; k < samples.size(); ++k)
    sum += samples[k] * std::polar(2.0 / double(samples.size()), -omega * times[k]);
  return sum;
}

// Mean velocity over that of a steady gradient of the same amplitude:
// 3 / (i alpha^2) (1 - tanh z / z).
Complex exactFlow(double alpha) {
  const Complex z = alpha * std::polar(1.0, 0.25 * pi);
  return 3.0 / (Complex(0.0, 1.0) * alpha * alpha) * (1.0 - std::tanh(z) / z);
}

struct Oscillation {
  TilesFile tiles;
  SolverCase run;
  double omega = 0.0;   // a step
  double period = 0.0;  // steps
  double peak = 0.0;    // of the mean velocity, lattice units
};

// A channel with Womersley's profile at its inlet, of alpha by `height` nodes across.
Oscillation oscillation(int length, int height, double alpha) {
  Oscillation out{planeChannel(length, height), planeCase()};
  out.run.tau = 0.56;
  const double nu = 0.02;
  out.omega = nu * alpha * alpha / (0.25 * height * height);
  out.period = 2.0 * pi / out.omega;
  out.peak = 0.01;
  // Started at once the channel rings: velocity and pressure openings reflect sound.
  out.run.ramp = out.period * nu * 1e-8 / out.run.kinematicViscosity;
  const double dt = nu * 1e-8 / out.run.kinematicViscosity;
  out.run.openings[0] = pulsating(
      periodicSeries(out.period * dt,
                     [&](double s) { return out.peak * 1e-4 / dt * std::cos(2.0 * pi * s); }),
      Profile::Womersley);
  return out;
}

// Mean density deviation in a column of nodes.
double meanInColumn(const std::vector<double>& f, const TiledGeometry& g, int x) {
  double sum = 0.0;
  for (std::size_t t = 0; t < g.tiles(); ++t)
    for (int l = 0; l < tileNodes; ++l) {
      const auto local = static_cast<std::size_t>(l);
      if (g.nodeType[t * tileNodes + local] == 0 || g.nodeOf(t, l)[0] != x) continue;
      for (std::size_t i = 0; i < 9; ++i) sum += f[(t * 9 + i) * tileNodes + local];
    }
  return sum / g.nodes[1];
}

// Mean velocity over the gradient that drives it, over the exact one: from the pressures in two
// columns, while the flow rate is prescribed.
Complex measuredOverExact(int height, double alpha) {
  const int length = 24;
  const Oscillation flow = oscillation(length, height, alpha);
  Simulation simulation(flow.tiles, prepare(flow.tiles.geometry, flow.run, "cpu"));
  // Initial transients decay within the viscous time across the channel.
  const double settle = 0.5 * height * height / 0.02;
  const auto start = std::llround(std::ceil(settle / flow.period) * flow.period);
  std::vector<double> gradient;
  std::vector<double> times;
  long long at = 0;
  for (int k = 1; k <= 40; ++k) {
    const long long next = start + std::llround(flow.period * k / 40.0);
    simulation.advance(static_cast<std::uint64_t>(next - at));
    at = next;
    const std::vector<double> f = simulation.populations();
    gradient.push_back(
        (meanInColumn(f, flow.tiles.geometry, 6) - meanInColumn(f, flow.tiles.geometry, 18)) /
        36.0);
    times.push_back(double(at));
  }
  const Complex steady =
      amplitudeOf(gradient, times, flow.omega) * 0.25 * double(height * height) / (3.0 * 0.02);
  return flow.peak / steady / exactFlow(alpha);
}

void checkFlow(int height, double alpha) {
  const Complex ratio = measuredOverExact(height, alpha);
  INFO("alpha " << alpha << ", " << height << " nodes: amplitude " << std::abs(ratio)
                << " of the exact one, phase " << std::arg(ratio) * 180.0 / pi << " degrees off");
  CHECK(std::abs(std::abs(ratio) - 1.0) < 0.01);
  CHECK(std::abs(std::arg(ratio)) * 180.0 / pi < 1.0);
}

}  // namespace

TEST_CASE("Womersley flow: in a channel it has amplitude and phase at alpha 2, 4 and 8", "[unit]") {
  checkFlow(16, 2.0);
  checkFlow(24, 4.0);
  checkFlow(48, 8.0);
}

TEST_CASE("Womersley flow: behind a Womersley inlet the flow has its profile at once", "[unit]") {
  const double alpha = 4.0;
  const Oscillation flow = oscillation(24, 24, alpha);
  const TilesFile& tiles = flow.tiles;
  Simulation simulation(tiles, prepare(tiles.geometry, flow.run, "cpu"));
  double worst[2] = {0.0, 0.0};  // two nodes behind the inlet, and half way
  simulation.advance(static_cast<std::uint64_t>(4.0 * flow.period));
  for (int k = 0; k < 8; ++k) {
    simulation.advance(static_cast<std::uint64_t>(flow.period / 8.0));
    RunResult result;
    result.last = simulation.sample();
    const Fields fields = fieldsOf(simulation, result);
    // Fields are those of the end of the step that comes.
    const double t = double(result.last.step) + 1.0;
    std::size_t node = 0;
    for (std::size_t tile = 0; tile < tiles.geometry.tiles(); ++tile)
      for (int l = 0; l < tileNodes; ++l) {
        const auto local = tile * tileNodes + static_cast<std::size_t>(l);
        if (tiles.geometry.nodeType[local] == 0) continue;
        const Int3 at = tiles.geometry.nodeOf(tile, l);
        const double u = fields.velocity[node++][0];
        if (at[0] != 2 && at[0] != 12) continue;
        const double s = (at[1] + 0.5 - 12.0) / 12.0;
        const Complex exact = womersley(2, alpha, s * s) * std::polar(flow.peak, flow.omega * t);
        double& most = worst[at[0] != 2];
        most = std::max(most, std::abs(u - exact.real()) / flow.peak);
      }
  }
  INFO("largest errors over the peak of the mean " << worst[0] << ", " << worst[1]);
  CHECK(worst[0] < 0.03);
  CHECK(worst[1] < 0.02);
}
