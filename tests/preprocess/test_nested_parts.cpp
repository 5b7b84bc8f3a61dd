// SPDX-License-Identifier: GPL-3.0-or-later
// Parts in, through and beside each other: what is fluid of them.
#include <catch2/catch.hpp>

#include "preprocess/lattice/voxelise.hpp"
#include "preprocess/surface/mesh_measure.hpp"
#include "preprocess/surface/repair.hpp"
#include "tests/preprocess/lattice_meshes.hpp"
#include "tests/preprocess/surface_files.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

TriangleMesh turnedOver(TriangleMesh mesh) {
  for (Triangle& t : mesh.triangle) std::swap(t[0], t[1]);
  return mesh;
}

TriangleMesh ball(double radius) {
  return sphereMesh({20, 20, 20}, radius, 40, 24);
}

std::uint64_t fluidNodes(const TriangleMesh& mesh) {
  return voxelise(repair(soupOf(mesh), 1.0, "a.stl").mesh, {40, 40, 40}, {false, false, false})
      .count();
}

std::uint64_t nodesIn(double radius) {
  return fluidNodes(ball(radius));
}

}  // namespace

TEST_CASE("Shells wound against each other are fluid, solid, fluid from the outside", "[unit]") {
  const TriangleMesh shells = joined(joined(ball(18), turnedOver(ball(12))), ball(6));
  for (const bool insideOut : {false, true}) {
    INFO((insideOut ? "inside-out" : "as they should be"));
    const TriangleMesh file = insideOut ? turnedOver(shells) : shells;
    CHECK(fluidNodes(file) == nodesIn(18) - nodesIn(12) + nodesIn(6));
    const RepairedMesh mesh = repair(soupOf(file), 1.0, "a.stl");
    CHECK(mesh.parts.parts == 3);
    CHECK(mesh.parts.cavities == 1);
    CHECK(mesh.parts.covered == 0);
    REQUIRE(mesh.warnings.size() == 1);
    CHECK_THAT(mesh.warnings[0], Catch::Contains("solid bodies"));
  }
}

TEST_CASE("A shell within another one and wound like it changes nothing, and is told", "[unit]") {
  const TriangleMesh shells = joined(ball(6), ball(18));
  CHECK(fluidNodes(shells) == nodesIn(18));
  const RepairedMesh mesh = repair(soupOf(shells), 1.0, "a.stl");
  CHECK(mesh.parts.covered == 1);
  REQUIRE(mesh.warnings.size() == 1);
  CHECK_THAT(mesh.warnings[0], Catch::Contains("turn them inside-out"));
}

TEST_CASE("In a cavity, a shell wound like the cavity changes nothing either", "[unit]") {
  const TriangleMesh shells = joined(joined(ball(18), turnedOver(ball(12))), turnedOver(ball(6)));
  CHECK(fluidNodes(shells) == nodesIn(18) - nodesIn(12));
}

TEST_CASE("Crossing tubes are one solid, whichever of them is inside-out", "[unit]") {
  const TriangleMesh along = tubeMesh({2, 20, 20}, {38, 20.3, 20.2}, 6.0, 40, true);
  const TriangleMesh up = tubeMesh({20.1, 20, 2}, {20, 19.8, 38}, 5.0, 40, true);
  const BitLattice a =
      voxelise(repair(soupOf(along), 1.0, "a.stl").mesh, {40, 40, 40}, {false, false, false});
  const BitLattice b =
      voxelise(repair(soupOf(up), 1.0, "a.stl").mesh, {40, 40, 40}, {false, false, false});
  std::uint64_t either = 0;
  for (int z = 0; z < 40; ++z)
    for (int y = 0; y < 40; ++y)
      for (int x = 0; x < 40; ++x) either += a.at(x, y, z) || b.at(x, y, z) ? 1 : 0;
  CHECK(either < a.count() + b.count());
  CHECK(fluidNodes(joined(along, up)) == either);
  CHECK(fluidNodes(joined(along, turnedOver(up))) == either);
  CHECK(fluidNodes(joined(turnedOver(along), up)) == either);
}

TEST_CASE("A cavity that ends in the plane of its vessel's end stays one", "[unit]") {
  const TriangleMesh vessel = tubeMesh({20, 20, 2}, {20, 20, 38}, 12.0, 40, true);
  const TriangleMesh catheter = tubeMesh({22, 20, 2}, {22, 20, 38}, 4.0, 24, true);
  const RepairedMesh mesh = repair(soupOf(joined(vessel, turnedOver(catheter))), 1.0, "a.stl");
  CHECK(mesh.parts.cavities == 1);
  CHECK(enclosedVolume(mesh.mesh) ==
        Approx(enclosedVolume(vessel) - enclosedVolume(catheter)).epsilon(1e-5));
}
