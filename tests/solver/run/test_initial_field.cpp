// SPDX-License-Identifier: GPL-3.0-or-later
// Initial fields of the case: Taylor-Green vortices, formulas, refusals.
#include <catch2/catch.hpp>
#include <cmath>

#include "pipelines/stage/text.hpp"
#include "solver/case/initial_field.hpp"
#include "solver/run/output.hpp"
#include "solver/run/physics.hpp"
#include "solver/tiles/rank_part.hpp"
#include "tests/fixtures/case/case_builder.hpp"
#include "tests/fixtures/case/water_cases.hpp"
#include "tests/fixtures/expect_error.hpp"

using namespace tessera;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::file;
using namespace tessera::solver::model;
using namespace tessera::solver::run;
using namespace tessera::solver::tiles;
using namespace tessera::stage;
using namespace tessera::tiler::file;
using namespace tessera::testing;

namespace {

constexpr double pi = 3.14159265358979323846;

TilesFile periodicSquare(int n) {
  return closedBox({n, n, 1}, {true, true, true});
}

SolverCase vortexCase(const TilesFile& tiles, const std::string& initial,
                      const std::string& step = "tau = 0.8\n") {
  const std::string text = fluidOf("1e-6 m2/s").toml() + "[solver]\nprecision = \"f64\"\n" + step +
                           "[initial]\n" + initial;
  return readSolverCase(CaseFile::parse(text, "case.toml"), tiles.geometry);
}

// L2 error of the velocity against the decayed vortices, over their size, after some steps.
double errorAfter(int n, int steps, double lattice) {
  const TilesFile tiles = periodicSquare(n);
  const double spacing = tiles.geometry.frame.spacing;
  const double scale = 1e-6 / (0.1 * spacing);  // m/s of a lattice unit, at tau = 0.8
  SolverCase run = vortexCase(
      tiles, fmt::format("field = \"taylor-green\"\namplitude = {:.17g}\n", lattice * scale));
  Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
  simulation.advance(static_cast<std::uint64_t>(steps));
  RunResult result;
  result.last = simulation.sample();
  const Fields fields = fieldsOf(simulation, result);
  const double k = 2.0 * pi / (n * spacing);
  const double time = steps * simulation.setup().lattice.scales.timeStep;
  const double decay = std::exp(-2.0 * 1e-6 * k * k * time);
  double difference = 0.0, whole = 0.0;
  std::size_t node = 0;
  for (std::size_t t = 0; t < tiles.geometry.tiles(); ++t)
    for (int l = 0; l < tiler::tileNodes; ++l) {
      if (tiles.geometry.nodeType[t * tiler::tileNodes + static_cast<std::size_t>(l)] == 0)
        continue;
      const Int3 at = tiles.geometry.nodeOf(t, l);
      const Double3 u =
          run.initialField->velocityAt({double(at[0]), double(at[1]), 0.0}, tiles.geometry.frame);
      for (std::size_t a = 0; a < 2; ++a) {
        const double found = fields.velocity[node][a] * fields.velocityFactor;
        difference += std::pow(found - decay * u[a], 2);
        whole += std::pow(u[a], 2);
      }
      ++node;
    }
  return std::sqrt(difference / whole);
}

}  // namespace

TEST_CASE("Initial field: Taylor-Green vortices decay with the viscosity, to second order",
          "[unit]") {
  const double coarse = errorAfter(16, 64, 0.04);
  const double fine = errorAfter(32, 256, 0.02);
  INFO("errors " << coarse << " and " << fine);
  CHECK(std::log2(coarse / fine) > 1.8);
  CHECK(fine < 2e-3);
}

TEST_CASE("Initial field: in 3D the vortices and their pressure solve Euler's equations",
          "[unit]") {
  // Momentum at t = 0: the divergence of u . grad u is -laplacian p / density.
  const TaylorGreen flow{0.7, {2.0, 3.0, 1.5}, 900.0};
  const double h = 1e-3;
  const auto shifted = [](Double3 at, std::size_t a, double by) {
    at[a] += by;
    return at;
  };
  for (const Double3& at : {Double3{0.1, 0.2, 0.3}, Double3{1.1, -0.4, 2.0}}) {
    std::array<Double3, 3> gradient{};
    double divergence = 0.0, laplacian = 0.0;
    for (std::size_t a = 0; a < 3; ++a) {
      const Double3 ahead = shifted(at, a, h), behind = shifted(at, a, -h);
      gradient[a] = 0.5 / h * (flow.velocity(ahead) - flow.velocity(behind));
      divergence += gradient[a][a];
      laplacian +=
          (flow.pressure(ahead) + flow.pressure(behind) - 2.0 * flow.pressure(at)) / (h * h);
    }
    double source = 0.0;
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b) source += gradient[a][b] * gradient[b][a];
    CHECK(divergence == Approx(0.0).margin(1e-5));
    CHECK(laplacian == Approx(-900.0 * source).epsilon(1e-4).margin(1e-2));
  }
}

TEST_CASE("Initial field: a formula starts the same run as the name", "[unit]") {
  const TilesFile tiles = periodicSquare(16);
  const std::string half = fmt::format("h = {:.17g}\n", 0.5 * tiles.geometry.frame.spacing);
  const SolverCase named =
      vortexCase(tiles, "field = \"taylor-green\"\namplitude = \"1 mm/s\"\nwaves = [1, 2, 0]\n");
  const SolverCase formulas = vortexCase(
      tiles, half +
                 "U = \"1 mm/s\"\n"
                 "u = \"U*sin(2*pi*(x + h)/Lx)*cos(4*pi*(y + h)/Ly)\"\n"
                 "v = \"-0.5*U*cos(2*pi*(x + h)/Lx)*sin(4*pi*(y + h)/Ly)\"\n"
                 "p = \"1000*U^2/4*(cos(4*pi*(x + h)/Lx) + 0.25*cos(8*pi*(y + h)/Ly))\"\n");
  CHECK(formulas.initialField->fastest == Approx(named.initialField->fastest));
  CHECK(formulas.initialHash != named.initialHash);
  Simulation a(tiles, prepare(tiles.geometry, named, "cpu"));
  Simulation b(tiles, prepare(tiles.geometry, formulas, "cpu"));
  a.advance(10);
  b.advance(10);
  const std::vector<double> first = a.populations(), second = b.populations();
  double most = 0.0, difference = 0.0;
  for (std::size_t k = 0; k < first.size(); ++k) {
    most = std::max(most, std::abs(first[k]));
    difference = std::max(difference, std::abs(first[k] - second[k]));
  }
  CHECK(most > 1e-4);
  CHECK(difference < 1e-7 * most);
}

TEST_CASE("Initial field: its largest speed chooses the time step", "[unit]") {
  const TilesFile tiles = periodicSquare(16);
  const SolverCase run =
      vortexCase(tiles, "u = \"0.02*cos(2*pi*y/Ly)\"\n", "lattice_velocity = 0.04\n");
  const LatticeRun lattice = latticeRun(run, tiles.geometry);
  CHECK(0.02 / lattice.scales.velocity() == Approx(0.04).epsilon(1e-6));
}

TEST_CASE("Initial field: mistakes are refused with their line", "[unit]") {
  const TilesFile tiles = periodicSquare(8);
  const auto refused = [&](const std::string& keys, const std::vector<std::string>& facts) {
    INFO(keys);
    checkError(
        ExitCode::Usage, [&] { vortexCase(tiles, keys); }, facts);
  };
  refused("", {"case.toml", "taylor-green"});
  refused("u = \"sin(\"\n", {"case.toml:8", "the end"});
  refused("u = \"A*x\"\n", {"case.toml:8", "\"A*x\""});
  refused("A = \"1 parsec\"\nu = \"A*x\"\n", {"case.toml:8", "1 parsec"});
  refused("u = \"log(x - 1e9)\"\n", {"case.toml", "finite"});
  refused("u = 1e-3\nw = 1\n", {"case.toml:9", "2D"});
  refused("u = 1e-3\nB = 1\n", {"case.toml:9", "B"});
  refused("field = \"taylor-green\"\n", {"amplitude"});
  refused("field = \"taylor-green\"\namplitude = 1\nwaves = [1, 1.5, 0]\n", {"case.toml:10", "y"});
  refused("field = \"taylor-green\"\namplitude = 1\nwaves = [1, 1, 1]\n", {"case.toml:10", "z"});
  refused("field = \"taylor-green\"\namplitude = 1\nwaves = [9, 1, 0]\n", {"case.toml:10", "x"});
  refused("field = \"taylor\"\n", {"taylor-green"});
}

TEST_CASE("Initial field: every node counts, so that the time step is the same on any ranks",
          "[unit]") {
  const TilesFile tiles = periodicSquare(804);  // 40401 tiles
  const auto& geometry = tiles.geometry;
  // At one node the largest speed; at one other none, or none beside it.
  const Double3 peak = geometry.frame.toWorld({401.0, 406.0, 0.0});
  const double reach = geometry.frame.spacing;
  const std::string bump = fmt::format("exp(-((x - {:.17g})^2 + (y - {:.17g})^2)/{:.17g})", peak[0],
                                       peak[1], 0.01 * reach * reach);
  const auto caseOn = [&](const tiler::TiledGeometry& part, const std::string& u) {
    const std::string text =
        fluidOf("1e-6 m2/s").toml() + "[solver]\nlattice_velocity = 0.05\n[initial]\n" + u;
    return readSolverCase(CaseFile::parse(text, "case.toml"), part);
  };
  const std::string u = "u = \"1e-3 + 0.01*" + bump + "\"\n";
  const SolverCase run = caseOn(geometry, u);
  CHECK(run.initialField->fastest == Approx(0.011));
  const LatticeRun lattice = latticeRun(run, geometry);
  CHECK(0.011 / lattice.scales.velocity() == Approx(0.05).epsilon(1e-6));
  const Partition partition = partitionTiles(geometry, 3);
  double fastest = 0.0;
  for (int rank = 0; rank < 3; ++rank)
    fastest = std::max(fastest,
                       caseOn(partOf(geometry, partition, rank).geometry, u).initialField->fastest);
  CHECK(fastest == run.initialField->fastest);
  for (const char* formula : {"1e-3 + 0*log(0.5 - {})", "1e-3 + 0*sqrt(abs({} - 0.975) - 0.004)"})
    checkError(ExitCode::Usage,
               [&] {
                 std::string text = formula;
                 text.replace(text.find("{}"), 2, bump);
                 caseOn(geometry, "u = \"" + text + "\"\n");
               },
               {"case.toml", "finite", stage::number(peak[0])});
}
