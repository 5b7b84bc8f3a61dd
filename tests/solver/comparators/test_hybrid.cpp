// SPDX-License-Identifier: GPL-3.0-or-later
// Hybrids of dense blocks, lists and tiles against tile populations, and the kinds of their blocks.
#include <catch2/catch.hpp>

#include "solver/bench/bench_geometry.hpp"
#include "solver/comparators/hybrid.hpp"
#include "tests/solver/comparators/structure_flows.hpp"

using namespace tessera;
using namespace tessera::solver::bench;
using namespace tessera::solver::comparators;
using namespace tessera::solver::model;
using namespace tessera::tiler::file;
using namespace tessera::testing;

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
        if (!info.name.starts_with("hybrid") || info.order != order) continue;
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

TEST_CASE("Comparators: hybrid with tiles, bitwise the flow of tiles", "[unit]") {
  // All three kinds of blocks: full, half full of whole tiles with holes, strewn ones; next to
  // each other, across periodic faces and where the box cuts blocks off.
  const auto threeKinds = [](const Int3& size, const std::array<bool, 3>& periodic) {
    return imageGeometry(size,
                         [](int x, int y, int z) {
                           const bool strewnHere = x >= 16 && x < 32 && y < 20;
                           if (strewnHere) return (x + 2 * y + 3 * z) % 4 != 0 && x % 4 != 2;
                           const bool half = x >= 32 && x < 48 && y < 16;
                           return !half || (x < 40 && (x + y + z) % 29 != 0);
                         },
                         periodic, {}, 1e-4, {0, 0, 0});
  };
  for (const TilesFile& tiles : {threeKinds({64, 32, 32}, {true, true, false}),
                                 threeKinds({60, 36, 20}, {true, true, false}),
                                 threeKinds({62, 35, 16}, {false, false, true}),
                                 threeKinds({64, 32, 16}, {true, true, true})}) {
    const FluidNodes nodes(tiles.geometry, NodeOrder::Curve);
    const Hybrid<D3Q19, std::uint32_t, 8, true> plan(nodes);
    CHECK(plan.denseBlocks() > 0);
    CHECK(plan.tiles() > 20);
    CHECK(plan.listedNodes() > 1000);
    for (const ComparatorInfo& info : comparatorsOf(tiles.geometry)) {
      if (info.name != "hybrid-tiles") continue;
      INFO(titleOf(info));
      const auto state = info.makeCpu(nodes, {relaxation});
      state->set(start(tiles));
      state->advance(40);
      CHECK(state->get() == ofTiles(tiles, info, 40));
    }
  }
}

TEST_CASE("Comparators: hybrid takes tiles where they move less than a list", "[unit]") {
  const auto bytes = [](const char* name, const FluidNodes& nodes, PrecisionId precision) {
    return infoOf(name, CollisionId::Bgk, precision).count(nodes, {});
  };
  // Every other tile of whole fluid: half of the block, in 32 tiles without masks but for their
  // walls, read in whole sectors.
  const TilesFile tiles = imageGeometry(
      {16, 16, 16}, [](int x, int y, int z) { return (x / 4 + y / 4 + z / 4) % 2 == 0; },
      {true, true, true}, {}, 1e-4, {});
  const FluidNodes nodes(tiles.geometry, NodeOrder::Curve);
  const Hybrid<D3Q19, std::uint32_t, 8, true> plan(nodes);
  CHECK(plan.denseBlocks() == 0);
  CHECK(plan.tiles() == 32);
  CHECK(plan.listedNodes() == 0);
  CHECK(plan.nodesAcross() == 0);
  CHECK(bytes("hybrid-tiles", nodes, PrecisionId::F64).moved ==
        32 * (64 * 304.0 + 4 * (27 + 1 + 64)));
  // Sectors of four nodes with one that is fluid: a list.
  const TilesFile rods = imageGeometry({16, 16, 16}, [](int x, int, int) { return x % 4 == 1; },
                                       {true, true, true}, {}, 1e-4, {});
  const FluidNodes thin(rods.geometry, NodeOrder::Curve);
  CHECK(Hybrid<D3Q19, std::uint32_t, 8, true>(thin).tiles() == 0);
  CHECK(Hybrid<D3Q19, std::uint32_t, 8, true>(thin).listedNodes() == thin.count());
  // Whole sectors, but tiles less than half full: a list holds less.
  const TilesFile few =
      imageGeometry({16, 16, 16}, [](int, int y, int z) { return y % 4 == 1 && z % 4 < 3; },
                    {true, true, true}, {}, 1e-4, {});
  const FluidNodes sparse(few.geometry, NodeOrder::Curve);
  CHECK(Hybrid<D3Q19, std::uint32_t, 8, true>(sparse).tiles() == 0);
  // A little more than the best of its kinds alone, for nodes across and tables.
  for (const int porosity : {20, 40, 70}) {
    const TilesFile pack = builtInTiles({"pack", {64, porosity, 0}});
    const FluidNodes packed(pack.geometry, NodeOrder::Curve);
    for (const PrecisionId precision : {PrecisionId::F64, PrecisionId::F32}) {
      INFO(porosity);
      const StructureBytes mixed = bytes("hybrid-tiles", packed, precision);
      CHECK(mixed.moved < bytes("hybrid", packed, precision).moved);
      CHECK(mixed.moved < 1.03 * bytes("lists", packed, precision).moved);
    }
  }
}
