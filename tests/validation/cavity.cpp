// SPDX-License-Identifier: GPL-3.0-or-later
// A square box whose lid slides, against the velocities on the two middle lines of Ghia, Ghia &
// Shin 1982, and, with the lid's velocity in proportion to the spacing, the order in which their
// extrema approach those of the spectral solution of Botella & Peyret 1998. A cube, against the
// extrema of Albensoeder & Kuhlmann 2005.
#include "tests/validation/ghia.hpp"
#include "tests/validation/run.hpp"

namespace tessera::validation {

using namespace tessera::picture;
using namespace tessera::preprocess::geometry;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::model;

namespace {

constexpr double usualLid = 0.1;  // velocity, lattice units

struct MiddleLines {
  std::vector<double> u, v;  // over the lid's velocity
};

// In the middle of rows of values, by a cubic when it lies between two of them.
template <class Value>
double middleOf(int n, const Value& value) {
  if (n % 2 == 1) return value(n / 2);
  const int k = n / 2;
  return (9.0 * (value(k - 1) + value(k)) - value(k - 2) - value(k + 1)) / 16.0;
}

struct Box {
  int n = 0, depth = 1;  // nodes along the sides and the lid's other side; depth 1: 2D, else odd
  Model model{LatticeId::D2Q9};
};

MiddleLines steady(double reynolds, const Box& box, double lid, double change,
                   const Options& options) {
  const int n = box.n, dimensions = box.depth == 1 ? 2 : 3;
  LatticeGeometry geometry = testing::imageLattice(
      {n, n, box.depth}, [](int, int, int) { return true; }, {false, false, box.depth == 1}, {},
      1.0, dimensions);
  testing::setWalls(geometry, 2, [n](const Int3& node, const Int3& step, double&, int& label) {
    label = node[1] + step[1] >= n ? 1 : 0;
  });
  SolverCase run = latticeCase(box.model, 0.5 + 3.0 * lid * n / reynolds);
  run.wallConditions.resize(2);
  run.wallConditions[1].kind = WallKind::Moving;
  run.wallConditions[1].velocity = {lid, 0.0, 0.0};
  Flow flow = startFlow(testing::inTiles(geometry, {0, 0, 0}), run, options);
  // In times that the lid needs to cross the box.
  const auto crossing = static_cast<std::uint64_t>(n / lid);
  flow.simulation->advance(20 * crossing);
  runUntilSteady(flow, change, crossing, 200 * crossing);
  const Moments moments = momentsOf(flow);
  const int z = box.depth / 2;
  MiddleLines out;
  for (int k = 0; k < n; ++k) {
    out.u.push_back(middleOf(n, [&](int m) { return moments.velocity(m, k, z)[0]; }) / lid);
    out.v.push_back(middleOf(n, [&](int m) { return moments.velocity(k, m, z)[1]; }) / lid);
  }
  return out;
}

Chart lineChart(const GhiaTable& table, const MiddleLines& lines) {
  Chart chart = chartOf("Lid-driven cavity, Re " + shortNumber(table.reynolds, 3) +
                            ": along the lid over height, across over the other axis",
                        "place", "velocity over the lid's");
  std::vector<double> places;
  for (std::size_t k = 0; k < lines.u.size(); ++k)
    places.push_back((static_cast<double>(k) + 0.5) / static_cast<double>(lines.u.size()));
  chart.curves = {curve("u", places, lines.u, 0), curve("v", places, lines.v, 1),
                  curve("Ghia", table.y, table.u, 2, true), curve("", table.x, table.v, 2, true)};
  return chart;
}

// Polynomial through five values around one of them, at a distance from it.
double interpolatedAmong(const std::vector<double>& values, std::ptrdiff_t middle, double at) {
  double sum = 0.0;
  for (int k = -2; k <= 2; ++k) {
    double weight = 1.0;
    for (int l = -2; l <= 2; ++l)
      if (l != k) weight *= (at - l) / (k - l);
    sum += weight * values[static_cast<std::size_t>(middle + k)];
  }
  return sum;
}

// Least value, by a quartic through the five around the smallest.
double leastOf(const std::vector<double>& values) {
  const auto n = static_cast<std::ptrdiff_t>(values.size());
  const auto at = std::clamp<std::ptrdiff_t>(
      std::min_element(values.begin(), values.end()) - values.begin(), 2, n - 3);
  double least = values[static_cast<std::size_t>(at)];
  for (int k = -1000; k <= 1000; ++k)
    least = std::min(least, interpolatedAmong(values, at, k / 1000.0));
  return least;
}

double largestOf(std::vector<double> values) {
  for (double& value : values) value = -value;
  return -leastOf(values);
}

// Botella & Peyret 1998 (Computers & Fluids 27, 421), Tables 9 and 10.
struct Extrema {
  double reynolds, leastU, largestV, leastV;
};
constexpr Extrema spectral100{100.0, -0.2140424, 0.1795728, -0.2538030};
constexpr Extrema spectral1000{1000.0, -0.3885698, 0.3769447, -0.5270771};

// Largest relative error of the three extrema.
double errorOf(const MiddleLines& lines, const Extrema& exact) {
  return std::max({std::abs(leastOf(lines.u) / exact.leastU - 1.0),
                   std::abs(largestOf(lines.v) / exact.largestV - 1.0),
                   std::abs(leastOf(lines.v) / exact.leastV - 1.0)});
}

void addOrder(Findings& out, const Options& options) {
  const Extrema& exact = options.quick ? spectral100 : spectral1000;
  const int coarse = options.quick ? 24 : 64;
  const double change = options.quick ? 1e-6 : 1e-7;
  const auto error = [&](int n) {
    return errorOf(steady(exact.reynolds, {n}, usualLid * coarse / n, change, options), exact);
  };
  const double first = error(coarse);
  const double second = error(2 * coarse);
  const std::string name = ", Re " + shortNumber(exact.reynolds, 4);
  out.atMost("extrema at " + std::to_string(2 * coarse) + " nodes" + name, second,
             options.quick ? 0.01 : 0.005, "Botella & Peyret 1998");
  out.between("order of the extrema, lid in proportion to the spacing" + name,
              orderOf(first, second), 1.8, 3.0, "Botella & Peyret 1998");
}

// At a Reynolds number of the grid of 30, where TRT diverges.
void addCube(Findings& out, const Options& options) {
  if (options.quick) return;
  constexpr int n = 33;
  constexpr double share = 0.06;
  const MiddleLines lines = steady(1000.0,
                                   {n,
                                    n,
                                    {LatticeId::D3Q27, CollisionId::Cumulant,
                                     EquilibriumId::QuasiCompressible, PrecisionId::F32}},
                                   usualLid, 1e-3, options);
  const std::string source = "Albensoeder & Kuhlmann 2005";
  out.relative("cube of 33 nodes, Re 1000: least velocity along the lid", leastOf(lines.u),
               -0.2803831, share, source);
  out.relative("the same: largest velocity across", largestOf(lines.v), 0.2466508, share, source);
  out.relative("the same: least velocity across", leastOf(lines.v), -0.4350151, share, source);
}

}  // namespace

Findings cavity(const Options& options) {
  Findings out;
  const int n = options.quick ? 48 : 128;
  out.setting = "D2Q9, TRT, " + std::to_string(n) +
                " nodes a side, lid at 0.1; largest difference on a middle line, over the lid's "
                "velocity.";
  for (const GhiaTable& table : {ghia100, ghia400}) {
    if (options.quick && table.reynolds > 100.0) continue;
    const MiddleLines lines =
        steady(table.reynolds, {n}, usualLid, options.quick ? 1e-4 : 1e-6, options);
    const std::string name = ", Re " + shortNumber(table.reynolds, 3);
    const double limit = options.quick ? 0.015 : 0.01;
    out.atMost("velocity along the lid" + name, largestDifference(lines.u, table.y, table.u), limit,
               "Ghia, Ghia & Shin 1982");
    out.atMost("velocity across" + name, largestDifference(lines.v, table.x, table.v), limit,
               "Ghia, Ghia & Shin 1982");
    out.charts.push_back(lineChart(table, lines));
  }
  addOrder(out, options);
  addCube(out, options);
  return out;
}

}  // namespace tessera::validation
