// SPDX-License-Identifier: GPL-3.0-or-later
// Flow around a cylinder that lies a little off the middle of a channel: the benchmarks 2D-1
// (steady, Reynolds number 20) and 2D-2 (vortices shed, 100) of Schaefer & Turek 1996, with walls
// interpolated on the circle. The channel is 4.1 diameters high and 22 long, the centre 2 from the
// inlet and from the lower wall.
#include <algorithm>
#include <cmath>

#include "tests/validation/run.hpp"

namespace tessera::validation {

using namespace tessera::picture;
using namespace tessera::preprocess::geometry;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::model;

namespace {

constexpr double mean = 0.05;  // velocity at the inlet, lattice units

struct Stream {
  Flow flow;
  int diameter;
};

// Distance along the step to the circle of radius r about c, seen from d = node - c.
double distanceToCircle(double dx, double dy, const Int3& step, double radius) {
  const double a = step[0] * step[0] + step[1] * step[1];
  const double b = dx * step[0] + dy * step[1];
  const double c = dx * dx + dy * dy - radius * radius;
  return (-b - std::sqrt(std::max(0.0, b * b - a * c))) / a;
}

// diameter: in nodes, a multiple of 10 so that the walls lie half way.
Stream startStream(double reynolds, int diameter, const Options& options) {
  const double centre = 2.0 * diameter - 0.5, radius = 0.5 * diameter;
  const Int3 nodes{22 * diameter, 41 * diameter / 10, 1};
  LatticeGeometry geometry = testing::imageLattice(
      nodes, [&](int x, int y, int) { return std::hypot(x - centre, y - centre) > radius; },
      {false, false, true}, {{0, false, 1}, {0, true, 2}}, 1.0, 2);
  testing::setWalls(geometry, 2, [&](const Int3& node, const Int3& step, double& q, int& label) {
    const double dx = node[0] - centre, dy = node[1] - centre;
    if (std::hypot(dx + step[0], dy + step[1]) > radius) return;
    q = std::clamp(distanceToCircle(dx, dy, step, radius), 1e-4, 1.0);
    label = 1;
  });
  SolverCase run = latticeCase({LatticeId::D2Q9}, 0.5 + 3.0 * mean * diameter / reynolds);
  run.walls = WallScheme::Bouzidi;
  run.openings = {Velocity{Profile::Parabolic, mean}, Pressure{0.0}};
  run.ramp = 20.0 * diameter / mean;
  Flow flow = startFlow(testing::inTiles(geometry, {0, 0, 0}), run, options);
  return {std::move(flow), diameter};
}

struct Coefficients {
  double drag, lift;
};

Coefficients coefficients(const Stream& stream) {
  const Double3 force = stream.flow.simulation->sample().walls[1].force;
  const Scales& scales = stream.flow.simulation->setup().lattice.scales;
  const double unit =
      0.5 * mean * mean * stream.diameter * scales.pressure() * std::pow(scales.spacing, 2);
  return {force[0] / unit, force[1] / unit};
}

// Before the cylinder less behind it, over density and the square of the mean velocity; linear from
// the two nodes nearest to the wall.
double pressureDifference(Stream& stream) {
  const Moments moments = momentsOf(stream.flow);
  const int d = stream.diameter, half = d / 2, middle = 2 * d;
  const auto at = [&](int x) {
    return 0.5 * (moments.density(x, middle - 1) + moments.density(x, middle));
  };
  const double before = 1.5 * at(middle - half - 1) - 0.5 * at(middle - half - 2);
  const double behind = 1.5 * at(middle + half) - 0.5 * at(middle + half + 1);
  return (before - behind) / 3.0 / (mean * mean);
}

void steadyEntries(const Options& options, Findings& out) {
  const int diameter = options.quick ? 10 : 40;
  Stream stream = startStream(20.0, diameter, options);
  const auto passing = static_cast<std::uint64_t>(diameter / mean);
  stream.flow.simulation->advance(60 * passing);
  runUntilSteady(stream.flow, options.quick ? 1e-4 : 1e-5, 2 * passing, 400 * passing);
  const Coefficients found = coefficients(stream);
  const std::string source = "Schaefer & Turek 1996, 2D-1";
  out.relative("2D-1, drag coefficient", found.drag, 5.57953523384, options.quick ? 0.04 : 0.01,
               source);
  out.within("2D-1, lift coefficient", found.lift, 0.010618948146, options.quick ? 0.02 : 1e-3,
             source);
  // 0.11752016697 at a mean velocity of 0.2.
  out.relative("2D-1, pressure difference over \u03c1 U\u00b2", pressureDifference(stream),
               0.11752016697 / 0.04, options.quick ? 0.05 : 0.02, source);
}

// A signal in time, in diameters over the mean velocity.
struct Signal {
  std::vector<double> time, drag, lift;
};

// Mean time between upward passages of the lift through its middle.
double period(const Signal& signal) {
  const auto [low, high] = std::minmax_element(signal.lift.begin(), signal.lift.end());
  const double middle = 0.5 * (*low + *high);
  std::vector<double> passages;
  for (std::size_t k = 1; k < signal.lift.size(); ++k) {
    const double before = signal.lift[k - 1] - middle, after = signal.lift[k] - middle;
    if (before < 0.0 && after >= 0.0)
      passages.push_back(signal.time[k - 1] +
                         (signal.time[k] - signal.time[k - 1]) * before / (before - after));
  }
  return passages.size() < 2
             ? std::nan("")
             : (passages.back() - passages.front()) / static_cast<double>(passages.size() - 1);
}

void sheddingEntries(const Options& options, Findings& out) {
  const int diameter = 40;
  Stream stream = startStream(100.0, diameter, options);
  const double passing = diameter / mean;
  stream.flow.simulation->advance(static_cast<std::uint64_t>(80.0 * passing));
  Signal signal;
  constexpr std::uint64_t every = 16;  // some 150 samples a period
  while (static_cast<double>(every) * static_cast<double>(signal.time.size()) < 25.0 * passing) {
    stream.flow.simulation->advance(every);
    const Coefficients now = coefficients(stream);
    signal.time.push_back(static_cast<double>(every) * static_cast<double>(signal.time.size() + 1) /
                          passing);
    signal.drag.push_back(now.drag);
    signal.lift.push_back(now.lift);
  }
  const auto [low, high] = std::minmax_element(signal.lift.begin(), signal.lift.end());
  const std::string source = "Schaefer & Turek 1996, 2D-2";
  out.relative("2D-2, largest drag coefficient",
               *std::max_element(signal.drag.begin(), signal.drag.end()), 3.227393, 0.015,
               source + ", FeatFlow");
  out.relative("2D-2, lift coefficient, peak to peak", *high - *low, 2.007871, 0.03,
               source + ", FeatFlow");
  out.between("2D-2, Strouhal number", 1.0 / period(signal), 0.295, 0.305, source);
  Chart chart =
      chartOf("2D-2: drag and lift coefficient", "time, in diameters over velocity", "coefficient");
  chart.curves = {curve("drag", signal.time, signal.drag, 0),
                  curve("lift", signal.time, signal.lift, 1)};
  out.charts.push_back(chart);
}

}  // namespace

Findings cylinder(const Options& options) {
  Findings out;
  out.setting = "D2Q9, TRT, " + std::string(options.quick ? "10" : "40") +
                " nodes across the cylinder, walls by Bouzidi's interpolation, forces by momentum "
                "exchange.";
  steadyEntries(options, out);
  if (!options.quick) sheddingEntries(options, out);
  return out;
}

}  // namespace tessera::validation
