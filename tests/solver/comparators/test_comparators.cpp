// SPDX-License-Identifier: GPL-3.0-or-later
// Structures of the papers against tile populations: the same flow after 1,000 steps, in a vessel,
// between spheres, in boxes and planes, with walls, a body force and periodic axes.
#include <algorithm>
#include <catch2/catch.hpp>

#include "solver/backend/gpu/device.hpp"
#include "solver/backend/registry.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/relative_difference.hpp"
#include "tests/solver/comparators/structure_flows.hpp"

using namespace tessera;
using namespace tessera::solver::backend;
using namespace tessera::solver::comparators;
using namespace tessera::solver::model;
using namespace tessera::stage;
using namespace tessera::tiler::file;
using namespace tessera::testing;

namespace {

// Whether this build has tiles to compare with.
bool isBuilt(const ComparatorInfo& info) {
  return std::any_of(variants().begin(), variants().end(), [&](const VariantInfo& variant) {
    return variant.axes == VariantAxes{.lattice = info.lattice,
                                       .collision = info.collision,
                                       .precision = info.precision};
  });
}

// All structures that can store the geometry: bitwise the tiles' flow after 1,000 steps, in place
// between the two phases too.
void checkEqual(const TilesFile& tiles, bool wholeTiles) {
  const FluidNodes curve(tiles.geometry, NodeOrder::Curve);
  const FluidNodes rows(tiles.geometry, NodeOrder::Rows);
  const std::vector<double> first = start(tiles);
  std::vector<double> expected;
  std::string variant;
  for (const ComparatorInfo& info : comparatorsOf(tiles.geometry)) {
    if (!isBuilt(info)) continue;
    const std::string here = titleOf(info).substr(titleOf(info).find(' '));
    if (variant.empty() || here.substr(here.find(' ', 1)) != variant) {
      variant = here.substr(here.find(' ', 1));
      expected = ofTiles(tiles, info, 1000);
      REQUIRE(relativeDifference(expected, first) > 0.1);
    }
    if (storesTiles(info) && !wholeTiles) continue;
    INFO(titleOf(info));
    const auto state = info.makeCpu(info.order == NodeOrder::Curve ? curve : rows, {relaxation});
    state->set(first);
    state->advance(301);
    state->advance(699);
    CHECK(state->get() == expected);
  }
}

}  // namespace

TEST_CASE("Comparators: in a vessel, bitwise the flow of tiles", "[unit]") {
  checkEqual(vessel(), true);
}

TEST_CASE("Comparators: between spheres, bitwise the flow of tiles", "[unit]") {
  checkEqual(spheres(), true);
}

TEST_CASE("Comparators: in boxes, bitwise the flow of tiles", "[unit]") {
  checkEqual(box({8, 12, 4}), true);
  checkEqual(box({7, 6, 9}), false);
}

TEST_CASE("Comparators: in planes, bitwise the flow of tiles", "[unit]") {
  checkEqual(plane({48, 24, 1}, {true, false, true}), true);
  checkEqual(plane({32, 16, 1}, {true, true, true}), true);
  checkEqual(plane({37, 21, 1}, {false, true, true}), false);
  for (const char* name :
       {"dense-shared-memory", "tiles-ghost-buffers", "tiles-ghost-16x16", "lists-in-place"})
    CHECK(infoOf(name, CollisionId::Bgk, PrecisionId::F32, LatticeId::D2Q9).name == name);
}

TEST_CASE("Comparators: larger geometries, bitwise the flow of tiles", "[slow]") {
  checkEqual(vessel(2), true);
  checkEqual(spheres(2), true);
  checkEqual(box({27, 18, 15}), false);
}

TEST_CASE("Comparators: an odd number of steps, a state set again, no force", "[unit]") {
  const TilesFile tiles = spheres();
  const FluidNodes nodes(tiles.geometry, NodeOrder::Curve);
  const std::vector<double> first = start(tiles);
  for (const ComparatorInfo& info : comparatorsOf(tiles.geometry)) {
    if (info.collision != CollisionId::Trt || info.order != NodeOrder::Curve) continue;
    INFO(titleOf(info));
    const auto state = info.makeCpu(nodes, {relaxation});
    state->set(first);
    CHECK(state->get() == ofTiles(tiles, info, 0));
    state->advance(1);
    state->advance(4);
    CHECK(state->get() == ofTiles(tiles, info, 5));
    state->set(first);
    state->advance(2);
    CHECK(state->get() == ofTiles(tiles, info, 2));
    const auto still = info.makeCpu(nodes, {{0.7, 3.0 / 16.0, {}, {}}});
    still->advance(3);
    CHECK(still->get() == std::vector<double>(first.size()));
  }
}

TEST_CASE("Comparators: blocks of fluid alone, at walls and at periodic faces", "[unit]") {
  // Long rows, with one ball: whole tiles amid whole tiles, and runs of 64 nodes without a wall.
  const TilesFile tiles =
      imageGeometry({160, 16, 12},
                    [](int x, int y, int z) {
                      return (x - 20) * (x - 20) + (y - 8) * (y - 8) + (z - 5) * (z - 5) > 22;
                    },
                    {true, false, true}, {}, 1e-4, {0, 0, 0});
  const FluidNodes nodes(tiles.geometry, NodeOrder::Rows);
  for (const ComparatorInfo& info : comparatorsOf(tiles.geometry)) {
    if (info.collision != CollisionId::Bgk) continue;
    INFO(titleOf(info));
    const auto state = info.makeCpu(nodes, {relaxation});
    state->set(start(tiles));
    state->advance(12);
    CHECK(state->get() == ofTiles(tiles, info, 12));
  }
}

TEST_CASE("Comparators: 64-bit indices of lists give the same flow and cost more", "[unit]") {
  const TilesFile tiles = vessel();
  const FluidNodes nodes(tiles.geometry, NodeOrder::Rows);
  for (const char* name : {"lists", "lists-in-place", "connectivity-matrix"}) {
    INFO(name);
    const ComparatorInfo& info = infoOf(name, CollisionId::Trt, PrecisionId::F32);
    const auto narrow = info.makeCpu(nodes, {relaxation});
    const auto wide = info.makeCpu(nodes, {relaxation, true});
    for (Comparator* state : {narrow.get(), wide.get()}) {
      state->set(start(tiles));
      state->advance(51);
    }
    CHECK(wide->get() == narrow->get());
    CHECK(wide->bytesPerNode() - narrow->bytesPerNode() ==
          Approx(info.name == "lists-in-place" ? 36.0 : 72.0));
  }
}

TEST_CASE("Comparators: walls between two fluid nodes", "[unit]") {
  const TilesFile tiles = inTiles(
      withCutLinks(imageLattice({12, 8, 8}, strewn(0.9), {true, true, false}, {}, 1e-4), 0.1),
      {0, 0, 0});
  const FluidNodes nodes(tiles.geometry, NodeOrder::Rows);
  for (const ComparatorInfo& info : comparatorsOf(tiles.geometry)) {
    if (info.collision != CollisionId::Bgk) continue;
    INFO(titleOf(info));
    if (info.name == "fluid-index-array") {
      checkError(ExitCode::Usage, [&] { info.makeCpu(nodes, {relaxation}); },
                 {"walls between two fluid nodes"});
      continue;
    }
    const auto state = info.makeCpu(nodes, {relaxation});
    state->set(start(tiles));
    state->advance(40);
    CHECK(state->get() == ofTiles(tiles, info, 40));
  }
}

TEST_CASE("Comparators: geometries that a structure cannot store are refused", "[unit]") {
  const TilesFile tiles = box({7, 6, 9});
  const FluidNodes nodes(tiles.geometry, NodeOrder::Curve);
  for (const ComparatorInfo& info : comparatorsOf(tiles.geometry))
    if (storesTiles(info))
      checkError(ExitCode::Usage, [&] { info.makeCpu(nodes, {relaxation}); }, {"whole tiles"});
}

TEST_CASE("Comparators: the device computes the flow of the CPU", "[gpu]") {
  if (!findDevice() || comparators().front().makeCuda == nullptr) return;
  // In fp32 a thousand fused steps end up to 1.4e-5 apart in the faster flow of the mixed geometry.
  const std::vector<std::pair<TilesFile, double>> geometries{
      {vessel(2), 1e-5},
      {spheres(2), 1e-5},
      {box({32, 12, 20}), 1e-5},
      {mixed({48, 32, 16}, {true, true, false}), 2e-5},
      {plane({80, 48, 1}, {true, false, true}), 1e-5}};
  for (const auto& [tiles, roundingF32] : geometries) {
    const FluidNodes curve(tiles.geometry, NodeOrder::Curve);
    const FluidNodes rows(tiles.geometry, NodeOrder::Rows);
    for (const ComparatorInfo& info : comparatorsOf(tiles.geometry)) {
      const FluidNodes& nodes = info.order == NodeOrder::Curve ? curve : rows;
      const double rounding = info.precision == PrecisionId::F64 ? 1e-12 : roundingF32;
      const auto host = info.makeCpu(nodes, {relaxation});
      host->set(start(tiles));
      host->advance(301);
      const std::vector<double> early = host->get();
      host->advance(699);
      const std::vector<double> late = host->get();
      for (const bool wide : {false, true}) {
        if (wide && !info.name.starts_with("lists")) continue;
        INFO(titleOf(info) << (wide ? ", 64-bit indices" : ""));
        const auto device = info.makeCuda(nodes, {relaxation, wide});
        device->set(start(tiles));
        device->advance(301);
        CHECK(relativeDifference(early, device->get()) <= rounding);
        device->advance(699);
        CHECK(relativeDifference(late, device->get()) <= rounding);
        CHECK((device->bytesPerNode() > host->bytesPerNode()) == wide);
      }
    }
  }
}
