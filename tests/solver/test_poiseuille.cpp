// SPDX-License-Identifier: GPL-3.0-or-later
// Flows with closed forms, driven by a force along a periodic axis.
#include <catch2/catch.hpp>
#include <cmath>

#include "solver/simulation.hpp"
#include "tests/solver/geometries.hpp"

using namespace tessera;
using namespace tessera::testing;

namespace {

constexpr double viscosity = 1e-6;  // m2/s
constexpr double density = 1000.0;  // kg/m3
constexpr double force = 1e-2;      // N/m3, along x
constexpr double pi = 3.14159265358979323846;

struct Steady {
  Fields fields;
  double flow = 0.0;     // m3/s through a plane of nodes x = constant
  double fastest = 0.0;  // m/s
};

// Runs until steady; a duct is one tile thick along the flow.
Steady runDuct(const TilesFile& tiles, double tau, std::uint64_t steps,
               const std::string& collision = "trt") {
  SolverCase run;
  run.density = density;
  run.kinematicViscosity = viscosity;
  run.lattice = "D3Q19";
  run.collision = collision;
  run.precision = "f64";
  run.tau = tau;
  run.bodyForce = {force, 0.0, 0.0};
  Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
  simulation.advance(steps);
  RunResult result;
  result.step = steps + 1;
  result.last = simulation.sample();
  Steady out{simulation.fields(result), 0.0, 0.0};
  const double spacing = tiles.geometry.frame.spacing;
  for (const auto& u : out.fields.velocity) {
    const double along = u[0] * out.fields.velocityFactor;
    out.flow += along * spacing * spacing / tiles.geometry.nodes[0];
    out.fastest = std::max(out.fastest, along);
  }
  return out;
}

// Largest error relative to the largest velocity, from the populations, so in double precision.
double channelError(int height, double tau, const std::string& collision,
                    const std::string& lattice = "D3Q19") {
  const double spacing = 1e-3 / height;
  const bool flat = lattice == "D2Q9";
  const TilesFile tiles = imageGeometry(
      {4, height, flat ? 1 : 4}, [](int, int, int) { return true; }, {true, false, true}, {},
      spacing, {0, 0, 0}, flat ? 2 : 3);
  SolverCase run;
  run.density = density;
  run.kinematicViscosity = viscosity;
  run.lattice = lattice;
  run.collision = collision;
  const bool both = lattice == "D3Q19" || collision == "trt";
  run.equilibrium = both ? "incompressible" : "quasi-compressible";
  run.precision = "f64";
  run.tau = tau;
  run.bodyForce = {force, 0.0, 0.0};
  Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
  simulation.advance(static_cast<std::uint64_t>(60.0 * height * height / (tau - 0.5) / 3.0));
  const std::vector<double> f = simulation.populations();
  const LatticeInfo& info = simulation.setup().variant->lattice;
  const std::size_t q = info.velocities.size();
  const double f0 = simulation.setup().lattice.force[0];
  const double nu = (tau - 0.5) / 3.0;
  double worst = 0.0;
  for (std::size_t t = 0; t < tiles.geometry.tiles(); ++t)
    for (int l = 0; l < tileNodes; ++l) {
      const Int3 node = tiles.geometry.nodeOf(t, l);
      if (tiles.geometry.nodeType[t * tileNodes + static_cast<std::size_t>(l)] == 0) continue;
      double u = -0.5 * f0;
      for (std::size_t i = 0; i < q; ++i)
        u += info.velocities[i][0] * f[(t * q + i) * 64 + static_cast<std::size_t>(l)];
      const double y = node[1] + 0.5;
      worst = std::max(worst, std::abs(u - f0 / (2.0 * nu) * y * (height - y)));
    }
  return worst / (f0 / (8.0 * nu) * height * height);
}

TilesFile duct(const Int3& nodes, double spacing, const std::function<bool(int, int, int)>& fluid) {
  return imageGeometry(nodes, fluid, {true, false, false}, {}, spacing, {0, 0, 0});
}

}  // namespace

TEST_CASE("plane channel: TRT at the magic parameter 3/16 is exact, LBGK is not", "[unit]") {
  CHECK(channelError(8, 0.8, "trt") < 1e-10);
  CHECK(channelError(11, 1.3, "trt") < 1e-10);
  CHECK(channelError(8, 0.6, "mrt") < 1e-10);
  CHECK(channelError(11, 0.7, "trt", "D2Q9") < 1e-10);
  CHECK(channelError(8, 1.3, "mrt", "D2Q9") < 1e-10);
  CHECK(channelError(8, 1.3, "bgk") > 1e-3);
  // The one relaxation time whose magic parameter is 3/16.
  CHECK(channelError(8, 0.5 + std::sqrt(3.0 / 16.0), "bgk") < 1e-10);
}

TEST_CASE("square duct: flow rate and peak velocity converge with second order", "[unit]") {
  const double side = 1e-3;
  const double flow = 0.0351442537 * force * std::pow(side, 4) / (viscosity * density);
  const double peak = 0.0736712888 * force * side * side / (viscosity * density);
  double before = 0.0;
  for (int n : {9, 18, 36}) {
    const TilesFile tiles = duct({4, n, n}, side / n, [](int, int, int) { return true; });
    const Steady steady = runDuct(tiles, 1.1, static_cast<std::uint64_t>(8 * n * n));
    const double error = std::abs(steady.flow / flow - 1.0);
    // The peak lies between nodes when n is even: compare at odd n only.
    if (n == 9) CHECK(std::abs(steady.fastest / peak - 1.0) < 0.02);
    CHECK(error < 1.0 / (n * n));
    if (before > 0.0) CHECK(std::log2(before / error) > 1.8);
    before = error;
  }
}

TEST_CASE("pipe as an image: first order or better", "[unit]") {
  const double radius = 1e-3;
  const double flow = pi * std::pow(radius, 4) * force / (8.0 * viscosity * density);
  std::vector<double> errors;
  for (int n : {12, 24, 48}) {
    const auto inside = [n](int, int y, int z) {
      const double dy = y - 0.5 * (n - 1);
      const double dz = z - 0.5 * (n - 1);
      return 4.0 * (dy * dy + dz * dz) < double(n) * n;
    };
    const TilesFile tiles = duct({4, n, n}, 2.0 * radius / n, inside);
    const Steady steady = runDuct(tiles, 1.1, static_cast<std::uint64_t>(6 * n * n));
    errors.push_back(std::abs(steady.flow / flow - 1.0));
  }
  // A staircase: its volume, and with it the error, falls unevenly from one size to the next.
  CHECK(std::log2(errors.front() / errors.back()) / 2.0 > 0.9);
  CHECK(errors.back() < 0.02);
}
