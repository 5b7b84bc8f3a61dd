// SPDX-License-Identifier: GPL-3.0-or-later
// Developed flow along ducts whose walls lie half way between nodes: a square one against the
// series (White 2006, section 3-3), where the walls are where they should be, and a round one as a
// staircase of voxels, which misplaces them by parts of a spacing.
#include <cmath>
#include <functional>
#include <numbers>

#include "tests/validation/run.hpp"

namespace tessera::validation {

using namespace tessera::solver::cases;

namespace {

struct Developed {
  double flow = 0.0;  // through a section
  double peak = 0.0;  // largest velocity
};

constexpr double force = 1e-6, tau = 1.1, nu = (tau - 0.5) / 3.0;

// n x n nodes across.
Developed developed(int n, const std::function<bool(int, int, int)>& fluid,
                    const Options& options) {
  SolverCase run = latticeCase({}, tau);
  run.bodyForce = {force, 0.0, 0.0};
  Flow flow =
      startFlow(testing::imageGeometry({4, n, n}, fluid, {true, false, false}, {}, 1.0, {0, 0, 0}),
                run, options);
  // The slowest part decays with exp(-2 pi^2 nu t / n^2).
  flow.simulation->advance(static_cast<std::uint64_t>(1.2 * n * n / nu));
  const Moments moments = momentsOf(flow);
  Developed out;
  for (int z = 0; z < n; ++z)
    for (int y = 0; y < n; ++y) {
      out.flow += moments.velocity(0, y, z)[0];
      out.peak = std::max(out.peak, moments.velocity(0, y, z)[0]);
    }
  return out;
}

}  // namespace

Findings squareDuct(const Options& options) {
  Findings out;
  out.setting = "D3Q19, TRT, \u03c4 = 1.1, driven by a force; 9, 18 and 36 nodes across.";
  const std::string series = "series, White 2006";
  std::vector<double> nodes, errors;
  for (const int n : {9, 18, 36}) {
    const Developed found = developed(
        n, [](int, int, int) { return true; }, options);
    const double flow = 0.0351442537 * force * std::pow(n, 4) / nu;
    nodes.push_back(n);
    errors.push_back(std::abs(found.flow / flow - 1.0));
    // The peak is on a node when n is odd.
    if (n == 9)
      out.relative("peak velocity over G L\u00b2/\u03bc, 9 nodes",
                   found.peak * nu / (force * n * n), 0.0736712888, 0.02, series);
    if (n == 36)
      out.relative("flow rate over G L\u2074/\u03bc, 36 nodes",
                   found.flow * nu / (force * std::pow(n, 4)), 0.0351442537, 1e-3, series);
  }
  out.between("order, 18 to 36 nodes", orderOf(errors[1], errors[2]), 1.8, 2.2, "second order");
  out.charts.push_back(errorChart("Square duct", nodes, errors, 2.0));
  return out;
}

Findings staircasePipe(const Options& options) {
  Findings out;
  out.setting =
      "Voxels whose centre lies in the circle, walls half way: D3Q19, TRT, \u03c4 = 1.1. What the "
      "staircase costs; the error falls unevenly with its volume, so the order is a fit.";
  std::vector<double> nodes, errors;
  const std::vector<int> sizes =
      options.quick ? std::vector<int>{12, 24, 48} : std::vector<int>{12, 17, 24, 34, 48, 68};
  for (const int n : sizes) {
    const auto inside = [n](int, int y, int z) {
      const double dy = y - 0.5 * (n - 1);
      const double dz = z - 0.5 * (n - 1);
      return 4.0 * (dy * dy + dz * dz) < double(n) * n;
    };
    const double flow = std::numbers::pi * std::pow(0.5 * n, 4) * force / (8.0 * nu);
    nodes.push_back(n);
    errors.push_back(std::abs(developed(n, inside, options).flow / flow - 1.0));
  }
  out.atLeast("order of the flow rate, fitted", fittedOrder(nodes, errors), 0.7, "first order");
  out.atMost("error of the flow rate, " + std::to_string(sizes.back()) + " nodes", errors.back(),
             0.02, "Hagen & Poiseuille");
  out.charts.push_back(errorChart("Pipe as a staircase", nodes, errors, 1.0));
  return out;
}

}  // namespace tessera::validation
