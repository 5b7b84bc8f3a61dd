// SPDX-License-Identifier: GPL-3.0-or-later
// The table [fluid] and the key smagorinsky: values and refusals.
#include <catch2/catch.hpp>
#include <cmath>

#include "solver/run/physics.hpp"
#include "solver/run/simulation.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/geometry/geometries.hpp"

using namespace tessera;
using namespace tessera::solver::cases;
using namespace tessera::solver::model;
using namespace tessera::solver::run;
using namespace tessera::stage;
using namespace tessera::tiler::file;
using namespace tessera::testing;

namespace {

TilesFile box() {
  return closedBox({8, 8, 4}, {true, false, true});
}

SolverCase read(const std::string& fluid, const std::string& solver = "tau = 0.6\n") {
  const TilesFile tiles = box();
  return readSolverCase(CaseFile::parse("[fluid]\n" + fluid + "[solver]\n" + solver, "case.toml"),
                        tiles.geometry);
}

void refused(const std::string& fluid, const std::string& part,
             const std::string& solver = "tau = 0.6\n") {
  INFO(fluid << solver);
  const TilesFile tiles = box();
  const std::string sentence = sentenceOfError(
      ExitCode::Usage, [&] { prepare(tiles.geometry, read(fluid, solver), "cpu"); });
  CHECK_THAT(sentence, Catch::Contains(part));
}

const std::string carreau =
    "density = 1000\nmodel = \"carreau-yasuda\"\nviscosity_zero = \"56 mPa.s\"\n"
    "viscosity_infinity = \"3.45e-6 m2/s\"\ntime_constant = \"3.313 s\"\nn = 0.3568\n";
const std::string casson =
    "density = 1000\nmodel = \"casson\"\nyield_stress = \"4 mPa\"\n"
    "plastic_viscosity = \"4 mPa.s\"\nviscosity_max = \"40 mPa.s\"\n";
const std::string powerLaw =
    "density = 1000\nmodel = \"power-law\"\nconsistency = \"17 mPa.s^n\"\nexponent = 0.7\n"
    "viscosity_min = \"3 mPa.s\"\nviscosity_max = \"30 mPa.s\"\n";

}  // namespace

TEST_CASE("Fluids: units and limits are converted to SI", "[unit]") {
  const SolverCase c = read(carreau);
  CHECK(c.law.model == FluidModel::CarreauYasuda);
  CHECK(c.law.highest == Approx(56e-6));
  CHECK(c.law.lowest == Approx(3.45e-6));
  CHECK(c.law.a == 2.0);
  CHECK(c.kinematicViscosity == c.law.lowest);
  CHECK(viscosityAt(c.law, 0.0) == Approx(56e-6));
  CHECK(viscosityAt(c.law, 1.0 / 3.313) ==
        Approx(3.45e-6 + 52.55e-6 * std::pow(2.0, 0.5 * (0.3568 - 1.0))));
  const SolverCase s = read(casson);
  CHECK(s.law.yield == Approx(4e-6));
  CHECK(viscosityAt(s.law, 1.0) == Approx(16e-6));
  CHECK(viscosityAt(s.law, 0.0) == Approx(40e-6));
  const SolverCase p = read(powerLaw);
  CHECK(viscosityAt(p.law, 1.0) == Approx(17e-6));
  CHECK(viscosityAt(p.law, 1e-9) == Approx(30e-6));
  CHECK(viscosityAt(p.law, 1e9) == Approx(3e-6));
  CHECK(read("density = 1000\nviscosity = 0.002\n").kinematicViscosity == Approx(2e-6));
  CHECK(read("density = 1000\nviscosity = 0.002\n", "tau = 0.6\nsmagorinsky = 0.1\n").law.local());
}

TEST_CASE("Fluids: named ones need nothing else, and explicit values take precedence", "[unit]") {
  CHECK(read("fluid = \"water\"\n").kinematicViscosity == Approx(1.0034e-6).epsilon(1e-4));
  CHECK(read("fluid = \"blood\"\n").kinematicViscosity == Approx(3.5e-3 / 1060.0));
  const SolverCase blood = read("fluid = \"blood\"\nmodel = \"carreau-yasuda\"\n");
  CHECK(blood.law.highest == Approx(0.056 / 1060.0));
  CHECK(blood.law.timeConstant == 3.313);
  const SolverCase thin =
      read("fluid = \"blood\"\nmodel = \"carreau-yasuda\"\nviscosity_zero = \"20 mPa.s\"\n");
  CHECK(thin.law.highest == Approx(0.020 / 1060.0));
  CHECK(read("fluid = \"blood\"\nmodel = \"casson\"\n").law.yield == Approx(2.9032e-6));
}

TEST_CASE("Fluids: mistakes are refused with file, line and requirement", "[unit]") {
  refused("density = 1000\n", "viscosity = \"3.5e-3 Pa.s\"");
  refused("density = 1000\nviscosity = \"3 m\"\n", "case.toml:3");
  refused("density = 1000\nmodel = \"bingham\"\n", "power-law");
  refused("fluid = \"ketchup\"\n", "blood");
  refused(carreau + "viscosity = \"3 mPa.s\"\n", "viscosity");
  refused(carreau + "a = 9\n", "case.toml:8");
  refused(
      "density = 1000\nmodel = \"carreau-yasuda\"\nviscosity_zero = \"3 mPa.s\"\n"
      "viscosity_infinity = \"4 mPa.s\"\ntime_constant = \"1 s\"\nn = 0.5\n",
      "viscosity_infinity");
  refused("density = 1000\nmodel = \"casson\"\nplastic_viscosity = \"4 mPa.s\"\n", "yield_stress");
  refused("density = 1000\nmodel = \"casson\"\nyield_stress = \"4 mPa.s\"\n", "pressure");
  refused("density = 1000\nmodel = \"power-law\"\nexponent = 1.0\n", "newtonian");
  refused("density = 1000\nmodel = \"power-law\"\nexponent = 0.7\nconsistency = \"3 Pa.s\"\n",
          "consistency");
  refused("fluid = \"water\"\nmodel = \"casson\"\n", "water");
  refused(carreau, "newtonian", "tau = 0.6\nsmagorinsky = 0.1\n");
  refused("fluid = \"water\"\n", "case.toml", "tau = 0.6\nsmagorinsky = 2\n");
  // In range at high shear rates, not at rest.
  refused(carreau, "viscosity", "tau = 2.0\n");
  refused(carreau, "viscosity", "tau = 0.6\ncollision = \"mrt\"\n");
}

TEST_CASE("Fluids: a run is resumed with the same fluid only", "[unit]") {
  const TilesFile tiles = box();
  const auto hash = [&](const std::string& fluid, const std::string& solver) {
    return physicsHash(prepare(tiles.geometry, read(fluid, solver), "cpu"));
  };
  const std::string tau = "tau = 0.6\n";
  const std::string water = "fluid = \"water\"\n";
  CHECK(hash(carreau, tau) == hash(carreau, tau));
  CHECK(hash(carreau, tau) != hash(carreau + "a = 1.5\n", tau));
  CHECK(hash(water, tau + "smagorinsky = 0.1\n") != hash(water, tau + "smagorinsky = 0.2\n"));
  CHECK(hash(water, tau) != hash(water, tau + "smagorinsky = 0.1\n"));
}
