// SPDX-License-Identifier: GPL-3.0-or-later
// Slow flow through a simple cubic array of spheres. The drag of one sphere is 6 pi mu a K U with
// the superficial velocity U and K by Zick & Homsy 1982, so the permeability is
// L^2 / (6 pi K) (4 pi / (3 c))^(1/3) at the volume fraction c. TRT keeps it whatever the viscosity
// (Ginzburg & d'Humieres 2003).
#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/validation/run.hpp"

namespace tessera::validation {

using namespace tessera::picture;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;

namespace {

struct Packing {
  double fraction;                             // of the volume that is solid
  double drag;                                 // K, Table 2 of Zick & Homsy 1982
  [[nodiscard]] double permeability() const {  // over L^2
    return std::cbrt(4.0 * std::numbers::pi / (3.0 * fraction)) / (6.0 * std::numbers::pi * drag);
  }
};

struct Found {
  double permeability;  // over L^2
  double balance;       // force on the sphere over that which drives the fluid
};

// An array with n nodes from sphere to sphere; voxels: walls halfway, not where the spheres are.
Found throughArray(int n, const Packing& packing, double tau, WallScheme walls,
                   const Options& options, bool voxels = false) {
  const double radius = n * std::cbrt(3.0 * packing.fraction / (4.0 * std::numbers::pi));
  const auto level = [=](const Double3& p) {
    const double c = 0.5 * (n - 1);
    return radius - std::hypot(p[0] - c, p[1] - c, p[2] - c);
  };
  SolverCase run = latticeCase({}, tau);
  run.magic = 3.0 / 16.0;
  run.walls = walls;
  const double force = 1e-7;
  run.bodyForce = {force, 0.0, 0.0};
  const std::array<bool, 3> periodic{true, true, true};
  const auto image = [&](int x, int y, int z) {
    return level({double(x), double(y), double(z)}) < 0.0;
  };
  const auto geometry = voxels ? testing::imageLattice({n, n, n}, image, periodic, {}, 1.0)
                               : testing::levelLattice({n, n, n}, level, periodic, 1.0, 3, 1,
                                                       [](const Double3&) { return 0; });
  Flow flow = startFlow(testing::inTiles(geometry, {0, 0, 0}), run, options);
  // Momentum diffuses over the permeability's length.
  const auto every = static_cast<std::uint64_t>(
      std::max(50.0, 2.0 * packing.permeability() * n * n / run.kinematicViscosity));
  runUntilSteady(flow, 1e-5, every, 50 * every);
  const Moments moments = momentsOf(flow);
  double sum = 0.0;
  for (const Double3& u : moments.u) sum += u[0];
  const double driving = force * static_cast<double>(flow.tiles->geometry.fluidNodes);
  return {run.kinematicViscosity * sum / std::pow(n, 3) / (force * n * n),
          flow.simulation->sample().walls[0].force[0] / driving};
}

}  // namespace

Findings sphereArray(const Options& options) {
  Findings out;
  const int n = options.quick ? 20 : 32;
  out.setting = "D3Q19, TRT with magic parameter 3/16, walls by Bouzidi's interpolation, " +
                std::to_string(n) +
                " nodes from sphere to sphere, driven by a force at a Reynolds number near 0; the "
                "influence of the viscosity with walls half way.";
  const std::vector<Packing> packings{{0.064, 2.810}, {0.125, 4.292}, {0.216, 7.442},
                                      {0.343, 15.4},  {0.45, 28.1},   {0.5236, 42.1}};
  std::vector<double> fractions, theirs, ours;
  for (const Packing& packing : packings) {
    if (options.quick && packing.fraction != 0.216) continue;
    const Found array = throughArray(n, packing, 1.0, WallScheme::Bouzidi, options);
    const double found = array.permeability;
    out.relative("force on the sphere over the driving force, volume fraction " +
                     shortNumber(packing.fraction, 4),
                 array.balance, 1.0, 1e-4, "momentum is conserved");
    out.relative("permeability over L\u00b2, volume fraction " + shortNumber(packing.fraction, 4),
                 found, packing.permeability(), options.quick ? 0.03 : 0.02,
                 "Zick & Homsy 1982, Table 2");
    out.relative(
        "permeability over L\u00b2 of voxels, volume fraction " + shortNumber(packing.fraction, 4),
        throughArray(n, packing, 1.0, WallScheme::Halfway, options, true).permeability,
        packing.permeability(), options.quick ? 0.1 : 0.06, "Zick & Homsy 1982, Table 2");
    fractions.push_back(packing.fraction);
    theirs.push_back(packing.permeability());
    ours.push_back(found);
  }
  const int small = options.quick ? 12 : 24;
  const Packing packing{0.216, 7.442};
  const double reference =
      throughArray(small, packing, 1.0, WallScheme::Halfway, options).permeability;
  for (const double tau : {0.6, 2.0})
    out.relative(
        "permeability at \u03c4 = " + shortNumber(tau, 2) + " over that at 1",
        throughArray(small, packing, tau, WallScheme::Halfway, options).permeability / reference,
        1.0, 1e-3, "viscosity does not matter");
  if (fractions.size() > 1) {
    Chart chart = chartOf("Permeability of simple cubic arrays", "volume fraction of the spheres",
                          "permeability over L\u00b2", true);
    chart.curves = {curve("Zick & Homsy", fractions, theirs, 0),
                    curve("ours", fractions, ours, 1, true)};
    out.charts.push_back(chart);
  }
  return out;
}

}  // namespace tessera::validation
