// SPDX-License-Identifier: GPL-3.0-or-later
// Expected errors of a single run: how they scale, and which numbers are prescribed.
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "postprocess/quantity/compute_results.hpp"
#include "postprocess/quantity/expected_error.hpp"
#include "postprocess/results/result_records.hpp"
#include "postprocess/write/write.hpp"
#include "tests/fixtures/geometry/analytic_pipe.hpp"
#include "tiler/analysis/resolution_error.hpp"

using namespace tessera;
using namespace tessera::postprocess::quantity;
using namespace tessera::postprocess::results;
using namespace tessera::postprocess::write;
using namespace tessera::test;

namespace {

// Results of a pipe with that many nodes in a radius and those kinds of openings.
Results pipeResults(double radius, const char* first, const char* second,
                    const char* walls = "multireflection") {
  AnalyticPipe pipe = analyticPipe({radius, 3.0 * radius});
  REQUIRE(pipe.fields.openings.size() == 2);
  pipe.fields.openings[0].kind = first;
  pipe.fields.openings[1].kind = second;
  pipe.fields.wallScheme = walls;
  pipe.fields.kinematicViscosity = pipe.fields.largestViscosity = 1.0;  // without inertia
  return computeResults(pipe.fields, pipe.geometry, {});
}

double byResolution(const std::optional<ExpectedError>& error) {
  return error->total - error->kept;
}

double shareOf(const Results& results, const std::string& source) {
  for (const ErrorPart& part : results.expected.parts)
    if (part.source == source) return part.share;
  return 0.0;
}

}  // namespace

TEST_CASE("Expected errors: interpolated walls are of second order, halfway ones of first",
          "[unit]") {
  const Results coarse = pipeResults(5.0, "velocity", "pressure");
  const Results fine = pipeResults(10.0, "velocity", "pressure");
  CHECK(fine.expected.nodesAcross == Approx(20.0).epsilon(0.05));
  CHECK(byResolution(coarse.expected.pressureDrop) / byResolution(fine.expected.pressureDrop) >
        3.5);
  // The ends of voxels are of first order.
  CHECK(byResolution(coarse.expected.shear) / byResolution(fine.expected.shear) > 1.9);
  CHECK(fine.expected.highShear->total > fine.expected.shear->total);
  const Results staircase = pipeResults(10.0, "velocity", "pressure", "halfway");
  const Results coarseStaircase = pipeResults(5.0, "velocity", "pressure", "halfway");
  CHECK(staircase.expected.shear->total > 3.0 * fine.expected.shear->total);
  CHECK(byResolution(coarseStaircase.expected.highShear) /
            byResolution(staircase.expected.highShear) <
        3.0);
  CHECK(shareOf(staircase, "resolution with halfway walls") > shareOf(fine, "resolution"));
}

TEST_CASE("Expected errors: halfway walls that lie halfway are no staircase", "[unit]") {
  using tiler::analysis::resolutionOf;
  tiler::TiledGeometry geometry = analyticPipe({6.0, 18.0}).geometry;
  // Two triangles at a right angle: an edge of 10 spacings.
  geometry.surface = {
      {{0, 0, 0}, {10, 0, 0}, {0, 10, 0}, {0, 0, 10}}, {{0, 2, 1}, {0, 1, 3}}, {0, 0}, 0};
  const double wall = 100.0 * geometry.frame.spacing * geometry.frame.spacing;
  const auto of = [&](const char* walls) { return resolutionOf(geometry, walls, wall, false); };
  const auto put = [&](double q) {
    std::fill(geometry.linkDistance.begin(), geometry.linkDistance.end(),
              preprocess::geometry::codeFromDistance(q));
  };
  put(0.5);
  CHECK(of("halfway").staircase > 0.5);  // oblique
  std::fill(geometry.boundaryNormal.begin(), geometry.boundaryNormal.end(),
            preprocess::geometry::codeFromNormal({0.0, 1.0, 0.0}));
  CHECK(of("halfway").staircase == 0.0);
  CHECK(of("halfway").edges == Approx(0.1));
  put(0.3);
  CHECK(of("halfway").staircase == Approx(1.0));
  CHECK(of("multireflection").staircase == 0.0);
}

TEST_CASE("Expected errors: prescribed numbers have those of the balance of mass only", "[unit]") {
  const Results driven = pipeResults(8.0, "velocity", "pressure");
  CHECK(byResolution(driven.expected.pressureDrop) > 0.0);
  for (const OpeningSummary& opening : driven.openings)
    CHECK(byResolution(opening.flowRateError) == Approx(0.0).margin(1e-12));
  const Results pressures = pipeResults(8.0, "pressure", "pressure");
  CHECK(byResolution(pressures.expected.pressureDrop) == Approx(0.0).margin(1e-12));
  for (const OpeningSummary& opening : pressures.openings)
    CHECK(byResolution(opening.flowRateError) > 0.0);
}

TEST_CASE("Expected errors: mass that is missing is a distance from the steady state", "[unit]") {
  AnalyticPipe pipe = analyticPipe({6.0, 18.0});
  const auto results = [&] { return computeResults(pipe.fields, pipe.geometry, {}); };
  const double before = results().expected.shear->total;
  pipe.fields.openings[1].flowRate *= 0.6;
  const Results started = results();
  CHECK(shareOf(started, "distance from the steady state") == Approx(0.4).epsilon(0.01));
  CHECK(started.expected.shear->total > before + 0.39);
  CHECK(started.openings[0].flowRateError->total < 1.0);
}

TEST_CASE(
    "Expected errors: the distance from the periodic flow is the solver's, or told from the "
    "monitor",
    "[unit]") {
  AnalyticPipe pipe = analyticPipe({6.0, 18.0});
  Fields& fields = pipe.fields;
  fields.means.emplace();
  fields.means->pressure = fields.pressure;
  fields.means->velocity = fields.velocity;
  fields.timeStep = 0.01;
  fields.means->firstStep = 200;
  fields.means->lastStep = 300;  // a period of 1 s
  fields.monitorColumns = {"step", "time[s]", "flow_rate_1[m3/s]", "pressure_1[Pa]"};
  // Flow rates from -3 to -1, and in the last cycle 0.1 above those of the one before.
  const auto record = [&](double from) {
    fields.monitorRows.clear();
    for (int i = 0; i <= 60; ++i) {
      const double t = 0.05 * i, more = t > 2.0 ? 0.1 : 0.0;
      if (t < from - 1e-9) continue;
      const double flow = more - 2.0 - std::cos(2.0 * std::numbers::pi * t);
      fields.monitorRows.insert(fields.monitorRows.end(), {100.0 * t, t, flow, 50.0});
    }
  };
  const auto share = [&] {
    return shareOf(computeResults(fields, pipe.geometry, {}), "distance from the periodic flow");
  };
  record(0.0);
  CHECK(share() == 1e-3);  // an older file: that of the rule
  fields.means->distance = 4e-3;
  CHECK(share() == 4e-3);  // a rule that asks for less
  fields.converged = false;
  CHECK(share() == Approx(0.1 / 2.1).epsilon(0.01));
  fields.means->distance = 0.3;  // changes that fall slowly leave more than the last
  CHECK(share() == 0.3);
  fields.means->distance = 7.0;
  CHECK(share() == 1.0);
  fields.means->distance.reset();
  record(1.5);
  CHECK(share() == 1.0);
}

TEST_CASE("Expected errors: what the files say of Mach number, sound and precision is counted",
          "[unit]") {
  AnalyticPipe pipe = analyticPipe({8.0, 20.0});
  const Results still = computeResults(pipe.fields, pipe.geometry, {});
  pipe.fields.machMax = 0.3;
  pipe.fields.soundError = 0.05;
  const Results loud = computeResults(pipe.fields, pipe.geometry, {});
  CHECK(shareOf(loud, "sound") == 0.05);
  CHECK(loud.expected.pressureDrop->kept > still.expected.pressureDrop->kept + 0.05);
  CHECK(loud.expected.parts.front().share >= loud.expected.parts.back().share);
  pipe.fields.variant = "D3Q19 trt quasi-compressible f16/f32";
  CHECK(shareOf(computeResults(pipe.fields, pipe.geometry, {}), "precision") == 0.03);
}

TEST_CASE("Expected errors: a series that approaches its limit geometrically is summed to it",
          "[unit]") {
  std::vector<double> series;
  for (int k = 0; k < 8; ++k) series.push_back(2.0 + 0.3 * std::pow(0.7, k));
  CHECK(remainder(series, 2.0) == Approx((series.back() - 2.0) / 2.0));
  CHECK(remainder({1.0, 1.0, 1.0}, 1.0) == 0.0);
  CHECK(remainder({1.0, 2.0}, 1.0) == 0.0);
  // A series that does not slow down is far from any limit.
  CHECK(remainder({1.0, 2.0, 3.0}, 1.0) == Approx(49.0));
}

TEST_CASE(
    "Expected errors: a flow that went on with cumulants is not resolved, half the time step mends",
    "[unit]") {
  AnalyticPipe pipe = analyticPipe({8.0, 20.0});
  const Results calm = computeResults(pipe.fields, pipe.geometry, {});
  pipe.fields.recovered = "half the time step from 0.1 s on";
  const Results halved = computeResults(pipe.fields, pipe.geometry, {});
  CHECK(halved.expected.pressureDrop->total == calm.expected.pressureDrop->total);
  pipe.fields.recovered += ", D3Q27 cumulant quasi-compressible f32 from 0.2 s on";
  const Results recovered = computeResults(pipe.fields, pipe.geometry, {});
  CHECK(shareOf(recovered, "recovery from divergence") == 0.25);
  CHECK(recovered.expected.pressureDrop->total == Approx(calm.expected.pressureDrop->total + 0.25));
  CHECK(recovered.expected.shear->kept == calm.expected.shear->kept);  // a finer spacing mends it
  REQUIRE(recovered.warnings.size() == 1);
  CHECK(recovered.warnings[0].find("does not resolve this flow") != std::string::npos);
}

TEST_CASE("Expected errors: power that the stress in a medium does not dissipate is counted",
          "[unit]") {
  const auto slit = [](int, int y, int) { return y >= 1 && y <= 10; };
  const TiledGeometry geometry = imageGeometry({8, 12, 8}, {true, false, true}, slit);
  const auto errorWith = [&](double part) {  // of the power that is dissipated
    Fields fields = emptyFields(geometry);
    for (auto& velocity : fields.velocity) velocity = {0.001F, 0.0F, 0.0F};
    fields.bodyForce = {20.0, 0.0, 0.0};
    const double speed = 0.001 * fields.velocityFactor;
    const double viscosity = fields.density * fields.kinematicViscosity;
    const double shear = std::sqrt(part * viscosity * 20.0 * speed) / fields.stressFactor;
    for (auto& stress : fields.stress) stress[3] = static_cast<float>(shear);
    const Results results = computeResults(fields, geometry);
    return results.expected.permeability->total;
  };
  CHECK(errorWith(0.8) - errorWith(1.0) == Approx(0.45 * 0.2).epsilon(1e-3));
  CHECK(errorWith(1.2) - errorWith(1.0) == Approx(0.45 * 0.2).epsilon(1e-3));
}

TEST_CASE("Expected errors: the mean velocity of an opening has that of its flow rate", "[unit]") {
  const Results results = pipeResults(8.0, "pressure", "pressure");
  const std::string summary = summaryJson(results);
  for (const char* number : {"flow_rate_m3_s", "mean_velocity_m_s"})
    CHECK(summary.find(std::string("\"openings[2].") + number + "\": ") != std::string::npos);
}

TEST_CASE("Expected errors: the shear of one wall among several lacks what its force says",
          "[unit]") {
  Results results = pipeResults(8.0, "velocity", "pressure");
  const LabelStatistics inner{"wss[Pa]", 1, "inner", {.mean = 2.0, .area = 5.0}};
  const auto errorOfInner = [&] {
    return errorOnWall<LabelStatistics, &ExpectedErrors::shear>(&inner, results);
  };
  results.forces.resize(1);
  REQUIRE(errorOfInner());
  CHECK(errorOfInner()->total == results.expected.shear->total);
  results.forces = {{0, "outer", Double3{9.0, 0.0, 0.0}, {}, {}, {8.0, 0.0, 0.0}},
                    {1, "inner", Double3{10.0, 0.0, 0.0}, {}, {2.0, 0.0, 0.0}, {6.0, 0.0, 0.0}}};
  CHECK(errorOfInner()->total == Approx(results.expected.shear->total + 0.15));  // 3/4 is friction
  CHECK(errorOfInner()->kept == results.expected.shear->kept);
}
