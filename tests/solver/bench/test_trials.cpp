// SPDX-License-Identifier: GPL-3.0-or-later
// A step without its parts: read-write and propagation.
#include <catch2/catch.hpp>
#include <cmath>

#include "solver/backend/gpu/device.hpp"
#include "solver/backend/registry.hpp"
#include "solver/bench/trial.hpp"
#include "solver/model/populations.hpp"
#include "solver/model/stored_values.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/geometry/geometries.hpp"

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

// The shipped step without relaxation (infinite relaxation time).
std::vector<double> withoutRelaxation(const TileOrder& order, const Trial& trial,
                                      std::uint64_t steps) {
  const VariantInfo& variant =
      findVariant({.collision = CollisionId::Bgk, .precision = trial.precision});
  Domain domain;
  domain.tiles = domain.slots = order.tiles;
  domain.neighbourTable = order.neighbourTable;
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

TEST_CASE("Partial steps: read-write leaves every population in place", "[unit]") {
  const TileOrder order = orderForTrials(strewnObstacles().geometry);
  for (const Trial& trial : trials()) {
    if (trial.operation != std::string("read-write")) continue;
    INFO(nameOf(trial.precision));
    const auto state = trial.makeCpu(order);
    CHECK(largest(after(*state, order, 3), ofFluid(order, start(order))) <= rounding(trial));
  }
}

TEST_CASE("Partial steps: propagation is a step without relaxation", "[unit]") {
  const TileOrder order = orderForTrials(strewnObstacles().geometry);
  for (const Trial& trial : trials()) {
    if (trial.operation != std::string("propagation") || trial.makeCpu == nullptr) continue;
    INFO(nameOf(trial.precision));
    const auto state = trial.makeCpu(order);
    const std::vector<double> moved = after(*state, order, 25);
    CHECK(largest(moved, withoutRelaxation(order, trial, 25)) <= 100.0 * rounding(trial));
    CHECK(largest(moved, ofFluid(order, start(order))) > 5e-4);
  }
}

TEST_CASE("Partial steps: noise on the device is that of the host", "[unit]") {
  const TileOrder order = orderForTrials(strewnObstacles().geometry);
  const auto state = trials().front().makeCpu(order);
  state->setNoise();
  CHECK(state->get() == start(order));
  CHECK(state->copyBandwidth() > 0.0);
}

TEST_CASE("Partial steps: the device moves the same populations as the CPU", "[gpu]") {
  if (!findDevice() || trials()[0].makeCuda == nullptr) return;
  const TileOrder order = orderForTrials(strewnObstacles().geometry);
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

TEST_CASE("Partial steps: geometries with openings and 2D are refused", "[unit]") {
  const TilesFile open =
      imageGeometry({8, 8, 8}, strewn(1.0), {}, {{0, true, 1}, {0, false, 2}}, 1e-4, {0, 0, 0});
  checkError(ExitCode::Usage, [&] { orderForTrials(open.geometry); }, {"openings"});
  const TilesFile flat =
      imageGeometry({8, 8, 1}, strewn(1.0), {false, false, true}, {}, 1e-4, {0, 0, 0}, 2);
  checkError(ExitCode::Usage, [&] { orderForTrials(flat.geometry); }, {"dimensions"});
}
