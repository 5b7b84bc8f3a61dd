// SPDX-License-Identifier: GPL-3.0-or-later
// A square box whose lid slides, against the velocities on the two middle lines of Ghia, Ghia &
// Shin 1982.
#include "tests/validation/ghia.hpp"
#include "tests/validation/run.hpp"

namespace tessera::validation {

using namespace tessera::picture;
using namespace tessera::preprocess::geometry;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::model;

namespace {

constexpr double lid = 0.1;

struct MiddleLines {
  std::vector<double> u, v;  // over the lid's velocity; between the two middle rows when n is even
};

MiddleLines steady(double reynolds, int n, double change, const Options& options) {
  LatticeGeometry geometry = testing::imageLattice(
      {n, n, 1}, [](int, int, int) { return true; }, {false, false, true}, {}, 1.0, 2);
  testing::setWalls(geometry, 2, [n](const Int3& node, const Int3& step, double&, int& label) {
    label = node[1] + step[1] >= n ? 1 : 0;
  });
  SolverCase run = latticeCase({LatticeId::D2Q9}, 0.5 + 3.0 * lid * n / reynolds);
  run.wallConditions.resize(2);
  run.wallConditions[1].kind = WallKind::Moving;
  run.wallConditions[1].velocity = {lid, 0.0, 0.0};
  Flow flow = startFlow(testing::inTiles(geometry, {0, 0, 0}), run, options);
  // In times that the lid needs to cross the box.
  const auto crossing = static_cast<std::uint64_t>(n / lid);
  flow.simulation->advance(20 * crossing);
  runUntilSteady(flow, change, crossing, 200 * crossing);
  const Moments moments = momentsOf(flow);
  MiddleLines out;
  for (int k = 0; k < n; ++k) {
    const int a = (n - 1) / 2, b = n / 2;
    out.u.push_back(0.5 * (moments.velocity(a, k)[0] + moments.velocity(b, k)[0]) / lid);
    out.v.push_back(0.5 * (moments.velocity(k, a)[1] + moments.velocity(k, b)[1]) / lid);
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

}  // namespace

Findings cavity(const Options& options) {
  Findings out;
  const int n = options.quick ? 48 : 128;
  out.setting = "D2Q9, TRT, " + std::to_string(n) +
                " nodes a side, lid at 0.1; largest difference on a middle line, over the lid's "
                "velocity.";
  for (const GhiaTable& table : {ghia100, ghia400}) {
    if (options.quick && table.reynolds > 100.0) continue;
    const MiddleLines lines = steady(table.reynolds, n, options.quick ? 1e-4 : 1e-6, options);
    const std::string name = ", Re " + shortNumber(table.reynolds, 3);
    const double limit = options.quick ? 0.015 : 0.01;
    out.atMost("velocity along the lid" + name, largestDifference(lines.u, table.y, table.u), limit,
               "Ghia, Ghia & Shin 1982");
    out.atMost("velocity across" + name, largestDifference(lines.v, table.x, table.v), limit,
               "Ghia, Ghia & Shin 1982");
    out.charts.push_back(lineChart(table, lines));
  }
  return out;
}

}  // namespace tessera::validation
