// SPDX-License-Identifier: GPL-3.0-or-later
// Refusals before the first step, and a case in lattice units.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "solver/domain/build.hpp"
#include "solver/run/simulation.hpp"
#include "tests/fixtures/case/case_builder.hpp"
#include "tests/fixtures/case/opening_cases.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/geometry/geometries.hpp"

using namespace tessera;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::domain;
using namespace tessera::solver::model;
using namespace tessera::solver::run;
using namespace tessera::stage;
using namespace tessera::tiler::file;
using namespace tessera::testing;

namespace {

TilesFile channel() {
  return openBox({16, 8, 8});
}

const std::string fluid = fluidOf("1e-6 m2/s").toml();
const std::string openings =
    "[[opening]]\nid = 1\nkind = \"velocity\"\nmean = \"0.02 m/s\"\n"
    "[[opening]]\nname = \"opening2\"\nkind = \"pressure\"\nvalue = \"10 Pa\"\n";

// The sentence a case is refused with; empty when it is not.
std::string refusal(const std::string& text, const TilesFile& tiles) {
  try {
    prepare(tiles.geometry, readSolverCase(CaseFile::parse(text, "case.toml"), tiles.geometry),
            "cpu");
  } catch (const StageError& error) {
    CHECK(error.code() == ExitCode::Usage);
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("Set-up: a case becomes a time step, a relaxation time and a flow rate", "[unit]") {
  const TilesFile tiles = channel();
  const CaseFile file =
      CaseFile::parse(fluid + "[solver]\nlattice_velocity = 0.05\n" + openings, "case.toml");
  const Setup setup = prepare(tiles.geometry, readSolverCase(file, tiles.geometry), "cpu");
  // Parabolic: the peak is twice the mean.
  CHECK(setup.lattice.scales.timeStep == Approx(0.05 * 1e-4 / 0.04));
  CHECK(setup.lattice.tau == Approx(0.5 + 3.0 * 1e-6 * setup.lattice.scales.timeStep / 1e-8));
  CHECK(setup.lattice.tau < 0.5 + 1.0 / 18.75);
  CHECK(setup.lattice.magic == Approx(std::max(0.008, setup.lattice.tau - 0.5)));
  CHECK(meanPressure(setup.run.openings, 0.0) == 10.0);
  const Domain domain =
      buildDomain(setup.order, tiles.geometry, setup.run, setup.lattice, setup.variant->lattice);
  double inflow = 0.0;
  for (const IncomingLink& link : domain.links)
    if (link.condition == LinkCondition::Velocity) inflow -= link.value;
  CHECK(inflow * setup.lattice.scales.flowRate() == Approx(0.02 * 64e-8).epsilon(1e-12));
}

TEST_CASE("Set-up: velocity_scale is the older name of lattice_velocity", "[unit]") {
  const TilesFile tiles = channel();
  const auto read = [&](const std::string& solver) {
    return readSolverCase(CaseFile::parse(fluid + "[solver]\n" + solver + openings, "case.toml"),
                          tiles.geometry);
  };
  CHECK(read("lattice_velocity = 0.04\n").latticeVelocity == 0.04);
  CHECK(read("velocity_scale = 0.04\n").latticeVelocity == 0.04);
  const auto line = std::to_string(2 + std::count(fluid.begin(), fluid.end(), '\n'));
  CHECK(read("velocity_scale = 0.04\n").place == "case.toml:" + line);
  checkError(ExitCode::Usage, [&] { read("velocity_scale = 0.04\nlattice_velocity = 0.04\n"); },
             {"case.toml:" + line, "older name"});
  checkError(ExitCode::Usage, [&] { read("lattice_velocity = 0.04\ntau = 0.8\n"); },
             {"one of lattice_velocity"});
}

TEST_CASE("Set-up: invalid cases are refused with the remedy", "[unit]") {
  const TilesFile tiles = channel();
  const auto refused = [&](const std::string& text, const std::string& part) {
    INFO(text);
    CHECK_THAT(refusal(text, tiles), Catch::Contains(part));
  };
  CHECK(refusal(fluid + openings, tiles).empty());
  refused(fluid + "[solver]\ntau = 0.4\n" + openings, "0.4");
  refused(fluid + "[solver]\ntau = 0.5\n" + openings, "0.5");
  refused(fluid + "[solver]\nlattice_velocity = 0.4\n" + openings, "lattice_velocity = 0.05");
  refused(fluid + "[solver]\ntime_step = \"5 ms\"\n" + openings, "time_step = \"0.000125 s\"");
  refused(fluid + "[solver]\ntau = 0.8\ntime_step = \"1 us\"\n" + openings, "time_step");
  refused(fluid + "[solver]\ncollision = \"entropic\"\n" + openings, "bgk, cumulant, mrt");
  refused(fluid + "[solver]\nlattice = \"D3Q15\"\n" + openings, "D3Q19");
  refused(fluid + "[solver]\nprecison = \"f32\"\n" + openings, "precision");
  refused(fluid + "[solver]\nramp = \"10 s\"\n" + openings + "[stop]\nsteps = 100\n", "ramp");
  refused(fluid + openings + "[output]\nfields_every = \"2 mm\"\n", "fields_every");
  refused(fluid + openings + "[output]\nfields_every = 0\n", "fields_every");
  for (const char* value : {"\"300 step\"", "\"300\"", "\"0 steps\"", "\"-3 steps\"", "\"2 mm\""})
    refused(fluid + openings + "[output]\nfields_every = " + value + "\n",
            "of at least 1 as \"5000 steps\" or 5000");
  refused(fluid, "opening 1 (opening1)");
  refused(fluid + openings + "[[opening]]\nid = 3\nkind = \"pressure\"\nvalue = 0\n", "opening 3");
  refused(fluid + openings + "[[opening]]\nid = 1\nkind = \"pressure\"\nvalue = 0\n", "opening 1");
  refused(openings, "density");
  refused("[fluid]\ndensity = 1000\n" + openings, "viscosity");
  refused(fluid + openings + "[stop]\nrequire_convergence = true\n", "converged");
  refused(fluid +
              "[[opening]]\nid = 1\nkind = \"velocity\"\nmean = 0.1\n"
              "[[opening]]\nid = 2\nkind = \"velocity\"\nmean = 0.1\ndirection = \"out\"\n",
          "pressure");
}

TEST_CASE("Set-up: a silent case gets the collision that is exact for oblique flow where it counts",
          "[unit]") {
  const TilesFile tiles = channel();
  const auto chosen = [&](const std::string& solver, const std::string& mean = "0.02 m/s") {
    const std::string text = fluid + "[solver]\n" + solver +
                             "[[opening]]\nid = 1\nkind = " + "\"velocity\"\nmean = \"" + mean +
                             "\"\n" + openings.substr(openings.find("[[opening]]\nname"));
    return prepare(tiles.geometry,
                   readSolverCase(CaseFile::parse(text, "case.toml"), tiles.geometry), "cpu");
  };
  const auto is = [](const Setup& setup, LatticeId lattice, CollisionId collision) {
    CHECK(setup.variant->axes.lattice == lattice);
    CHECK(setup.variant->axes.collision == collision);
    CHECK(setup.run.lattice == lattice);
  };
  const std::string between = "walls = \"multireflection\"\n";
  // Peak of 0.04 m/s, nodes of 0.1 mm, 1e-6 m2/s: a grid Reynolds number of 4, whatever the step.
  for (const std::string step : {"", "tau = 0.51\n", "tau = 0.53\n"}) {
    const Setup setup = chosen(between + step);
    is(setup, LatticeId::D3Q27, CollisionId::Mrt);
    CHECK(setup.lattice.magic == Approx(std::min(0.05, 0.5 * (setup.lattice.tau - 0.5))));
  }
  is(chosen(between + "lattice = \"D3Q27\"\n"), LatticeId::D3Q27, CollisionId::Mrt);
  is(chosen(between, "0.012 m/s"), LatticeId::D3Q19, CollisionId::Trt);
  is(chosen(""), LatticeId::D3Q19, CollisionId::Trt);
  // Pressures say no velocity; what they drive is estimated.
  for (const bool fast : {true, false}) {
    const std::string pressures =
        fluid + "[solver]\ntau = 0.52\n" + between +
        "[[opening]]\nid = 1\nkind = \"pressure\"\nvalue = " + (fast ? "20\n" : "10.01\n") +
        openings.substr(openings.find("[[opening]]\nname"));
    is(prepare(tiles.geometry,
               readSolverCase(CaseFile::parse(pressures, "case.toml"), tiles.geometry), "cpu"),
       fast ? LatticeId::D3Q27 : LatticeId::D3Q19, fast ? CollisionId::Mrt : CollisionId::Trt);
  }
  is(chosen("walls = \"bouzidi\"\n"), LatticeId::D3Q19, CollisionId::Trt);
  // Grid Reynolds numbers of 28 and 36.
  is(chosen(between, "0.14 m/s"), LatticeId::D3Q27, CollisionId::Mrt);
  const Setup fast = chosen(between, "0.18 m/s");
  is(fast, LatticeId::D3Q27, CollisionId::Cumulant);
  CHECK(fast.collisionReason == CollisionReason::Stability);
  is(chosen("walls = \"halfway\"\n", "0.18 m/s"), LatticeId::D3Q19, CollisionId::Trt);
  for (const std::string given : {"lattice = \"D3Q19\"\n", "collision = \"trt\"\n",
                                  "precision = \"f16\"\n", "smagorinsky = 0.1\n"})
    is(chosen(between + given), LatticeId::D3Q19, CollisionId::Trt);
}

TEST_CASE("Set-up: in 2D a silent case gets mrt above the grid Reynolds numbers of trt", "[unit]") {
  const TilesFile tiles = planeChannel(24, 12);
  // Twice the inflow is expected at the outlet; nodes of 0.1 mm, 1e-6 m2/s: grid Reynolds numbers
  // of 10 and 14.
  for (const double mean : {0.05, 0.07}) {
    const std::string text = fmt::format(
        "{}[[opening]]\nid = 1\nkind = \"velocity\"\nprofile = "
        "\"plug\"\nmean = {}\n[[opening]]\nid = 2\nkind = \"pressure\"\nvalue = 0\n",
        fluid, mean);
    const Setup setup = prepare(
        tiles.geometry, readSolverCase(CaseFile::parse(text, "case.toml"), tiles.geometry), "cpu");
    CAPTURE(mean, setup.lattice.tau);
    CHECK(setup.variant->axes.collision == (mean > 0.06 ? CollisionId::Mrt : CollisionId::Trt));
    CHECK(setup.lattice.magic ==
          Approx(mean > 0.06 ? setup.lattice.tau - 0.5 : std::max(0.008, setup.lattice.tau - 0.5)));
  }
}

TEST_CASE("Set-up: a silent case gets the incompressible equilibrium where it is built", "[unit]") {
  const TilesFile tiles = channel();
  const auto chosen = [&](const std::string& solver) {
    const SolverCase run = readSolverCase(
        CaseFile::parse(fluid + "[solver]\n" + solver + openings, "case.toml"), tiles.geometry);
    return prepare(tiles.geometry, run, "cpu").variant->axes.equilibrium;
  };
  const auto liquid = EquilibriumId::Incompressible;
  const auto gas = EquilibriumId::QuasiCompressible;
  for (const std::string solver :
       {"", "precision = \"f64\"\n", "equilibrium = \"auto\"\ncollision = \"trt\"\n",
        "equilibrium = \"incompressible\"\n"})
    CHECK(chosen(solver) == liquid);
  for (const std::string solver : {"equilibrium = \"quasi-compressible\"\n", "smagorinsky = 0.1\n",
                                   "precision = \"f16\"\n", "collision = \"regularised\"\n"})
    CHECK(chosen(solver) == gas);
}

TEST_CASE("Set-up: a bare viscosity is the dynamic one in Pa.s", "[unit]") {
  const TilesFile tiles = channel();
  const auto viscosityOf = [&](const std::string& value) {
    const std::string text = "[fluid]\ndensity = 1000\nviscosity = " + value + "\n" + openings;
    return readSolverCase(CaseFile::parse(text, "case.toml"), tiles.geometry).kinematicViscosity;
  };
  CHECK(viscosityOf("4e-3") == Approx(4e-6));
  CHECK(viscosityOf("\"4 mPa.s\"") == Approx(4e-6));
  CHECK(viscosityOf("\"4 cSt\"") == Approx(4e-6));
}

TEST_CASE("Set-up: without openings a case may not name one, and must choose its time step",
          "[unit]") {
  const TilesFile box = closedBox({8, 8, 8}, {true, true, true});
  CHECK_THAT(refusal(fluid + "[solver]\ntau = 0.8\n" + openings, box),
             Catch::Contains("no openings"));
  CHECK_THAT(refusal(fluid + "[solver]\nbody_force = [1, 0, 0]\n", box), Catch::Contains("tau"));
  CHECK(refusal(fluid + "[solver]\ntau = 0.8\nbody_force = [1, 0, 0]\n", box).empty());
}
