// SPDX-License-Identifier: GPL-3.0-or-later
// --bench and the geometries that it has built in.
#include <algorithm>
#include <catch2/catch.hpp>

#include "solver/bench/bench.hpp"
#include "solver/bench/bench_geometry.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/geometry/geometries.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::solver::bench;
using namespace tessera::stage;
using namespace tessera::tiler::file;
using namespace tessera::testing;

namespace {

long linesOf(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

}  // namespace

TEST_CASE("Bench: a word names a built-in geometry, a path does not", "[unit]") {
  CHECK(builtInNamed("dense:256")->size == Int3{256, 256, 256});
  CHECK(builtInNamed("channel:4x8x100")->size == Int3{4, 8, 100});
  CHECK(builtInNamed("spheres:352")->kind == "spheres");
  CHECK(builtInNamed("pack:64x40")->size == Int3{64, 40, 0});
  for (const char* path : {"geom.tiles", "/a/b:c.tiles", "out/dense:256", ":256", ""})
    CHECK_FALSE(builtInNamed(path));
  for (const char* wrong :
       {"sphere:352", "dense:", "dense:2x2x2", "dense:6o", "dense:0", "pack:64", "pack:64x101",
        "channel:4x4", "channel:4x4x4x4", "vessel:-1", "dense:999999999999"})
    checkError(ExitCode::Usage, [&] { builtInNamed(wrong); },
               {wrong, "spheres:N", "channel:XxYxZ"});
}

TEST_CASE("Bench: boxes are all fluid", "[unit]") {
  const TilesFile box = builtInTiles({"channel", {5, 66, 9}});
  CHECK(box.geometry.fluidNodes == 5U * 66U * 9U);
  CHECK(box.geometry.tiles() == 2U * 17U * 3U);
  CHECK(builtInTiles({"dense", {64, 64, 64}}).geometry.utilisation() == 1.0);
}

TEST_CASE("Bench: nodes within a ball are solid, all others fluid", "[unit]") {
  const Int3 size{131, 23, 17};
  const std::vector<Ball> balls{
      {{3.5, 2.25, 1.0}, 6.1}, {{64.3, 11.7, 8.2}, 9.4}, {{140.0, 30.0, 20.0}, 17.3}};
  const BitLattice fluid = outsideBalls(size, balls);
  std::uint64_t wrong = 0;
  for (int z = 0; z < size[2]; ++z)
    for (int y = 0; y < size[1]; ++y)
      for (int x = 0; x < size[0]; ++x) {
        const Double3 node{double(x), double(y), double(z)};
        const bool solid = std::any_of(balls.begin(), balls.end(), [&](const Ball& ball) {
          return dot(node - ball.centre, node - ball.centre) < ball.radius * ball.radius;
        });
        wrong += fluid.at(x, y, z) == solid ? 1U : 0U;
      }
  CHECK(wrong == 0);
}

TEST_CASE("Bench: the bent tube fills its sections", "[unit]") {
  const TilesFile tube = builtInTiles({"vessel", {96, 96, 96}});
  CHECK(tube.geometry.nodes == Int3{96, 48, 48});
  // Mean of pi (0.2 + 0.04 sin)^2 of the box, less what its swing cuts off at the sides.
  const double porosity = static_cast<double>(tube.geometry.fluidNodes) / (96.0 * 48.0 * 48.0);
  CHECK(porosity == Approx(0.128).epsilon(0.03));
}

TEST_CASE("Bench: a pack has the porosity in its name", "[unit]") {
  for (const int percent : {10, 40, 80, 100}) {
    const TilesFile pack = builtInTiles({"pack", {96, percent, 0}});
    CHECK(static_cast<double>(pack.geometry.fluidNodes) / (96.0 * 96.0 * 96.0) ==
          Approx(percent / 100.0).margin(0.002));
  }
}

TEST_CASE("Bench: the spheres have the porosity and utilisation in their name", "[slow]") {
  const TilesFile pack = builtInTiles({"spheres", {352, 352, 352}});
  CHECK(static_cast<double>(pack.geometry.fluidNodes) / (352.0 * 352.0 * 352.0) ==
        Approx(0.30).margin(0.005));
  CHECK(pack.geometry.utilisation() == Approx(0.72).margin(0.005));
}

TEST_CASE("Bench: an operation is a table of measurements with its bound", "[unit]") {
  const TilesFile tiles =
      imageGeometry({8, 8, 8}, strewn(1.0), {}, {{0, true, 1}, {0, false, 2}}, 1e-4, {0, 0, 0});
  const std::string moved = runBench("propagation", tiles, "cpu", std::nullopt);
  CHECK(linesOf(moved) == 4);
  CHECK_THAT(moved, Catch::StartsWith("operation,lattice,") &&
                        Catch::Contains("\npropagation,D3Q19,none,none,none,f16,global,"));
  const std::string own = runBench("read-write", tiles, "cpu", std::string("f32"));
  CHECK(linesOf(own) == 2);
  CHECK_THAT(own, Catch::Contains(",152,0,"));
  CHECK(linesOf(runBench("copy", tiles, "cpu", std::nullopt)) == 2);
}

TEST_CASE("Bench: moments are the variants that store them", "[unit]") {
  // The openings of a file are closed, and its throats lead nowhere.
  TilesFile open =
      imageGeometry({8, 8, 8}, strewn(1.0), {}, {{0, true, 1}, {0, false, 2}}, 1e-4, {0, 0, 0});
  preprocess::geometry::Throat throat;
  throat.openings = {1};
  throat.area = 1e-7;
  open.geometry.throats = {throat};
  for (const TilesFile& tiles : {builtInTiles({"dense", {8, 8, 8}}), open}) {
    const std::string table = runBench("moments", tiles, "cpu", std::string("f64"));
    CHECK(linesOf(table) == 2);
    CHECK_THAT(table, Catch::Contains(",regularised,") && Catch::Contains(",moments,2,cpu,"));
  }
}

TEST_CASE("Bench: unknown operations, precisions and copies are refused", "[unit]") {
  const TilesFile box = builtInTiles({"dense", {8, 8, 8}});
  checkError(ExitCode::Usage, [&] { runBench("stream", box, "cpu", std::nullopt); },
             {"read-write, propagation, step, moments, copy"});
  checkError(ExitCode::Usage, [&] { runBench("step", box, "cpu", std::string("f8")); },
             {"--bench step", "precision"});
  checkError(ExitCode::Usage, [&] { runBench("step", box, "cpu", std::string("f32"), "1"); },
             {"CUDA"});
}
