// SPDX-License-Identifier: GPL-3.0-or-later
// What is refused before the first step, and what a case becomes in lattice units.
#include <catch2/catch.hpp>
#include <cmath>

#include "pipelines/stage/error.hpp"
#include "solver/domain/build.hpp"
#include "solver/run/simulation.hpp"
#include "tests/solver/geometries.hpp"

using namespace tessera;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::domain;
using namespace tessera::solver::run;
using namespace tessera::stage;
using namespace tessera::tiler::file;
using namespace tessera::testing;

namespace {

TilesFile channel() {
  return imageGeometry({16, 8, 8}, [](int, int, int) { return true; }, {},
                       {{0, false, 1}, {0, true, 2}}, 1e-4, {0, 0, 0});
}

const std::string fluid = "[fluid]\ndensity = 1000\nviscosity = \"1e-6 m2/s\"\n";
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

TEST_CASE("a case becomes a time step, a relaxation time and a flow rate", "[unit]") {
  const TilesFile tiles = channel();
  const CaseFile file =
      CaseFile::parse(fluid + "[solver]\nvelocity_scale = 0.05\n" + openings, "case.toml");
  const Setup setup = prepare(tiles.geometry, readSolverCase(file, tiles.geometry), "cpu");
  // Parabolic: the peak is twice the mean.
  CHECK(setup.lattice.scales.timeStep == Approx(0.05 * 1e-4 / 0.04));
  CHECK(setup.lattice.tau == Approx(0.5 + 3.0 * 1e-6 * setup.lattice.scales.timeStep / 1e-8));
  CHECK(setup.lattice.magic == Approx(18.75 * std::pow(setup.lattice.tau - 0.5, 2)));
  CHECK(meanPressure(setup.run.openings, 0.0) == 10.0);
  const Domain domain =
      buildDomain(setup.order, tiles.geometry, setup.run, setup.lattice, setup.variant->lattice);
  double inflow = 0.0;
  for (const IncomingLink& link : domain.links)
    if (link.condition == LinkCondition::Velocity) inflow -= link.value;
  CHECK(inflow * setup.lattice.scales.flowRate() == Approx(0.02 * 64e-8).epsilon(1e-12));
}

TEST_CASE("what cannot work is refused with a sentence that says what to change", "[unit]") {
  const TilesFile tiles = channel();
  const auto refused = [&](const std::string& text, const std::string& part) {
    INFO(text);
    CHECK_THAT(refusal(text, tiles), Catch::Contains(part));
  };
  CHECK(refusal(fluid + openings, tiles).empty());
  refused(fluid + "[solver]\ntau = 0.4\n" + openings, "tau = 0.4 cannot work");
  refused(fluid + "[solver]\ntau = 0.5\n" + openings, "cannot work");
  refused(fluid + "[solver]\nvelocity_scale = 0.4\n" + openings, "velocity_scale = 0.05 works");
  refused(fluid + "[solver]\ntime_step = \"5 ms\"\n" + openings,
          "time_step = \"0.000125 s\" works");
  refused(fluid + "[solver]\ntau = 0.8\ntime_step = \"1 us\"\n" + openings, "takes one of");
  refused(fluid + "[solver]\ncollision = \"entropic\"\n" + openings, "bgk, cumulant, mrt");
  refused(fluid + "[solver]\nlattice = \"D3Q15\"\n" + openings, "D3Q19");
  refused(fluid + "[solver]\nprecison = \"f32\"\n" + openings, "precision");
  refused(fluid + "[solver]\nramp = \"10 s\"\n" + openings + "[stop]\nsteps = 100\n",
          "longer than the run");
  refused(fluid + openings + "[output]\nfields_every = \"2 mm\"\n", "fields_every");
  refused(fluid + openings + "[output]\nfields_every = 0\n", "fields_every");
  refused(fluid, "opening 1 (opening1) has no condition");
  refused(fluid + openings + "[[opening]]\nid = 3\nkind = \"pressure\"\nvalue = 0\n",
          "there is no opening 3");
  refused(fluid + openings + "[[opening]]\nid = 1\nkind = \"pressure\"\nvalue = 0\n",
          "has a condition already");
  refused(openings, "density");
  refused("[fluid]\ndensity = 1000\n" + openings, "viscosity");
  refused(fluid + openings + "[stop]\nrequire_convergence = true\n", "needs converged");
  refused(fluid +
              "[[opening]]\nid = 1\nkind = \"velocity\"\nmean = 0.1\n"
              "[[opening]]\nid = 2\nkind = \"velocity\"\nmean = -0.1\n",
          "no opening prescribes a pressure");
}

TEST_CASE("a bare viscosity is the dynamic one in Pa.s", "[unit]") {
  const TilesFile tiles = channel();
  const auto viscosityOf = [&](const std::string& value) {
    const std::string text = "[fluid]\ndensity = 1000\nviscosity = " + value + "\n" + openings;
    return readSolverCase(CaseFile::parse(text, "case.toml"), tiles.geometry).kinematicViscosity;
  };
  CHECK(viscosityOf("4e-3") == Approx(4e-6));
  CHECK(viscosityOf("\"4 mPa.s\"") == Approx(4e-6));
  CHECK(viscosityOf("\"4 cSt\"") == Approx(4e-6));
}

TEST_CASE("without openings a case may not name one, and must choose its time step", "[unit]") {
  const TilesFile box = imageGeometry({8, 8, 8}, [](int, int, int) { return true; },
                                      {true, true, true}, {}, 1e-4, {0, 0, 0});
  CHECK_THAT(refusal(fluid + "[solver]\ntau = 0.8\n" + openings, box),
             Catch::Contains("the geometry has no openings"));
  CHECK_THAT(refusal(fluid + "[solver]\nbody_force = [1, 0, 0]\n", box), Catch::Contains("tau"));
  CHECK(refusal(fluid + "[solver]\ntau = 0.8\nbody_force = [1, 0, 0]\n", box).empty());
}
