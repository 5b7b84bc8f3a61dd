// SPDX-License-Identifier: GPL-3.0-or-later
// Peaks, sums, moments, shear and velocity gradients against closed forms.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "postprocess/fields/velocity_gradient.hpp"
#include "postprocess/quantity/compute_results.hpp"
#include "postprocess/quantity/wall_shear.hpp"
#include "postprocess/results/result_records.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/geometry/analytic_pipe.hpp"

using namespace tessera;
using namespace tessera::postprocess::fields;
using namespace tessera::postprocess::quantity;
using namespace tessera::postprocess::results;
using namespace tessera::solver::file;
using namespace tessera::stage;
using namespace tessera::tiler;
using namespace tessera::test;

namespace {

using std::numbers::pi;

// Velocity A x at each node's position in nodes.
Fields linearFlow(const TiledGeometry& geometry, const std::array<Double3, 3>& gradient) {
  Fields fields = emptyFields(geometry);
  forEachNode(NodeLookup(geometry), [&](std::size_t t, int l, std::uint64_t index) {
    const Int3 n = geometry.nodeOf(t, l);
    const Double3 place{1.0 * n[0], 1.0 * n[1], 1.0 * n[2]};
    for (std::size_t i = 0; i < 3; ++i)
      fields.velocity[index][i] = static_cast<float>(dot(gradient[i], place));
  });
  return fields;
}

}  // namespace

TEST_CASE("Reductions: peaks of a plane and of the openings are Poiseuille's", "[unit]") {
  const AnalyticPipe pipe = analyticPipe({12.0, 48.0});
  const NodeLookup lookup(pipe.geometry);
  const auto plane = planeFlow({"p", pipe.middle, pipe.spec.direction}, lookup, pipe.fields);
  REQUIRE(plane);
  CHECK(relative(plane->peakVelocity, pipe.fastest()) < 0.01);
  // The highest pressure of an oblique plane is that of its end furthest upstream.
  const Double3 slanted = pipe.spec.direction + 0.5 * Double3{0.8, 0, -0.6};
  const auto oblique =
      planeFlow({"o", pipe.middle, (1.0 / length(slanted)) * slanted}, lookup, pipe.fields);
  REQUIRE(oblique);
  CHECK(relative(oblique->peakPressure, 0.5 * pipe.radius() * pipe.gradient) < 0.06);
  const Results results = computeResults(pipe.fields, pipe.geometry);
  for (const OpeningSummary& opening : results.openings) {
    REQUIRE(opening.peakVelocity);
    CHECK(relative(*opening.peakVelocity, pipe.fastest()) < 0.01);
    CHECK(opening.flowFraction == 1.0);
  }
  CHECK_FALSE(results.openings[0].resistance);
  const double resistance =
      8.0 * pipe.viscosity * pipe.length() / (pi * std::pow(pipe.radius(), 4));
  CHECK(relative(results.openings[1].resistance.value(), resistance) < 1e-9);
  CHECK(relative(results.resistance.value(), resistance) < 1e-9);
}

TEST_CASE("Reductions: large sections are summed in larger steps to the same figures", "[unit]") {
  const AnalyticPipe pipe = analyticPipe({45.0, 6.0, {0.0, 0.0, 1.0}, 100});
  const auto square =
      planeFlow({"p", pipe.middle, {0.0, 0.0, 1.0}}, NodeLookup(pipe.geometry), pipe.fields);
  REQUIRE(square);
  CHECK(relative(square->area, pi * pipe.radius() * pipe.radius()) < 4e-3);
  CHECK(relative(square->flowRate, pipe.flowRate()) < 4e-3);
}

TEST_CASE("Reductions: kinetic energy and dissipation of Poiseuille's flow", "[unit]") {
  double before = 1.0;
  for (const double radius : {6.0, 12.0}) {
    const AnalyticPipe pipe = analyticPipe({radius, 4.0 * radius});
    const Results results = computeResults(pipe.fields, pipe.geometry);
    const double volume = pi * pipe.radius() * pipe.radius() * pipe.length();
    const double energy = 0.5 * 1000.0 * volume * pipe.fastest() * pipe.fastest() / 3.0;
    const double power = pipe.gradient * pipe.length() * pipe.flowRate();
    CHECK(relative(results.computed.at("kinetic_energy"), energy) < 0.01);
    REQUIRE(results.computed.contains("dissipation"));
    const double error = relative(results.computed.at("dissipation"), power);
    CHECK(error < 0.02);
    CHECK(error < before);
    before = error;
    CHECK(relative(results.velocityMax, pipe.fastest()) < 0.02);
  }
  AnalyticPipe blood = analyticPipe({6.0, 12.0});
  blood.fields.fluidModel = "casson";
  CHECK_FALSE(computeResults(blood.fields, blood.geometry).computed.contains("dissipation"));
}

TEST_CASE(
    "Reductions: the moment of a drag is its arm times it, and coefficients are of the named "
    "bodies",
    "[unit]") {
  const AnalyticPipe pipe = analyticPipe({8.0, 32.0});
  const double h = pipe.geometry.frame.spacing;
  Request request;
  request.momentsAbout = pipe.middle + Double3{10 * h, -4 * h, 6 * h};
  request.reference = ForceReference{{"wall"}, 0.5, 2e-6, pipe.spec.direction, Double3{1, 0, 0}};
  const Results results = computeResults(pipe.fields, pipe.geometry, request);
  const WallForce& force = results.forces.at(0);
  const Double3 expected = cross(pipe.middle - *request.momentsAbout, force.viscous);
  CHECK(length(force.viscousMoment - expected) < 2e-3 * length(expected));
  REQUIRE(results.coefficients);
  const double drag = pipe.gradient * pi * pipe.radius() * pipe.radius() * pipe.length();
  CHECK(relative(results.coefficients->drag, drag / (0.5 * 1000.0 * 0.25 * 2e-6)) < 2e-3);
  CHECK(std::abs(results.coefficients->lift.value()) < 2e-3 * results.coefficients->drag);
  // The error of a force is a share of its magnitude, of which the lift is next to nothing.
  ForceCoefficients body = *results.coefficients;
  body.drag = 3.0;
  body.lift = -4.0;
  const auto lift = errorOfLift(&body, results);
  REQUIRE(lift);
  CHECK(lift->total == Approx(1.25 * results.expected.force->total));
  body.lift = 0.0;
  CHECK_FALSE(errorOfLift(&body, results));
  CHECK(std::abs(dot(*results.coefficients->across, pipe.spec.direction)) < 1e-12);
  CHECK(results.momentsAbout == request.momentsAbout);

  // Forces by momentum exchange count where the fields have them, with their reference.
  AnalyticPipe exchanged = pipe;
  exchanged.fields.walls = {{"wall", {3.0, 0.0, 0.0}, {0.0, 0.0, 1.0}}};
  exchanged.fields.torqueAbout = {0.0, 2.0, 0.0};
  exchanged.fields.forceReference = {2.0, 0.5, 0.1, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0}};
  const Results ofCase = computeResults(exchanged.fields, exchanged.geometry);
  CHECK(ofCase.forces.at(0).total() == Double3{3.0, 0.0, 0.0});
  CHECK(ofCase.forces.at(0).exchangedTorque == Double3{0.0, 0.0, 1.0});
  CHECK(ofCase.momentsAbout == Double3{0.0, 2.0, 0.0});
  REQUIRE(ofCase.coefficients);
  CHECK(ofCase.coefficients->drag == Approx(3.0 / (0.5 * 1000.0 * 4.0 * 0.5)));
  CHECK(ofCase.coefficients->bodies == std::vector<std::string>{"wall"});
  Request aboutOrigin;
  aboutOrigin.momentsAbout = Double3{};
  const Results moved = computeResults(exchanged.fields, exchanged.geometry, aboutOrigin);
  CHECK(moved.forces.at(0).exchangedTorque == Double3{0.0, 0.0, -5.0});

  request.reference->bodies = {"stent"};
  checkError(ExitCode::Usage, [&] { computeResults(pipe.fields, pipe.geometry, request); },
             {"stent", "wall"});
}

TEST_CASE("Reductions: shear is summed up by wall label", "[unit]") {
  WallShear shear;
  shear.triangle.resize(4);
  shear.label = {0, 2, 2, 0};
  shear.triangleShear = {4.0, 1.0, 3.0, 2.0};
  shear.triangleArea = {1.0, 3.0, 1.0, 1.0};
  CycleShear cycle{{1, 2, 2, 1}, {0.1, 0.5, std::nan(""), 0.1}, {1, 1, 1, 1}};
  const auto all = statisticsByLabel(shear, cycle, {"vessel", "unused", "stent"});
  REQUIRE(all.size() == 8);
  CHECK(all[0].quantity == "wss[Pa]");
  CHECK(all[0].name == "vessel");
  CHECK(all[0].statistics.mean == Approx(3.0));
  CHECK(all[1].name == "stent");
  CHECK(all[1].statistics.mean == Approx(1.5));
  CHECK(all[1].statistics.p75 == 1.0);
  CHECK(all[1].statistics.p95 == 3.0);
  CHECK(all[5].quantity == "osi");
  CHECK(all[5].statistics.area == Approx(3.0));
}

TEST_CASE("Reductions: the wall away from openings ends a radius before either end", "[unit]") {
  AnalyticPipe pipe = analyticPipe({8.0, 40.0});
  const Results whole = computeResults(pipe.fields, pipe.geometry);
  REQUIRE(whole.shearAway);
  const double length = pipe.length() - 2.0 * pipe.radius();
  CHECK(relative(whole.shearAway->area, 2.0 * pi * pipe.radius() * length) < 0.02);
  CHECK(relative(whole.shearAway->mean, pipe.wallShear()) < 1e-4);
  // Without stress on the nodes at the ends the whole wall has less, the middle has not.
  std::size_t node = 0;
  for (std::size_t t = 0; t < pipe.geometry.tiles(); ++t)
    for (int l = 0; l < tileNodes; ++l) {
      if (pipe.geometry.nodeType[t * tileNodes + static_cast<std::size_t>(l)] == 0) continue;
      const Int3 at = pipe.geometry.nodeOf(t, l);
      const Double3 place =
          pipe.geometry.frame.toWorld({double(at[0]), double(at[1]), double(at[2])});
      const double along = dot(place - pipe.middle, pipe.spec.direction);
      if (std::abs(along) > 0.5 * pipe.length() - 3.0 * pipe.spec.spacing)
        pipe.fields.stress[node] = {};
      ++node;
    }
  const Results disturbed = computeResults(pipe.fields, pipe.geometry);
  CHECK(disturbed.shear.mean < 0.95 * pipe.wallShear());
  CHECK(relative(disturbed.shearAway->mean, pipe.wallShear()) < 1e-4);
  CHECK(disturbed.shearAway->max < 1.001 * pipe.wallShear());
  // A box without openings has no wall away from them.
  CHECK_FALSE(statisticsAwayFromOpenings(whole.wall, whole.wall.triangleShear, {}));
}

TEST_CASE("Reductions: vorticity and Q of rotation, strain and Poiseuille's flow", "[unit]") {
  const TiledGeometry geometry = imageGeometry({6, 7, 8}, {false, false, false}, everywhere);
  const NodeLookup lookup(geometry);
  const double h = geometry.frame.spacing;
  const Fields turning = linearFlow(geometry, {{{0, -2, 0}, {2, 0, 0}, {0, 0, 0}}});
  const Fields straining = linearFlow(geometry, {{{2, 0, 0}, {0, -2, 0}, {0, 0, 0}}});
  const double rate = 2.0 * turning.velocityFactor / h;
  forEachNode(lookup, [&](std::size_t t, int l, std::uint64_t index) {
    const auto turn = velocityGradient(lookup, turning, geometry.nodeOf(t, l), index);
    REQUIRE(vorticity(turn)[2] == Approx(2.0 * rate));
    REQUIRE(qCriterion(turn) == Approx(rate * rate));
    const auto strain = velocityGradient(lookup, straining, geometry.nodeOf(t, l), index);
    REQUIRE(length(vorticity(strain)) == Approx(0.0).margin(1e-9 * rate));
    REQUIRE(qCriterion(strain) == Approx(-rate * rate));
  });

  // Quadratic along every axis: exact wherever three nodes follow each other.
  const AnalyticPipe pipe = analyticPipe({8.0, 20.0});
  const NodeLookup inPipe(pipe.geometry);
  const double largest = pipe.gradient * pipe.radius() / (2.0 * pipe.viscosity);
  std::size_t exact = 0;
  forEachNode(inPipe, [&](std::size_t t, int l, std::uint64_t index) {
    const Int3 n = pipe.geometry.nodeOf(t, l);
    const Double3 place = pipe.geometry.frame.toWorld({1.0 * n[0], 1.0 * n[1], 1.0 * n[2]});
    const double expected = pipe.gradient * pipe.fromAxis(place) / (2.0 * pipe.viscosity);
    const double found = length(vorticity(velocityGradient(inPipe, pipe.fields, n, index)));
    exact += std::abs(found - expected) < 1e-4 * largest ? 1 : 0;
  });
  CHECK(static_cast<double>(exact) > 0.97 * static_cast<double>(pipe.geometry.fluidNodes));
}

TEST_CASE("Reductions: a loss of mass is warned about with every wall scheme", "[unit]") {
  AnalyticPipe pipe = analyticPipe({6.0, 20.0});
  REQUIRE(pipe.fields.openings.size() == 2);
  const auto warned = [&](const std::string& solver) {
    pipe.fields.caseText = solver;
    const auto warnings = computeResults(pipe.fields, pipe.geometry).warnings;
    return std::any_of(warnings.begin(), warnings.end(), [](const std::string& warning) {
      return warning.find("balance") != std::string::npos;
    });
  };
  for (const char* const solver :
       {"", "[solver]\nwalls = \"halfway\"\n", "[solver]\nwalls = \"bouzidi\"\n"}) {
    pipe.fields.openings[1].flowRate = -0.998 * pipe.fields.openings[0].flowRate;
    CHECK(warned(solver));
    pipe.fields.openings[1].flowRate = -0.9995 * pipe.fields.openings[0].flowRate;
    CHECK_FALSE(warned(solver));
  }
}
