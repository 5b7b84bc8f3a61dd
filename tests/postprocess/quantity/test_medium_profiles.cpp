// SPDX-License-Identifier: GPL-3.0-or-later
// Velocities in the pores of a medium, pressure along it, and pressure ratios of a vessel, against
// values known by construction.
#include <catch2/catch.hpp>
#include <cmath>

#include "postprocess/quantity/compute_results.hpp"
#include "postprocess/quantity/pressure_ratio.hpp"
#include "tests/fixtures/geometry/analytic_pipe.hpp"

using namespace tessera;
using namespace tessera::postprocess::fields;
using namespace tessera::postprocess::quantity;
using namespace tessera::postprocess::results;
using namespace tessera::solver::file;
using namespace tessera::tiler;
using namespace tessera::test;

namespace {

// Channels of 10 x 10 nodes of a box of 20 x 20 x 20, periodic: a quarter is fluid.
bool inChannel(int /*x*/, int y, int z) {
  return y < 10 && z < 10;
}

}  // namespace

TEST_CASE("Medium: the histogram counts the nodes by their velocity over the mean", "[unit]") {
  const TiledGeometry geometry = imageGeometry({20, 20, 20}, {true, true, true}, inChannel);
  Fields fields = emptyFields(geometry);
  REQUIRE(fields.velocity.size() == 2000);
  // Against +x: a tenth of the nodes back at -1, the others at 2; the mean is 1.7.
  for (std::size_t i = 0; i < 2000; ++i)
    fields.velocity[i] = {i % 10 == 0 ? 1e-3F : -2e-3F, 0.0F, 0.0F};
  fields.bodyForce = {-20.0, 0.0, 0.0};
  const Results results = computeResults(fields, geometry, {});
  REQUIRE(results.permeability);
  CHECK(results.permeability->medium);
  const auto& bins = results.velocityHistogram;
  REQUIRE(bins.size() == 18);  // -0.6 to 1.2: -1 / 1.7 and 2 / 1.7
  CHECK(bins.front().velocity == Approx(-0.55));
  CHECK(bins.front().share == Approx(0.1));
  CHECK(bins.front().density == Approx(1.0));
  CHECK(bins.back().velocity == Approx(1.15));
  CHECK(bins.back().share == Approx(0.9));
  double sum = 0.0;
  for (const VelocityBin& bin : bins) sum += bin.share;
  CHECK(sum == Approx(1.0));
}

TEST_CASE("Medium: what falls along a periodic sample is the pressure less the force's work",
          "[unit]") {
  const TiledGeometry geometry = imageGeometry({20, 20, 20}, {true, true, true}, inChannel);
  const double h = geometry.frame.spacing;
  Fields fields = emptyFields(geometry);
  fields.bodyForce = {-20.0, 0.0, 0.0};
  for (auto& velocity : fields.velocity) velocity = {-1e-3F, 0.0F, 0.0F};
  fields.pressureReference = 3.0;
  const Results results = computeResults(fields, geometry, {});
  REQUIRE(results.layers.size() == 20);
  for (std::size_t k = 0; k < 20; ++k) {
    const SampleLayer& layer = results.layers[k];
    CHECK(layer.distance == Approx((static_cast<double>(k) + 0.5) * h));
    CHECK(layer.porosity == Approx(0.25));
    CHECK(layer.pressure == Approx(3.0));
    CHECK(layer.potential == Approx(3.0 - 20.0 * layer.distance));
    CHECK(layer.velocity == Approx(0.25e-3 * fields.velocityFactor));
  }
}

TEST_CASE("Medium: a sample between two faces shows its own pressure, from the inlet on",
          "[unit]") {
  TiledGeometry geometry = imageGeometry({20, 20, 20}, {false, false, false}, inChannel);
  geometry.openings = {{1, "x-", {}, {-1, 0, 0}, 1e-4, 5e-3}, {2, "x+", {}, {1, 0, 0}, 1e-4, 5e-3}};
  Fields fields = emptyFields(geometry);
  // Driven from x+ to x-, slowly: a medium.
  for (auto& velocity : fields.velocity) velocity = {-1e-6F, 0.0F, 0.0F};
  fields.openings = {{1, "x-", "pressure", 1e-10, 0.0}, {2, "x+", "pressure", -1e-10, 50.0}};
  const NodeLookup lookup(geometry);
  forEachNode(lookup, [&](std::size_t t, int l, std::uint64_t i) {
    fields.pressure[i] = static_cast<float>(geometry.nodeOf(t, l)[0]);
  });
  fields.pressureFactor = 2.0;
  fields.pressureReference = 0.0;
  const Results results = computeResults(fields, geometry, {});
  REQUIRE(results.permeability);
  REQUIRE(results.layers.size() == 20);
  CHECK(results.layers.front().pressure == Approx(2.0 * 19.0));
  CHECK(results.layers.back().pressure == Approx(0.0).margin(1e-12));
  CHECK(results.layers.front().potential == results.layers.front().pressure);
  CHECK(results.layers.front().velocity > 0.0);
}

TEST_CASE("Pressure ratio: outlets and stations over the inlets, only of pressures that mean it",
          "[unit]") {
  AnalyticPipe pipe = analyticPipe({6.0, 20.0});
  const auto at = [&](double outlet) {
    AnalyticPipe raised = pipe;
    raised.fields.pressureReference += outlet;
    for (OpeningResult& opening : raised.fields.openings) opening.meanPressure += outlet;
    return computeResults(raised.fields, raised.geometry, {});
  };
  // Relative to the outlet's pressure a ratio says nothing, and there are no stations.
  CHECK_FALSE(at(0.0).openings[1].pressureRatio);
  CHECK(at(0.0).centrelines.empty());
  const double drop = pipe.gradient * pipe.length();
  const Results results = at(4.5 * drop);  // from 5 to 4 times the drop
  REQUIRE(results.openings[1].pressureRatio);
  CHECK(*results.openings[1].pressureRatio == Approx(0.8).epsilon(1e-3));
  CHECK_FALSE(results.openings[0].pressureRatio);
  REQUIRE(results.centrelines.size() == 1);
  const auto& stations = results.centrelines[0].stations;
  REQUIRE(stations.size() > 40);
  for (const Station& station : stations) {
    REQUIRE(station.pressureRatio);
    const double along = station.distance / results.centrelines[0].length;
    CHECK(*station.pressureRatio == Approx(1.0 - 0.2 * along).margin(0.01));
  }
}

TEST_CASE("Pressure ratio: of a pulsatile run that of the means over its last period", "[unit]") {
  AnalyticPipe pipe = analyticPipe({6.0, 20.0});
  Results results = computeResults(pipe.fields, pipe.geometry, {});
  results.period = 1.0;
  CycleFlow cycle;
  cycle.openings.resize(2);
  cycle.openings[0].flowRate.mean = -1e-6;
  cycle.openings[0].pressure.mean = 12000.0;
  cycle.openings[1].flowRate.mean = 1e-6;
  cycle.openings[1].pressure.mean = 9000.0;
  results.cycleFlow = cycle;
  addPressureRatios(results);
  CHECK_FALSE(results.cycleFlow->openings[0].pressureRatio);
  CHECK(*results.cycleFlow->openings[1].pressureRatio == Approx(0.75));
  CHECK_FALSE(results.openings[1].pressureRatio);
}
