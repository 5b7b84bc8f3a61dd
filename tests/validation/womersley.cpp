// SPDX-License-Identifier: GPL-3.0-or-later
// Pulsating flow in a round pipe against Womersley 1955 (J. Physiol. 127, 553): amplitude and phase
// of velocity, flow rate and wall shear stress against the pressure gradient, at Womersley numbers
// alpha = R sqrt(omega / nu). The flow comes in with Womersley's profile and leaves at a constant
// pressure; the gradient is that between two sections in the pipe. Normalised by what the same
// gradient would drive if it were steady.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>

#include "postprocess/quantity/wall_stress.hpp"
#include "solver/run/output.hpp"
#include "tests/fixtures/case/opening_cases.hpp"
#include "tests/validation/run.hpp"

namespace tessera::validation {

using namespace tessera::picture;
using namespace tessera::postprocess::fields;
using namespace tessera::postprocess::quantity;
using namespace tessera::preprocess::geometry;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::file;
using namespace tessera::solver::model;
using namespace tessera::solver::run;

namespace {

using Complex = std::complex<double>;
constexpr Complex i{0.0, 1.0};

// J_0 and J_1 by their series, for |z| up to some 20.
Complex bessel(int order, const Complex& z) {
  Complex term = order == 0 ? Complex(1.0) : 0.5 * z;
  Complex sum = term;
  for (int k = 1; k < 80; ++k) {
    term *= -0.25 * z * z / (double(k) * double(k + order));
    sum += term;
  }
  return sum;
}

// For a gradient G cos(omega t), over G R^2 / 4 mu, pi R^4 G / 8 mu and G R / 2; r over R.
struct Theory {
  double alpha;
  [[nodiscard]] Complex beta() const { return std::sqrt(i) * i * alpha; }
  [[nodiscard]] Complex velocity(double r) const {
    return -4.0 * i / (alpha * alpha) * (1.0 - bessel(0, beta() * r) / bessel(0, beta()));
  }
  [[nodiscard]] Complex ratio() const { return bessel(1, beta()) / (beta() * bessel(0, beta())); }
  [[nodiscard]] Complex flowRate() const {
    return -8.0 * i / (alpha * alpha) * (1.0 - 2.0 * ratio());
  }
  [[nodiscard]] Complex shear() const { return 2.0 * ratio(); }
};

// Complex amplitudes, and the profile at some phases.
struct Found {
  Complex middle, half, flowRate;
  Complex shear;        // by a cubic through the stress of the nodes next to the wall
  Complex linearShear;  // as postprocess finds it, by a line
  double gradientPhase = 0.0;
  std::vector<std::vector<double>> profiles;  // at 90, 180, 270 and 360 degrees; r from 0
};

struct Pipe {
  double alpha;
  int radius;  // nodes; even
  int length;  // nodes; a multiple of 20
  int period;  // steps; a multiple of 64
  int periods;
  static constexpr double mean = 1e-3;  // largest mean velocity
  // The sections between which the gradient is taken: the flow at the ends is felt for a radius or
  // two.
  [[nodiscard]] int before() const { return 3 * length / 10; }
  [[nodiscard]] int behind() const { return 7 * length / 10; }
  [[nodiscard]] int middle() const { return length / 2; }
  [[nodiscard]] double omega() const { return 2.0 * std::numbers::pi / period; }
  [[nodiscard]] double nu() const { return omega() * radius * radius / (alpha * alpha); }
};

Flow startPipe(const Pipe& pipe, const Options& options) {
  const int n = 2 * pipe.radius + 1;
  const auto level = [&](double y, double z) {
    return std::hypot(y - pipe.radius, z - pipe.radius) - pipe.radius;
  };
  LatticeGeometry geometry = testing::imageLattice(
      {pipe.length, n, n}, [&](int, int y, int z) { return level(y, z) < 0.0; }, {},
      {{0, false, 1}, {0, true, 2}}, 1.0);
  testing::setWalls(geometry, 1, [&](const Int3& node, const Int3& step, double& q, int&) {
    double low = 0.0, high = 1.0;
    for (int k = 0; k < 40; ++k) {
      q = 0.5 * (low + high);
      (level(node[1] + q * step[1], node[2] + q * step[2]) < 0.0 ? low : high) = q;
    }
  });
  SolverCase run = latticeCase({}, 0.5 + 3.0 * pipe.nu());
  run.magic = 3.0 / 16.0;
  run.walls = WallScheme::Multireflection;
  run.openings.assign(2, Pressure{});
  run.openings[0] = testing::pulsating(
      testing::periodicSeries(
          pipe.period, [](double s) { return Pipe::mean * std::cos(2.0 * std::numbers::pi * s); }),
      Profile::Womersley);
  run.ramp = pipe.period;
  return startFlow(testing::inTiles(geometry, {0, 0, 0}), run, options);
}

// At 0 the polynomial of this degree that fits values at x best, by orthogonal polynomials.
double fitAtZero(const std::vector<double>& x, const std::vector<double>& values, int degree) {
  std::vector<std::vector<double>> basis;  // the last number is that at 0
  double sum = 0.0;
  const auto product = [&](const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(x.size()),
                              b.begin(), 0.0);
  };
  for (int k = 0; k <= degree; ++k) {
    std::vector<double> next;
    for (const double at : x) next.push_back(std::pow(at, k));
    next.push_back(k == 0 ? 1.0 : 0.0);
    for (const std::vector<double>& one : basis) {
      const double part = product(next, one) / product(one, one);
      for (std::size_t j = 0; j < next.size(); ++j) next[j] -= part * one[j];
    }
    sum += product(values, next) / product(next, next) * next.back();
    basis.push_back(std::move(next));
  }
  return sum;
}

// Shear stress at the wall, mean around the pipe.
struct WallShear {
  double cubic = 0.0, linear = 0.0;
};

WallShear wallShear(Flow& flow, const Pipe& pipe) {
  RunResult result;
  result.last = flow.simulation->sample();
  const Fields fields = fieldsOf(*flow.simulation, result);
  const NodeLookup lookup(flow.tiles->geometry);
  WallShear shear;
  constexpr int points = 32;
  for (int k = 0; k < points; ++k) {
    const double angle = 2.0 * std::numbers::pi * (k + 0.3) / points;
    const Double3 normal{0.0, std::cos(angle), std::sin(angle)};
    const Double3 point{double(pipe.middle()), pipe.radius * (1.0 + normal[1]),
                        pipe.radius * (1.0 + normal[2])};
    shear.linear -=
        stressTimes(stressAtWall(lookup, fields, point, normal).stress, normal)[0] / points;
  }
  std::vector<double> depths, values;
  for (int z = -pipe.radius; z <= pipe.radius; ++z)
    for (int y = -pipe.radius; y <= pipe.radius; ++y) {
      const double r = std::hypot(y, z), depth = pipe.radius - r;
      if (depth <= 0.0 || depth > 4.0) continue;
      const auto node = static_cast<std::size_t>(
          lookup.indexOf({pipe.middle(), y + pipe.radius, z + pipe.radius}));
      depths.push_back(depth);
      values.push_back(-(double(fields.stress[node][3]) * y + double(fields.stress[node][4]) * z) /
                       r * fields.stressFactor);
    }
  shear.cubic = fitAtZero(depths, values, 3);
  return shear;
}

Found measure(const Pipe& pipe, const Options& options) {
  Flow flow = startPipe(pipe, options);
  flow.simulation->advance(static_cast<std::uint64_t>(pipe.periods * pipe.period));
  constexpr int samples = 64;
  Found out;
  const int c = pipe.radius, x = pipe.middle();
  Complex gradient;
  for (int k = 1; k <= samples; ++k) {
    flow.simulation->advance(static_cast<std::uint64_t>(pipe.period / samples));
    const double phase = 2.0 * std::numbers::pi * k / samples;
    const Complex turn = 2.0 / samples * std::exp(-i * phase);
    const Moments moments = momentsOf(flow);
    double rate = 0.0, difference = 0.0, nodes = 0.0;
    for (int z = 0; z < moments.nodes[2]; ++z)
      for (int y = 0; y < moments.nodes[1]; ++y) {
        rate += moments.velocity(x, y, z)[0];
        difference += moments.density(pipe.before(), y, z) - moments.density(pipe.behind(), y, z);
        nodes += std::hypot(y - c, z - c) < c;
      }
    gradient += turn * difference / nodes / 3.0 / double(pipe.behind() - pipe.before());
    out.middle += turn * moments.velocity(x, c, c)[0];
    out.half += turn * moments.velocity(x, c + c / 2, c)[0];
    out.flowRate += turn * rate;
    // Fields are those of one step later.
    const WallShear shear = wallShear(flow, pipe);
    out.shear += turn * std::exp(-i * pipe.omega()) * shear.cubic;
    out.linearShear += turn * std::exp(-i * pipe.omega()) * shear.linear;
    if (k % (samples / 4) != 0) continue;
    out.profiles.emplace_back();
    for (int r = 0; r < pipe.radius; ++r)
      out.profiles.back().push_back(moments.velocity(x, c + r, c)[0]);
  }
  const double r = pipe.radius, mu = pipe.nu();
  const Complex unit = gradient * r * r / (4.0 * mu);
  out.middle /= unit;
  out.half /= unit;
  out.flowRate /= std::numbers::pi * std::pow(r, 4) * gradient / (8.0 * mu);
  out.shear /= gradient * r / 2.0;
  out.linearShear /= gradient * r / 2.0;
  out.gradientPhase = std::arg(gradient);
  for (std::vector<double>& profile : out.profiles)
    for (double& u : profile) u /= std::abs(unit);
  return out;
}

void addEntries(const std::string& what, const Complex& ours, const Complex& theirs,
                const Options& options, Findings& out) {
  constexpr double degree = 180.0 / std::numbers::pi;
  out.relative("amplitude of " + what, std::abs(ours), std::abs(theirs),
               options.quick ? 0.03 : 0.01, "Womersley 1955");
  // Difference of phases, without wrapping.
  out.within("phase of " + what + ", degrees",
             (std::arg(theirs) + std::arg(ours / theirs)) * degree, std::arg(theirs) * degree,
             options.quick ? 5.0 : 1.0, "Womersley 1955");
}

Chart profileChart(const Pipe& pipe, const Theory& theory, const Found& found) {
  Chart chart = chartOf("Womersley number " + shortNumber(pipe.alpha, 2) +
                            ": velocity at four phases, lines by the theory",
                        "radius over the pipe's", "velocity over the steady peak");
  for (std::size_t k = 0; k < found.profiles.size(); ++k) {
    std::vector<double> r, line, dots;
    for (int j = 0; j <= 50; ++j) {
      r.push_back(j / 50.0);
      line.push_back(
          std::real(theory.velocity(r.back()) *
                    std::polar(1.0, found.gradientPhase + 0.5 * std::numbers::pi * double(k + 1))));
    }
    for (std::size_t j = 0; j < found.profiles[k].size(); ++j)
      dots.push_back(static_cast<double>(j) / pipe.radius);
    const int number = static_cast<int>(k);
    chart.curves.push_back(curve(std::to_string(90 * (k + 1)) + "\u00b0", r, line, number));
    chart.curves.push_back(curve("", dots, found.profiles[k], number, true));
  }
  return chart;
}

}  // namespace

Findings womersley(const Options& options) {
  Findings out;
  out.setting =
      "D3Q19, TRT, walls by multireflection; a flow rate that swings comes in with Womersley's "
      "profile; radius " +
      std::string(options.quick ? "10" : "10, 16 and 24") +
      " nodes. Against the pressure gradient in the pipe, over what it would drive if steady. Wall "
      "shear by a cubic through the stress of the nodes up to 4 from the wall.";
  const std::vector<Pipe> pipes =
      options.quick ? std::vector<Pipe>{{4.0, 10, 20, 640, 1}}
                    : std::vector<Pipe>{
                          {2.0, 10, 40, 1600, 2}, {4.0, 16, 40, 1280, 2}, {8.0, 24, 40, 1984, 3}};
  for (const Pipe& pipe : pipes) {
    const Theory theory{pipe.alpha};
    const Found found = measure(pipe, options);
    const std::string at = ", \u03b1 = " + shortNumber(pipe.alpha, 2);
    addEntries("u(0)" + at, found.middle, theory.velocity(0.0), options, out);
    addEntries("u(R/2)" + at, found.half, theory.velocity(0.5), options, out);
    addEntries("flow rate" + at, found.flowRate, theory.flowRate(), options, out);
    addEntries("wall shear stress" + at, found.shear, theory.shear(), options, out);
    // A line through the stress 1 and 2 nodes inside misses half its second derivative times 2,
    // which is (alpha / R)^2 of it.
    out.atMost("error of the wall shear stress as postprocess finds it" + at,
               std::abs(found.linearShear / theory.shear() - 1.0),
               1.25 * std::pow(pipe.alpha / pipe.radius, 2),
               "a line from 1 and 2 nodes inside: (\u03b1/R)\u00b2");
    out.charts.push_back(profileChart(pipe, theory, found));
  }
  return out;
}

}  // namespace tessera::validation
