// SPDX-License-Identifier: GPL-3.0-or-later
// Zou & He at openings across an axis: plane Poiseuille flow between two of them; and the same by
// links, where between walls halfway it is exact.
#include <catch2/catch.hpp>

#include "tests/fixtures/case/opening_cases.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/geometry/geometries.hpp"

using namespace tessera;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::model;
using namespace tessera::solver::run;
using namespace tessera::stage;
using namespace tessera::tiler;
using namespace tessera::tiler::file;
using namespace tessera::testing;

namespace {

struct Error {
  double flow = 0.0;   // of the flow rate half way
  double worst = 0.0;  // velocity of any node, over the largest
};

// Between an inlet of a pressure, or of a parabola, and an outlet of a pressure; the plane of the
// opening is on the nodes by Zou & He, half a link beyond by links.
Error channel(int length, int height, bool zouHe, bool velocity, double speed) {
  const TilesFile tiles = planeChannel(length, height);
  SolverCase run = planeCase();
  const Scales scales = latticeRun(run, tiles.geometry).scales;
  const double nu = 0.1;
  const double gradient = 8.0 * nu * speed / (height * height);
  const double drop = gradient * (zouHe ? length - 1 : length) * scales.pressure();
  if (velocity)
    run.openings[0] = Velocity{Profile::Parabolic, speed / 1.5 * scales.velocity(), nullptr, zouHe};
  else
    run.openings[0] = Pressure{drop, nullptr, zouHe};
  run.openings[1] = Pressure{0.0, nullptr, zouHe};
  Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
  simulation.advance(static_cast<std::uint64_t>(2.5 * height * height / nu));
  const std::vector<double> f = simulation.populations();
  const TiledGeometry& g = tiles.geometry;
  Error out;
  double exactFlow = 0.0;
  for (std::size_t t = 0; t < g.tiles(); ++t)
    for (int l = 0; l < tileNodes; ++l) {
      const auto local = static_cast<std::size_t>(l);
      if (g.nodeType[t * tileNodes + local] == 0) continue;
      double u = 0.0;
      for (std::size_t i = 0; i < 9; ++i)
        u += simulation.setup().variant->lattice.velocities[i][0] *
             f[(t * 9 + i) * tileNodes + local];
      const Int3 at = g.nodeOf(t, l);
      const double y = at[1] + 0.5;
      const double exact = gradient / (2.0 * nu) * y * (height - y);
      out.worst = std::max(out.worst, std::abs(u - exact) / speed);
      if (at[0] != length / 2) continue;
      out.flow += u;
      exactFlow += exact;
    }
  out.flow = std::abs(out.flow / exactFlow - 1.0);
  return out;
}

}  // namespace

TEST_CASE("Zou & He: between pressures the channel has its flow rate to second order", "[unit]") {
  const Error coarse = channel(16, 8, true, false, 1e-5);
  const Error fine = channel(16, 16, true, false, 1e-5);
  INFO("flow rates off by " << coarse.flow << " and " << fine.flow);
  CHECK(std::log2(coarse.flow / fine.flow) > 1.8);
  CHECK(fine.flow < 5e-4);
  // A channel as long as wide at a Reynolds number of 16.
  const double faster = channel(16, 16, true, false, 0.1).flow;
  const double links = channel(16, 16, false, false, 1e-5).flow;
  INFO("at Reynolds 16 " << faster << ", by links " << links << " and "
                         << channel(16, 8, false, false, 1e-5).flow);
  CHECK(faster < 0.01);
  CHECK(links < 1e-4);
}

TEST_CASE("Zou & He: a parabola at the inlet stays one up to the outlet", "[unit]") {
  const Error coarse = channel(16, 8, true, true, 1e-5);
  const Error fine = channel(16, 16, true, true, 1e-5);
  INFO("velocities off by " << coarse.worst << " and " << fine.worst);
  CHECK(std::log2(coarse.worst / fine.worst) > 1.7);
  // The remaining error is the parabola's sum over the nodes, scaled to the prescribed flow rate.
  CHECK(fine.worst < 3e-3);
  const double links = channel(16, 16, false, true, 1e-5).worst;
  INFO("by links " << links << " and " << channel(16, 8, false, true, 1e-5).worst);
  CHECK(links < 3e-3);
}

TEST_CASE("Zou & He: openings that are oblique or touch are refused", "[unit]") {
  const auto refusal = [](const TilesFile& tiles, SolverCase run) {
    return sentenceOfError(ExitCode::Usage,
                           [&] { Simulation(tiles, prepare(tiles.geometry, run, "cpu")); });
  };
  SolverCase run = planeCase(EquilibriumId::QuasiCompressible);
  run.openings[0] = Pressure{0.0, nullptr, true};
  run.lattice = LatticeId::D3Q19;
  CHECK_THAT(refusal(tiltedTube({0.6, 0.8, 0.0}, 4.0, 10.0), run),
             Catch::Contains("scheme = \"link\""));
  run.lattice = LatticeId::D2Q9;
  const TilesFile corner = imageGeometry(
      {9, 9, 1}, [](int, int, int) { return true; }, {false, false, true},
      {{0, false, 1}, {1, true, 2}}, 1e-4, {0, 0, 0}, 2);
  CHECK_THAT(refusal(corner, run), Catch::Contains("opening"));
}
