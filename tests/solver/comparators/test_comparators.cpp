// SPDX-License-Identifier: GPL-3.0-or-later
// Structures of the papers against tile populations: the same flow after 1,000 steps, in a vessel,
// between spheres and in a box, with walls, a body force and periodic axes; bytes by their papers.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "solver/backend/gpu/device.hpp"
#include "solver/backend/registry.hpp"
#include "solver/bench/bench_geometry.hpp"
#include "solver/bench/compare_structures.hpp"
#include "solver/comparators/comparator.hpp"
#include "solver/comparators/hybrid.hpp"
#include "solver/model/populations.hpp"
#include "solver/model/stored_values.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/geometry/geometries.hpp"
#include "tiler/analysis/layouts.hpp"
#include "tiler/analysis/overhead.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::solver::backend;
using namespace tessera::solver::bench;
using namespace tessera::solver::comparators;
using namespace tessera::solver::domain;
using namespace tessera::solver::model;
using namespace tessera::stage;
using namespace tessera::tiler::analysis;
using namespace tessera::tiler::file;
using namespace tessera::testing;

namespace {

// Bent tube, periodic along its axis.
TilesFile vessel(int scale = 1) {
  const Int3 size{16 * scale, 12 * scale, 12 * scale};
  return imageGeometry(size,
                       [=](int x, int y, int z) {
                         const double angle = 6.283185307179586 * x / size[0];
                         const double dy = y - (5.6 + 1.1 * std::sin(angle)) * scale;
                         const double dz = z - (5.4 + 0.9 * std::cos(angle)) * scale;
                         return dy * dy + dz * dz < 17.0 * scale * scale;
                       },
                       {true, false, false}, {}, 1e-4, {0, 2, 1});
}

// Overlapping spheres, periodic along two axes.
TilesFile spheres(int scale = 1) {
  const Int3 size{12 * scale, 12 * scale, 12 * scale};
  const std::vector<Ball> balls{
      {{3.2, 4.1, 2.5}, 4.0}, {{8.6, 7.7, 6.2}, 4.4}, {{2.1, 10.2, 9.4}, 3.1}};
  return imageGeometry(
      size,
      [=](int x, int y, int z) {
        const Double3 node{double(x) / scale, double(y) / scale, double(z) / scale};
        return std::none_of(balls.begin(), balls.end(), [&](const Ball& ball) {
          return dot(node - ball.centre, node - ball.centre) < ball.radius * ball.radius;
        });
      },
      {true, false, true}, {}, 1e-4, {0, 0, 0});
}

// Walls on x, periodic along y, whole tiles on each axis or not.
TilesFile box(const Int3& size) {
  return imageGeometry(size, strewn(1.0), {false, true, false}, {}, 1e-4, {0, 0, 0});
}

const Relaxation relaxation{0.7, 3.0 / 16.0, {2e-5, -1e-5, 3e-6}, {}};

// Plane with a bend, a cylinder and a wall inside, periodic along x or y.
TilesFile plane(const Int3& size, const std::array<bool, 3>& periodic) {
  return imageGeometry(
      size,
      [=](int x, int y, int) {
        const bool cylinder = (x - 9) * (x - 9) + (y - 8) * (y - 8) < 11;
        const bool wall = y == 13 && x > 3 && x < 15;
        return !cylinder && !wall && 2 * x + y > 6;
      },
      periodic, {}, 1e-4, {0, 0, 0}, 2);
}

std::uint64_t velocitiesOf(const TilesFile& tiles) {
  return FluidNodes(tiles.geometry, NodeOrder::Curve).velocities().size();
}

// Random populations at fluid nodes, 0 at the others, q x 64 a tile of the geometry.
std::vector<double> start(const TilesFile& tiles) {
  const FluidNodes nodes(tiles.geometry, NodeOrder::Curve);
  const std::uint64_t q = nodes.velocities().size();
  std::vector<double> values(tiles.geometry.tiles() * q * 64);
  for (std::uint32_t node = 0; node < nodes.count(); ++node)
    for (std::uint64_t i = 0; i < q; ++i) {
      const std::uint64_t k = (nodes.place(node) / 64 * q + i) * 64 + nodes.place(node) % 64;
      values[k] = noiseAt(k);
    }
  return values;
}

// Populations of the shipped step on tiles after so many steps.
std::vector<double> ofTiles(const TilesFile& tiles, const ComparatorInfo& like,
                            std::uint64_t steps) {
  const FluidNodes nodes(tiles.geometry, NodeOrder::Curve);
  const TileOrder& order = nodes.tileOrder();
  const std::uint64_t q = velocitiesOf(tiles);
  const auto indexOf = [&](std::uint32_t slot, int i, int local) {
    return (slot * q + static_cast<std::uint64_t>(i)) * 64 + static_cast<std::uint64_t>(local);
  };
  Domain domain;
  domain.tiles = order.tiles;
  domain.slots = order.tiles + order.ghosts;
  domain.neighbourTable = order.neighbourTable;
  domain.masks = order.masks;
  for (const PeriodicCopy& copy : order.copies)
    domain.copies.push_back({indexOf(copy.fromSlot, copy.direction, copy.fromLocal),
                             indexOf(copy.toSlot, copy.direction, copy.toLocal)});
  const std::size_t perTile = q * 64;
  const std::vector<double> first = start(tiles);
  std::vector<double> state(domain.slots * perTile);
  const auto inSlots = [&](auto&& move) {
    for (std::size_t t = 0; t < tiles.geometry.tiles(); ++t)
      for (std::size_t k = 0; k < perTile; ++k)
        move(t * perTile + k, order.slotOfTile[t] * perTile + k);
  };
  inSlots([&](std::size_t tile, std::size_t slot) { state[slot] = first[tile]; });
  const auto backend =
      findVariant(
          {.lattice = like.lattice, .collision = like.collision, .precision = like.precision})
          .makeCpu(std::move(domain), relaxation);
  backend->setState(state);
  backend->advance(steps, {});
  state = ofFluid(order, backend->state(0, order.tiles));
  std::vector<double> result(first.size());
  inSlots([&](std::size_t tile, std::size_t slot) { result[tile] = state[slot]; });
  return result;
}

double largestDifference(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double difference = 0.0, largest = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    // A NaN on either side must not pass.
    if (!(std::abs(a[k] - b[k]) <= difference)) difference = std::abs(a[k] - b[k]);
    largest = std::max(largest, std::abs(a[k]));
  }
  return difference / largest;
}

std::string titleOf(const ComparatorInfo& info) {
  return info.name + " " + solver::comparators::nameOf(info.order) + " " +
         solver::model::nameOf(info.collision) + " " + solver::model::nameOf(info.precision);
}

bool storesTiles(const ComparatorInfo& info) {
  return info.name.starts_with("tiles");
}

const ComparatorInfo& infoOf(const std::string& name, CollisionId collision, PrecisionId precision,
                             LatticeId lattice = LatticeId::D3Q19) {
  return *std::find_if(comparators().begin(), comparators().end(), [&](const ComparatorInfo& info) {
    return info.name == name && info.collision == collision && info.precision == precision &&
           info.lattice == lattice;
  });
}

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
      REQUIRE(largestDifference(expected, first) > 0.1);
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

// Full blocks of 16^3 nodes, sparse ones and one between, on three or four blocks an axis.
TilesFile mixed(const Int3& size, const std::array<bool, 3>& periodic) {
  return imageGeometry(size,
                       [=](int x, int y, int z) {
                         const bool strewnHere = x >= 16 && x < 32 && y < 20;
                         return !(strewnHere && (x + 2 * y + 3 * z) % 4 == 0) &&
                                (x - 40) * (x - 40) + (y - 24) * (y - 24) + (z - 9) * (z - 9) > 81;
                       },
                       periodic, {}, 1e-4, {0, 0, 0});
}

TEST_CASE("Comparators: hybrid of dense blocks and lists, bitwise the flow of tiles", "[unit]") {
  const std::array<bool, 3> alongTwo{true, true, false}, alongZ{false, false, true};
  for (const TilesFile& tiles : {mixed({64, 32, 32}, alongTwo), mixed({60, 36, 20}, alongTwo),
                                 mixed({62, 35, 16}, alongZ), mixed({48, 32, 16}, alongTwo)})
    for (const NodeOrder order : {NodeOrder::Curve, NodeOrder::Rows}) {
      const FluidNodes nodes(tiles.geometry, order);
      const Hybrid<D3Q19, std::uint32_t, 8> plan(nodes);
      CHECK(plan.denseBlocks() > 1);
      CHECK(plan.listedNodes() > 1000);
      CHECK(plan.nodesAcross() > 256);
      for (const ComparatorInfo& info : comparatorsOf(tiles.geometry)) {
        if (info.name != "hybrid" || info.order != order) continue;
        const std::vector<double> expected = ofTiles(tiles, info, 15);
        for (const bool wide : {false, true}) {
          INFO(titleOf(info) << (wide ? ", 64-bit indices" : ""));
          const auto state = info.makeCpu(nodes, {relaxation, wide});
          state->set(start(tiles));
          state->advance(15);
          CHECK(state->get() == expected);
        }
      }
    }
}

TEST_CASE("Comparators: hybrid takes the cheaper kind for each block", "[unit]") {
  CHECK(Hybrid<D3Q19, std::uint32_t, 8>::threshold == Approx(0.8085).epsilon(1e-4));
  CHECK(Hybrid<D3Q19, std::uint32_t, 4>::threshold == Approx(0.6786).epsilon(1e-4));
  const auto bytes = [](const char* name, const FluidNodes& nodes, PrecisionId precision) {
    return infoOf(name, CollisionId::Bgk, precision).count(nodes, {});
  };
  // Dense alone: populations, an entry a run of 64, 27 a block.
  const TilesFile whole =
      imageGeometry({32, 32, 16}, strewn(1.0), {true, true, true}, {}, 1e-4, {});
  const FluidNodes full(whole.geometry, NodeOrder::Rows);
  CHECK(bytes("hybrid", full, PrecisionId::F64).moved / full.count() ==
        Approx(304.0 + 4.0 / 64 + 27 * 4.0 / 4096));
  // Lists alone: as these move.
  const TilesFile thin = imageGeometry({32, 32, 16}, strewn(0.5), {true, true, true}, {}, 1e-4, {});
  const FluidNodes half(thin.geometry, NodeOrder::Rows);
  CHECK(bytes("hybrid", half, PrecisionId::F32).moved ==
        bytes("lists", half, PrecisionId::F32).moved);
  // Shares of fluid nodes on both sides of the threshold.
  for (const double porosity : {0.75, 0.87}) {
    const TilesFile tiles =
        imageGeometry({32, 32, 16}, strewn(porosity), {true, true, true}, {}, 1e-4, {});
    const FluidNodes nodes(tiles.geometry, NodeOrder::Rows);
    CHECK((Hybrid<D3Q19, std::uint32_t, 8>(nodes).denseBlocks() == 4) == (porosity > 0.8));
    CHECK((Hybrid<D3Q19, std::uint32_t, 8>(nodes).listedNodes() == 0) == (porosity > 0.8));
    CHECK((Hybrid<D3Q19, std::uint32_t, 4>(nodes).denseBlocks() == 4));
  }
  // Together no more than the better of the two, but for masks and tables.
  const TilesFile tiles = mixed({64, 32, 32}, {true, true, false});
  const FluidNodes nodes(tiles.geometry, NodeOrder::Rows);
  for (const PrecisionId precision : {PrecisionId::F64, PrecisionId::F32}) {
    const auto hybrid = bytes("hybrid", nodes, precision);
    CHECK(hybrid.held < bytes("lists", nodes, precision).held);
    CHECK(hybrid.held < 1.02 * bytes("dense", nodes, precision).held);
    CHECK(hybrid.moved < bytes("lists", nodes, precision).moved);
  }
}

TEST_CASE("Comparators: bytes counted by the plan alone are those of the state", "[unit]") {
  const TilesFile tiles = spheres();
  const FluidNodes nodes(tiles.geometry, NodeOrder::Curve);
  for (const ComparatorInfo& info : comparatorsOf(tiles.geometry)) {
    if (info.collision != CollisionId::Bgk) continue;
    INFO(titleOf(info));
    const StructureBytes bytes = info.count(nodes, {});
    const auto state = info.makeCpu(nodes, {relaxation});
    CHECK(bytes.moved / nodes.count() == state->bytesPerNode());
    CHECK(bytes.held / nodes.count() == state->memoryPerNode());
    if (info.name.starts_with("lists") || info.name == "connectivity-matrix")
      CHECK(info.count(nodes, {{}, true}).moved > bytes.moved);
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

TEST_CASE("Comparators: bytes moved a node are those of the papers", "[unit]") {
  const TilesFile tiles = vessel();
  const FluidNodes nodes(tiles.geometry, NodeOrder::Rows);
  const auto bytes = [&](const char* name, PrecisionId precision) {
    return infoOf(name, CollisionId::Bgk, precision).makeCpu(nodes, {relaxation})->bytesPerNode();
  };
  // Suffa et al. 2024, Table 2.
  CHECK(bytes("lists", PrecisionId::F64) == Approx(2 * 19 * 8 + 18 * 4));
  CHECK(bytes("lists", PrecisionId::F32) == Approx(2 * 19 * 4 + 18 * 4));
  CHECK(bytes("lists-in-place", PrecisionId::F64) == Approx(2 * 19 * 8 + 9 * 4));
  CHECK(bytes("lists-in-place", PrecisionId::F32) == Approx(2 * 19 * 4 + 9 * 4));
  CHECK(bytes("connectivity-matrix", PrecisionId::F64) == Approx(2 * 19 * 8 + 18 * 4));
  // Tomczak & Szafran 2016: one index a node of the box, here with the layer around it.
  CHECK(bytes("fluid-index-array", PrecisionId::F64) ==
        Approx(304.0 + 4.0 * 18 * 14 * 14 / nodes.count()));
  // A box of whole rows and runs: nothing but populations and runs inside, masks in runs at walls.
  const TilesFile whole = imageGeometry({32, 8, 8}, strewn(1.0), {true, true, true}, {}, 1e-4, {});
  const FluidNodes inBox(whole.geometry, NodeOrder::Rows);
  for (const PrecisionId precision : {PrecisionId::F64, PrecisionId::F32}) {
    const double populations = precision == PrecisionId::F64 ? 304.0 : 152.0;
    const auto dense = infoOf("dense", CollisionId::Bgk, precision).makeCpu(inBox, {relaxation});
    CHECK(dense->bytesPerNode() == Approx(populations + 4.0 / 32 + 4.0));
    CHECK(dense->memoryPerNode() > dense->bytesPerNode());
    const auto compact =
        infoOf("tiles-compact", CollisionId::Bgk, precision).makeCpu(inBox, {relaxation});
    CHECK(compact->bytesPerNode() == Approx(populations + 144.0 / 64));
  }
}

TEST_CASE("Comparators: memory and traffic are those of the models of the tiler", "[unit]") {
  for (const TilesFile& tiles : {builtInTiles({"spheres", {72, 72, 72}}), vessel(4)}) {
    const tiler::TileNeighbourhood around = tiler::neighboursOfTiles(tiles.geometry);
    const GhostShares ghosts = ghostShares(around, populationDirections(19));
    const auto& size = tiles.geometry.nodes;
    const double porosity =
        double(tiles.geometry.fluidNodes) / (double(size[0]) * size[1] * size[2]);
    const GeometryShares shares{porosity, tiles.geometry.utilisation(), ghosts.alpha, ghosts.beta,
                                0.0};
    const FluidNodes nodes(tiles.geometry, NodeOrder::Rows);
    const auto overhead = [&](const char* name) {
      const auto state = infoOf(name, CollisionId::Bgk, PrecisionId::F64).makeCpu(nodes, {});
      return std::array{state->memoryPerNode() / (19 * 8) - 1.0,
                        state->bytesPerNode() / (2 * 19 * 8) - 1.0};
    };
    const auto matrix = overhead("connectivity-matrix");
    CHECK(matrix[0] == Approx(connectivityMatrix({}, shares).memory).epsilon(0.02));
    CHECK(matrix[1] == Approx(connectivityMatrix({}, shares).bandwidth).epsilon(0.02));
    // With the layer around the box; one kernel, the ideal of the paper.
    const auto array = overhead("fluid-index-array");
    CHECK(array[0] == Approx(fluidIndexArray({}, shares).memory).epsilon(0.03));
    CHECK(array[1] == Approx(fluidIndexArray({}, shares).bandwidthIdeal).epsilon(0.2));
    // Rows padded to 16 nodes; sectors without fluid are passed over.
    const auto dense = overhead("dense");
    CHECK(dense[0] == Approx(denseStorage({}, shares).memory).epsilon(0.25));
    CHECK(dense[1] < denseStorage({}, shares).bandwidth);
    // No buffers that only walls meet, masks in place of a byte a node; between the traffic of an
    // ideal machine and that of whole tiles and buffers.
    const Overhead model = tilesWithGhostBuffers({}, shares);
    const auto buffers = overhead("tiles-ghost-buffers");
    CHECK(buffers[0] < model.memory + 4.0 / 152 / shares.utilisation);
    CHECK(buffers[0] > 0.6 * model.memory);
    CHECK(buffers[1] > model.bandwidth);
    CHECK(buffers[1] < model.bandwidthBursts);
    // Compact tiles: less than one sector's worth of padding a direction, no solid nodes.
    const auto compact = overhead("tiles-compact");
    CHECK(compact[0] < solidOverhead(shares.utilisation) + 1.0);
    CHECK(compact[1] < 0.5 * solidOverhead(shares.utilisation));
  }
}

TEST_CASE("Comparators: bytes moved a node in a plane", "[unit]") {
  const TilesFile tiles =
      imageGeometry({64, 64, 1}, strewn(1.0), {true, true, true}, {}, 1e-4, {}, 2);
  const FluidNodes nodes(tiles.geometry, NodeOrder::Rows);
  const auto bytes = [&](const char* name) {
    return infoOf(name, CollisionId::Bgk, PrecisionId::F64, LatticeId::D2Q9)
               .count(nodes, {})
               .moved /
           nodes.count();
  };
  CHECK(bytes("lists") == Approx(2 * 9 * 8 + 8 * 4));
  CHECK(bytes("connectivity-matrix") == Approx(2 * 9 * 8 + 8 * 4));
  // A layer of nodes around the plane, none above and below.
  CHECK(bytes("fluid-index-array") == Approx(144.0 + 4.0 * 66 * 66 / 4096));
  // Masks in runs at periodic faces.
  CHECK(bytes("dense") == Approx(144.0 + 4.0 / 32 + 4.0));
  CHECK(bytes("dense-shared-memory") == bytes("dense"));
  // Tomczak & Szafran 2016: 12 buffers written and 16 read; corners have values of their own.
  const StorageSizes flat{.dimensions = 2, .populations = 9, .tileEdge = 8};
  const Overhead model = tilesWithGhostBuffers(flat, {1.0, 1.0, 1.0, 1.0, 0.0});
  CHECK(bytes("tiles-ghost-buffers") / 144.0 - 1.0 < model.bandwidthBursts);
  CHECK(bytes("tiles-ghost-buffers") / 144.0 - 1.0 > model.bandwidth);
  const StructureBytes held =
      infoOf("tiles-ghost-buffers", CollisionId::Bgk, PrecisionId::F64, LatticeId::D2Q9)
          .count(nodes, {});
  CHECK(held.held / nodes.count() / 72.0 - 1.0 == Approx(model.memory).epsilon(0.1));
  const StructureBytes large =
      infoOf("tiles-ghost-16x16", CollisionId::Bgk, PrecisionId::F64, LatticeId::D2Q9)
          .count(nodes, {});
  const Overhead paper = tilesWithGhostBuffers({.dimensions = 2, .populations = 9, .tileEdge = 16},
                                               {1.0, 1.0, 1.0, 1.0, 0.0});
  CHECK(large.held / nodes.count() / 72.0 - 1.0 == Approx(paper.memory).epsilon(0.1));
  CHECK(large.held < held.held);
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

TEST_CASE("Comparators: --bench lists tiles and every structure with its bound", "[unit]") {
  const TilesFile tiles = spheres();
  const std::string table = benchComparators(tiles, "cpu", "f64", BenchEffort{1, 0.001});
  long expected = 1 + 2;  // header; tiles, LBGK and TRT
  for (const ComparatorInfo& info : comparatorsOf(tiles.geometry))
    if (info.precision == PrecisionId::F64) {
      ++expected;
      CHECK_THAT(table, Catch::Contains("\n" + info.name + "," +
                                        solver::comparators::nameOf(info.order) + ","));
    }
  CHECK(std::count(table.begin(), table.end(), '\n') == expected);
  CHECK_THAT(table, Catch::Contains("\ntiles,curve,bgk,f64,cpu,"));
  CHECK_THAT(table, !Catch::Contains("f32"));
  checkError(ExitCode::Usage,
             [&] {
               benchComparators(tiles, "cpu", "f16", BenchEffort{1, 0.001});
             },
             {"f64 and f32"});
}

TEST_CASE("Comparators: --bench measures those of D2Q9 in a plane", "[unit]") {
  const std::string table = benchComparators(plane({48, 24, 1}, {true, false, true}), "cpu", "f64",
                                             BenchEffort{1, 0.001});
  for (const char* name : {"tiles,curve", "lists,rows", "dense-shared-memory,rows",
                           "tiles-ghost-buffers,curve", "fluid-index-array,rows"})
    CHECK_THAT(table, Catch::Contains("\n" + std::string(name) + ",bgk,f64,cpu,"));
  CHECK_THAT(table, !Catch::Contains("hybrid"));
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
        CHECK(largestDifference(early, device->get()) <= rounding);
        device->advance(699);
        CHECK(largestDifference(late, device->get()) <= rounding);
        CHECK((device->bytesPerNode() > host->bytesPerNode()) == wide);
      }
    }
  }
}
