// SPDX-License-Identifier: GPL-3.0-or-later
// Pressures relative to that at a point, with the forces that follow from them, and pressures in
// time at the planes of the openings.
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "pipelines/stage/text.hpp"
#include "postprocess/fields/pressure_tap.hpp"
#include "postprocess/quantity/compute_results.hpp"
#include "postprocess/quantity/cycles.hpp"
#include "postprocess/quantity/opening_flow.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/geometry/analytic_pipe.hpp"

using namespace tessera;
using namespace tessera::postprocess::fields;
using namespace tessera::postprocess::quantity;
using namespace tessera::postprocess::results;
using namespace tessera::preprocess::geometry;
using namespace tessera::solver::file;
using namespace tessera::stage;
using namespace tessera::test;

namespace {

using std::numbers::pi;

// The pipe with means of half its pressures, and a monitor of one wall.
AnalyticPipe pipeWithForces(bool means, double radius = 9.0) {
  AnalyticPipe pipe = analyticPipe({radius, 30.0});
  Fields& fields = pipe.fields;
  if (means) {
    fields.means.emplace();
    fields.means->pressureReference = 0.125;
    for (const float p : fields.pressure) fields.means->pressure.push_back(0.5F * p);
    fields.means->velocity = fields.velocity;
    fields.means->lastStep = 100;
  }
  fields.walls = {
      {"wall", {1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}, PressureEffect{{0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}}}};
  fields.monitorColumns = {"step",           "time[s]",      "flow_rate_1[m3/s]",
                           "pressure_1[Pa]", "mach_max",     "force_0_x[N]",
                           "force_0_y[N]",   "force_0_z[N]", "force_opening_2_y[N]"};
  fields.monitorRows = {1, 0.5, -1e-6, 10, 0.1, 1, 2, 3, 4, 2, 1.0, -1e-6, 20, 0.1, 5, 6, 7, 8};
  for (auto& opening : fields.openings)
    if (opening.id == 2) {
      opening.force = {10.0, 20.0, 30.0};
      opening.forcePerPascal = {0.7, 0.8, 0.9};
    }
  return pipe;
}

}  // namespace

TEST_CASE(
    "Quantities: the spacing that is proposed counts the Stokes layer where an opening swings",
    "[unit]") {
  AnalyticPipe pipe = pipeWithForces(true, 3.0);
  pipe.fields.kinematicViscosity = 1e-6;
  pipe.fields.timeStep = 1e-4;  // a period of 10 ms
  const auto proposal = [&](const std::string& caseText) {
    pipe.fields.caseText = caseText;
    for (const std::string& warning : computeResults(pipe.fields, pipe.geometry, {}).warnings)
      if (warning.find("--spacing") != warning.npos)
        return warning.substr(warning.find("--spacing"));
    return std::string("none");
  };
  const std::string steady = proposal("[time]\nperiod = \"1 s\"\n[[opening]]\nid = 1\n");
  CHECK(steady != "none");
  CHECK(proposal("[[opening]]\nid = 1\nperiodic = true\nperiod = \"1000 s\"\n") == steady);
  const std::string swings = proposal("[[opening]]\nid = 1\nperiodic = true\n");
  CHECK(swings != steady);
  CHECK(proposal("not a case") == swings);
  CHECK(proposal("[[opening]]\nid = 1\nperiodic = true\nperiod = \"1e-9 s\"\n") != swings);
}

TEST_CASE("Reference point: its pressure leaves all pressures and forces", "[unit]") {
  for (const bool means : {false, true}) {
    AnalyticPipe pipe = pipeWithForces(means);
    const NodeLookup lookup(pipe.geometry);
    const Double3 tap = pipe.middle - (0.25 * pipe.length()) * pipe.spec.direction;
    const Fields before = pipe.fields;
    const double p = subtractPressureAt(tap, lookup, pipe.fields, "tap");
    CHECK(p == Approx(0.25 * pipe.gradient * pipe.length()).epsilon(1e-3));
    const WallResult& wall = pipe.fields.walls[0];
    for (std::size_t a = 0; a < 3; ++a) {
      CHECK(wall.force[a] == Approx(1.0 + double(a) - 0.1 * (1.0 + double(a)) * p));
      CHECK(wall.torque[a] == Approx(4.0 + double(a) - 0.1 * (4.0 + double(a)) * p));
    }
    for (const auto& opening : pipe.fields.openings)
      for (std::size_t a = 0; a < 3 && opening.id == 2; ++a)
        CHECK((*opening.force)[a] == Approx(10.0 + 10.0 * double(a) - (0.7 + 0.1 * double(a)) * p));
    // In time the mean over the period counts.
    const double inTime = means ? 0.5 * p : p;
    const double effect[] = {0, 0, 0, 1, 0, 0.1, 0.2, 0.3, 0.8};
    for (std::size_t k = 0; k < before.monitorRows.size(); ++k)
      CHECK(pipe.fields.monitorRows[k] ==
            Approx(before.monitorRows[k] - effect[k % 9] * inTime).epsilon(1e-6));
    // Forces by both ways are those of the program.
    const Results results = computeResults(pipe.fields, pipe.geometry, {});
    CHECK((*results.forces[0].exchanged)[0] == Approx(wall.force[0]));
    CHECK((*results.openings.at(1).force)[0] == Approx(10.0 - 0.7 * p));
    CHECK_FALSE(results.openings.at(0).force);
    CHECK(results.monitor.rows[1][3] == Approx(20.0 - inTime));
  }
  // Fields that do not say what a pressure adds.
  AnalyticPipe old = pipeWithForces(false);
  old.fields.walls[0].perPascal.reset();
  checkError(ExitCode::BadInput,
             [&] { subtractPressureAt(old.middle, NodeLookup(old.geometry), old.fields, "tap"); },
             {"tap", "solver again"});
}

TEST_CASE("Cycles: pressures in time are those at the planes of the openings", "[unit]") {
  AnalyticPipe pipe = pipeWithForces(true);
  const NodeLookup lookup(pipe.geometry);
  Results results;
  results.period = 1.0;
  results.density = 1000.0;
  results.openings = openingSummaries(lookup, pipe.fields);
  // Gradient g/2 (1 + cos + b sin) from friction and inertia: g at the end, g/2 in the mean.
  const double omega = 2.0 * pi, g = pipe.gradient, area = results.openings[0].area;
  const double mean = 3e-6, swing = 0.5 * g * area / (results.density * omega), b = swing / mean;
  const auto gradientAt = [&](double t) {
    return 0.5 * g * (1.0 + std::cos(omega * t) + b * std::sin(omega * t));
  };
  const double half = 0.5 * pipe.length();
  for (int id : {1, 2}) {
    OpeningSummary& opening = results.openings[static_cast<std::size_t>(id - 1)];
    CHECK(opening.planeDistance > 0.2 * pipe.spec.spacing);
    CHECK(opening.meanPressureOverPeriod.value() ==
          Approx((id == 1 ? 0.5 : -0.5) * g * half).epsilon(1e-4));
    opening.nodePressure = (id == 1 ? 1.0 : -1.0) * g * (half - opening.planeDistance);
    opening.flowRate = id == 1 ? -mean : mean;
  }
  results.monitor.columns = {"step",           "time[s]",           "flow_rate_1[m3/s]",
                             "pressure_1[Pa]", "flow_rate_2[m3/s]", "pressure_2[Pa]"};
  for (int i = 0; i <= 400; ++i) {
    const double t = 0.005 * i;
    const double flow = mean + swing * std::sin(omega * t);
    const auto node = [&](std::size_t k) {
      return gradientAt(t) * (half - results.openings[k].planeDistance);
    };
    results.monitor.rows.push_back({1.0 * i, t, -flow, node(0), flow, -node(1)});
  }
  const auto cycle = cycleFlow(results);
  REQUIRE(cycle.has_value());
  const double radius = std::sqrt(1.0 + b * b);
  const double drop = 0.5 * g * pipe.length();
  CHECK(cycle->pressureDrop->mean == Approx(drop).epsilon(2e-4));
  CHECK(cycle->pressureDrop->largest == Approx(drop * (1.0 + radius)).epsilon(5e-4));
  CHECK(cycle->pressureDrop->least == Approx(drop * (1.0 - radius)).margin(1e-3 * drop));
  CHECK(cycle->openings[0].pressure.mean ==
        Approx(*results.openings[0].meanPressureOverPeriod).epsilon(1e-12));
  CHECK(cycle->resistance.value() == Approx(drop / mean).epsilon(2e-4));
  // Nodes are closer to each other: by more than the tolerances above.
  CHECK(results.openings[0].planeDistance > 0.005 * pipe.length());
}
