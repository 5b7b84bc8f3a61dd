// SPDX-License-Identifier: GPL-3.0-or-later
// Permeability of a slit, its tensor from three runs, and Forchheimer's law.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "postprocess/quantity/compute_results.hpp"
#include "postprocess/quantity/permeability.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/geometry/analytic_pipe.hpp"

using namespace tessera;
using namespace tessera::postprocess::quantity;
using namespace tessera::postprocess::results;
using namespace tessera::solver::file;
using namespace tessera::stage;
using namespace tessera::tiler;
using namespace tessera::test;
using Catch::Matchers::Contains;

namespace {

Permeability darcyOf(const std::array<Double3, 3>& k, const Double3& force, double viscosity) {
  Permeability result;
  result.pressureGradient = length(force);
  result.direction = (1.0 / length(force)) * force;
  for (std::size_t i = 0; i < 3; ++i) result.velocity[i] = dot(k[i], force) / viscosity;
  return result;
}

}  // namespace

TEST_CASE("Permeability: porosity, tortuosity, millidarcy and inertia of a slit", "[unit]") {
  const auto slit = [](int, int y, int) { return y >= 1 && y <= 10; };
  const TiledGeometry geometry = imageGeometry({8, 12, 8}, {true, false, true}, slit);
  Fields fields = emptyFields(geometry);
  for (auto& velocity : fields.velocity) velocity = {0.03F, 0.0F, 0.04F};
  fields.bodyForce = {20.0, 0.0, 0.0};
  const Results results = computeResults(fields, geometry);
  REQUIRE(results.permeability);
  const Permeability& found = *results.permeability;
  CHECK(found.porosity == Approx(10.0 / 12.0));
  CHECK(found.tortuosity == Approx(5.0 / 3.0));
  CHECK(found.milliDarcy() == Approx(found.value / 9.869233e-16));
  CHECK(found.poreReynolds == Approx(found.superficial * std::sqrt(found.value) / 1e-6));
  CHECK(found.inertial);
  CHECK(results.warnings.back().find("Forchheimer") != std::string::npos);
}

TEST_CASE("Permeability: inertia is warned of in a medium, not in a channel", "[unit]") {
  TiledGeometry geometry = imageGeometry({8, 12, 8}, {false, false, false},
                                         [](int, int y, int) { return y >= 1 && y <= 10; });
  geometry.openings = {{1, "x-", {}, {-1, 0, 0}, 8e-5, 5e-3}, {2, "x+", {}, {1, 0, 0}, 8e-5, 5e-3}};
  Fields fields = emptyFields(geometry);
  for (auto& velocity : fields.velocity) velocity = {0.3F, 0.0F, 0.0F};
  const auto warned = [&](double drop) {
    fields.openings = {{1, "x-", "pressure", -6e-6, drop}, {2, "x+", "pressure", 6e-6, 0.0}};
    const Results results = computeResults(fields, geometry);
    REQUIRE(results.permeability);
    CHECK(results.permeability->inertial);
    return std::any_of(results.warnings.begin(), results.warnings.end(), [](const auto& warning) {
      return warning.find("Forchheimer") != std::string::npos;
    });
  };
  CHECK_FALSE(warned(0.1));  // a permeability of 5 mm2 in a box of 8 mm
  CHECK(warned(100.0));      // of 0.005 mm2
}

TEST_CASE("Permeability: a chip in 2D with a prescribed inflow is no medium", "[unit]") {
  TiledGeometry geometry = imageGeometry({40, 40, 1}, {false, false, true},
                                         [](int x, int y, int) { return x % 4 > 0 || y % 4 > 1; });
  geometry.dimensions = 2;
  geometry.openings = {{1, "x-", {}, {-1, 0, 0}, 4e-5, 2e-2}, {2, "x+", {}, {1, 0, 0}, 4e-5, 2e-2}};
  Fields fields = emptyFields(geometry);
  for (auto& velocity : fields.velocity) velocity = {0.3F, 0.0F, 0.0F};
  const auto isMedium = [&](const char* inlet) {
    fields.openings = {{1, "x-", inlet, -6e-6, 1e4}, {2, "x+", "pressure", 6e-6, 0.0}};
    const Results results = computeResults(fields, geometry);
    REQUIRE(results.permeability);
    return results.permeability->medium;
  };
  CHECK(isMedium("pressure"));
  CHECK_FALSE(isMedium("velocity"));
  CHECK_FALSE(isMedium("flow-rate"));
}

TEST_CASE("Permeability: three runs give back the permeability tensor, whatever their directions",
          "[unit]") {
  const std::array<Double3, 3> k{{{3e-12, 1e-12, 0}, {1e-12, 2e-12, 4e-13}, {0, 4e-13, 1e-12}}};
  const std::vector<Double3> force{{10, 0, 0}, {3, 20, 0}, {0, -1, 5}};
  std::vector<DarcyRun> runs;
  for (std::size_t r = 0; r < 3; ++r) {
    const double viscosity = 1e-3 * (1.0 + static_cast<double>(r));
    runs.push_back({"r" + std::to_string(r), darcyOf(k, force[r], viscosity), viscosity});
  }
  const PermeabilityTensor tensor = permeabilityTensor(runs, 3, {0, 0, 1});
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) CHECK(tensor.value[i][j] == Approx(k[i][j]).margin(1e-24));
  CHECK(tensor.asymmetry < 1e-12);
  for (std::size_t p = 0; p < 3; ++p) {
    Double3 product{};
    for (std::size_t i = 0; i < 3; ++i) product[i] = dot(k[i], tensor.direction[p]);
    CHECK(length(product - tensor.principal[p] * tensor.direction[p]) < 1e-24);
  }
  CHECK(tensor.principal[0] > tensor.principal[1]);

  const PermeabilityTensor plane =
      permeabilityTensor({{"x", darcyOf({{{3, 1, 0}, {1, 2, 0}, {0, 0, 0}}}, {1, 0, 0}, 1.0), 1.0},
                          {"y", darcyOf({{{3, 1, 0}, {1, 2, 0}, {0, 0, 0}}}, {0, 2, 0}, 1.0), 1.0}},
                         2, {0, 0, 1});
  CHECK(plane.value[1][0] == Approx(1.0));
  CHECK(plane.value[2][2] == 0.0);

  runs[2] = runs[0];
  checkError(ExitCode::BadInput, [&] { permeabilityTensor(runs, 3, {0, 0, 1}); }, {"independent"});
  runs.pop_back();
  checkError(ExitCode::Usage, [&] { permeabilityTensor(runs, 3, {0, 0, 1}); }, {"--with"});
}

TEST_CASE("Permeability: Forchheimer's law is recovered from two runs and from more", "[unit]") {
  const double k = 2e-12, beta = 4e5, nu = 1e-6, rho = 1000.0;
  const auto run = [&](double velocity, double scatter) {
    Permeability of;
    of.direction = {0, 0, 1};
    of.superficial = velocity;
    of.value = scatter / (1.0 / k + beta * velocity / nu);
    of.poreReynolds = velocity * std::sqrt(of.value) / nu;
    return DarcyRun{"run", of, rho * nu};
  };
  const Forchheimer two = forchheimerFit({run(1e-3, 1.0), run(1e-1, 1.0)});
  CHECK(two.permeability == Approx(k));
  CHECK(two.coefficient == Approx(beta));
  CHECK(two.inertia == Approx(beta * std::sqrt(k)));
  CHECK(two.residual < 1e-12);
  const Forchheimer three = forchheimerFit({run(1e-1, 1.0), run(1e-3, 1.0), run(5e-2, 1.001)});
  CHECK(three.coefficient == Approx(beta).epsilon(0.02));
  CHECK(three.residual > 1e-4);
  CHECK(three.residual < 1e-3);
  CHECK(three.runs[2].apparent == Approx(run(5e-2, 1.001).result.value));

  const auto refused = [](ExitCode code, const std::vector<DarcyRun>& runs) {
    return sentenceOfError(code, [&] { forchheimerFit(runs); });
  };
  CHECK_THAT(refused(ExitCode::Usage, {run(1e-3, 1.0)}), Contains("--forchheimer"));
  CHECK_THAT(refused(ExitCode::BadInput, {run(1e-3, 1.0), run(1.001e-3, 1.0)}), Contains("1 %"));
  CHECK_THAT(refused(ExitCode::BadInput, {run(1e-3, 1.0), run(2e-3, 0.1)}), Contains("slower"));
  DarcyRun across = run(1e-1, 1.0);
  across.result.direction = {1, 0, 0};
  CHECK_THAT(refused(ExitCode::BadInput, {run(1e-3, 1.0), across}), Contains("direction"));
  DarcyRun still = run(1e-1, 1.0);
  still.result.value = 0.0;
  CHECK_THAT(refused(ExitCode::BadInput, {run(1e-3, 1.0), still}), Contains("converge"));
}
