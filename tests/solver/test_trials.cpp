// SPDX-License-Identifier: GPL-3.0-or-later
// A step without its parts: read-write and propagation.
#include <catch2/catch.hpp>
#include <cmath>

#include "solver/backend/gpu/device.hpp"
#include "solver/backend/registry.hpp"
#include "solver/bench/trial.hpp"
#include "solver/model/noise.hpp"
#include "solver/model/populations.hpp"
#include "tests/solver/geometries.hpp"
#include "tests/stage/expect_error.hpp"

using namespace tessera;
using namespace tessera::solver::backend;
using namespace tessera::solver::bench;
using namespace tessera::solver::boundary;
using namespace tessera::solver::domain;
using namespace tessera::solver::model;
using namespace tessera::solver::tiles;
using namespace tessera::stage;
using namespace tessera::tiler;
using namespace tessera::tiler::file;
using namespace tessera::testing;

namespace {

TilesFile obstacles() {
  return imageGeometry({24, 19, 16}, strewn(0.7), {true, false, true}, {}, 1e-4, {0, 2, 0});
}

std::vector<double> start(const TileOrder& order) {
  std::vector<double> values(std::size_t{order.tiles} * 19 * tileNodes);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = noiseAt(k);
  return values;
}

std::vector<double> after(TrialState& state, const TileOrder& order, std::uint64_t steps) {
  state.set(start(order));
  state.advance(steps);
  return ofFluid(order, state.get());
}

double largest(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double most = 0.0;
  // A NaN on either side must not pass.
  for (std::size_t k = 0; k < a.size(); ++k)
    if (!(std::abs(a[k] - b[k]) <= most)) most = std::abs(a[k] - b[k]);
  return most;
}

double rounding(const Trial& trial) {
  return trial.storageBytes == 8 ? 1e-15 : (trial.storageBytes == 4 ? 1e-9 : 1e-6);
}

// What the shipped step makes of it when relaxation takes for ever.
std::vector<double> withoutRelaxation(const TileOrder& order, const Trial& trial,
                                      std::uint64_t steps) {
  const VariantInfo& variant =
      findVariant({.collision = CollisionId::Bgk, .precision = trial.precision});
  Domain domain;
  domain.tiles = domain.slots = order.tiles;
  domain.rows = order.rows;
  domain.masks = order.masks;
  const auto backend = variant.makeCpu(std::move(domain), {1e30, 3.0 / 16.0, {}, {}});
  backend->setState(start(order));
  backend->advance(steps, {});
  return ofFluid(order, backend->state());
}

// The same operation with the plain layout.
TrialMaker onCpu(const Trial& trial) {
  for (const Trial& other : trials())
    if (other.makeCpu != nullptr && other.operation == std::string(trial.operation) &&
        other.precision == trial.precision)
      return other.makeCpu;
  FAIL("no trial on the CPU");
  return nullptr;
}

}  // namespace

TEST_CASE("Read-write leaves every population where it is", "[unit]") {
  const TileOrder order = orderForTrials(obstacles().geometry);
  for (const Trial& trial : trials()) {
    if (trial.operation != std::string("read-write")) continue;
    INFO(nameOf(trial.precision));
    const auto state = trial.makeCpu(order);
    CHECK(largest(after(*state, order, 3), ofFluid(order, start(order))) <= rounding(trial));
  }
}

TEST_CASE("Propagation is a step that relaxes nothing", "[unit]") {
  const TileOrder order = orderForTrials(obstacles().geometry);
  for (const Trial& trial : trials()) {
    if (trial.operation != std::string("propagation") || trial.makeCpu == nullptr) continue;
    INFO(nameOf(trial.precision));
    const auto state = trial.makeCpu(order);
    const std::vector<double> moved = after(*state, order, 25);
    CHECK(largest(moved, withoutRelaxation(order, trial, 25)) <= 100.0 * rounding(trial));
    CHECK(largest(moved, ofFluid(order, start(order))) > 5e-4);
  }
}

TEST_CASE("Noise is set where a state lies as on the host", "[unit]") {
  const TileOrder order = orderForTrials(obstacles().geometry);
  const auto state = trials().front().makeCpu(order);
  state->setNoise();
  CHECK(state->get() == start(order));
  CHECK(state->copyBandwidth() > 0.0);
}

TEST_CASE("Trials on a device move what those on the CPU move", "[gpu]") {
  if (!findDevice() || trials()[0].makeCuda == nullptr) return;
  const TileOrder order = orderForTrials(obstacles().geometry);
  for (const Trial& trial : trials()) {
    INFO(trial.operation << " " << trial.layouts << " " << nameOf(trial.precision));
    const auto host = onCpu(trial)(order);
    const auto device = trial.makeCuda(order);
    CHECK(after(*device, order, 25) == after(*host, order, 25));
    device->setNoise();
    CHECK(device->get() != std::vector<double>(device->get().size()));
    CHECK(device->copyBandwidth() > 0.0);
  }
}

TEST_CASE("Trials refuse geometries that they cannot step", "[unit]") {
  const TilesFile open =
      imageGeometry({8, 8, 8}, strewn(1.0), {}, {{0, true, 1}, {0, false, 2}}, 1e-4, {0, 0, 0});
  CHECK_THAT(sentenceOfError(ExitCode::Usage, [&] { orderForTrials(open.geometry); }),
             Catch::Contains("without openings"));
  const TilesFile flat =
      imageGeometry({8, 8, 1}, strewn(1.0), {false, false, true}, {}, 1e-4, {0, 0, 0}, 2);
  CHECK_THAT(sentenceOfError(ExitCode::Usage, [&] { orderForTrials(flat.geometry); }),
             Catch::Contains("three dimensions"));
}
