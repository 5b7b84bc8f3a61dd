// SPDX-License-Identifier: GPL-3.0-or-later
// A plane channel that widens symmetrically to three times its height. Below a critical Reynolds
// number the flow is symmetric; above, it leans to one side: Fearn, Mullin & Cliffe 1990 (J. Fluid
// Mech. 211, 595) find it at 40.45, of half the narrow channel's height and its largest velocity.
// Near it the asymmetric part grows or decays exponentially, at a rate that passes through 0 there.
#include <algorithm>
#include <array>
#include <cmath>

#include "solver/backend/sample.hpp"
#include "tests/validation/run.hpp"

namespace tessera::validation {

using namespace tessera::picture;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::model;

namespace {

constexpr double critical = 40.45;
constexpr double fastest = 0.1;
constexpr int upstream = 2, downstream = 16;  // in heights of the narrow channel

class Expansion {
 public:
  Expansion(int narrow, double reynolds, const Options& options) : narrow_(narrow) {
    const double nu = fastest * 0.5 * narrow / reynolds;
    SolverCase run = latticeCase({LatticeId::D2Q9}, 0.5 + 3.0 * nu);
    run.openings = {Velocity{Profile::Parabolic, 2.0 / 3.0 * fastest}, Pressure{0.0}};
    run.ramp = 10.0 * narrow / fastest;
    flow_ = startFlow(testing::imageGeometry(
                          {(upstream + downstream) * narrow, 3 * narrow, 1},
                          [narrow](int x, int y, int) {
                            return x >= upstream * narrow || (y >= narrow && y < 2 * narrow);
                          },
                          {false, false, true}, {{0, false, 1}, {0, true, 2}}, 1.0, {0, 0, 0}, 2),
                      run, options);
  }

  // In heights of the narrow channel over its largest velocity.
  void advance(double time) {
    flow_.simulation->advance(static_cast<std::uint64_t>(time * narrow_ / fastest));
  }

  // A shove across the middle, just behind the step, of a part of the largest velocity.
  void kick(double part) {
    std::vector<double> f = flow_.simulation->populations();
    const LatticeInfo& lattice = flow_.simulation->setup().variant->lattice;
    forPopulations(flow_, [&](std::size_t at, std::size_t i, const Int3& node) {
      if (node[0] < upstream * narrow_ || node[0] >= (upstream + 2) * narrow_) return;
      f[at] += 3.0 * lattice.weights[i] * lattice.velocities[i][1] * part * fastest;
    });
    flow_.simulation->setPopulations(f);
  }

  // Root mean square of the velocity across the middle line, over the largest.
  [[nodiscard]] double asymmetry() {
    const Moments moments = momentsOf(flow_);
    const int middle = moments.nodes[1] / 2;
    double sum = 0.0;
    for (int x = upstream * narrow_; x < moments.nodes[0]; ++x) {
      const double across =
          0.5 * (moments.velocity(x, middle - 1)[1] + moments.velocity(x, middle)[1]);
      sum += across * across;
    }
    return std::sqrt(sum / (downstream * narrow_)) / fastest;
  }

  // Where the flow along the lower and the upper wall turns forward again, in heights of the step.
  [[nodiscard]] std::array<double, 2> lobes() {
    const Moments moments = momentsOf(flow_);
    std::array<double, 2> ends{};
    for (std::size_t side = 0; side < 2; ++side) {
      const int y = side == 0 ? 0 : moments.nodes[1] - 1;
      int x = upstream * narrow_ + 2;
      while (x < moments.nodes[0] && moments.velocity(x, y)[0] < 0.0) ++x;
      ends[side] = double(x - upstream * narrow_) / narrow_;
    }
    return ends;
  }

 private:
  int narrow_;
  Flow flow_;
};

struct Growth {
  std::vector<double> time, amplitude;
  double rate = 0.0;  // velocity over height
};

// Growth rate of a small asymmetric part, after faster modes have decayed.
Growth growthAt(double reynolds, int narrow, double settle, double watch, const Options& options) {
  Expansion flow(narrow, reynolds, options);
  flow.advance(settle);
  flow.kick(1e-3);
  constexpr int samples = 8;
  Growth out;
  flow.advance(watch);
  for (int k = 0; k <= samples; ++k) {
    if (k > 0) flow.advance(watch / samples);
    out.time.push_back(watch * (1.0 + double(k) / samples));
    out.amplitude.push_back(flow.asymmetry());
  }
  out.rate = std::log(out.amplitude.back() / out.amplitude.front()) / watch;
  return out;
}

}  // namespace

Findings symmetryBreaking(const Options& options) {
  Findings out;
  const int narrow = options.quick ? 8 : 20;
  const double settle = options.quick ? 60.0 : 150.0;
  const double watch = options.quick ? 40.0 : 100.0;
  out.setting = "D2Q9, TRT, " + std::to_string(narrow) +
                " nodes across the narrow channel. The asymmetric part after a shove of 0.001 of "
                "the velocity, at 0.9 and 1.1 of the critical Reynolds number; the rate of growth "
                "is 0 in between.";
  const std::array<double, 2> numbers{0.9 * critical, 1.1 * critical};
  std::array<Growth, 2> growth;
  Chart chart = chartOf("Asymmetric part of the flow", "time, in heights over velocity",
                        "velocity across the middle line", true);
  for (std::size_t k = 0; k < 2; ++k) {
    growth[k] = growthAt(numbers[k], narrow, settle, watch, options);
    chart.curves.push_back(curve("Re " + shortNumber(numbers[k], 3), growth[k].time,
                                 growth[k].amplitude, static_cast<int>(k)));
  }
  out.charts.push_back(chart);
  const double found =
      numbers[0] - growth[0].rate * (numbers[1] - numbers[0]) / (growth[1].rate - growth[0].rate);
  out.relative("critical Reynolds number", found, critical, options.quick ? 0.08 : 0.04,
               "Fearn, Mullin & Cliffe 1990");
  out.atMost("rate of growth at 0.9 of it", growth[0].rate, 0.0, "the flow is symmetric");
  out.atLeast("rate of growth at 1.1 of it", growth[1].rate, 0.0, "the flow is not");
  if (options.quick) return out;
  Expansion above(narrow, 1.5 * critical, options);
  above.advance(settle);
  above.kick(1e-2);
  above.advance(6.0 * watch);
  const auto [low, high] = above.lobes();
  out.atLeast("longer over shorter lobe at 1.5 of it", std::max(low, high) / std::min(low, high),
              1.3, "the flow leans to one side");
  Expansion below(narrow, 0.6 * critical, options);
  below.advance(2.0 * settle);
  const auto [lower, upper] = below.lobes();
  out.within("longer over shorter lobe at 0.6 of it",
             std::max(lower, upper) / std::min(lower, upper), 1.0, 1e-6, "the flow is symmetric");
  return out;
}

}  // namespace tessera::validation
