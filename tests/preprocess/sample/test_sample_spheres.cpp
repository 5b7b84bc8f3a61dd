// SPDX-License-Identifier: GPL-3.0-or-later
// Packs of spheres: distances, lattices by closed forms, packs from files, and that voxels and
// surface are the same geometry.
#include <tbb/global_control.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>

#include "preprocess/geometry/mesh.hpp"
#include "preprocess/sample/image.hpp"
#include "preprocess/sample/spheres.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/geometry/sample_meshes.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::sample;
using namespace tessera::stage;

namespace {
const std::array<LatticeCell, 3> lattices{LatticeCell::Simple, LatticeCell::BodyCentred,
                                          LatticeCell::FaceCentred};

double porosityOf(const TriangleMesh& mesh, const Int3& size, double voxel) {
  return enclosedVolume(mesh) / (voxel * voxel * voxel * size[0] * size[1] * size[2]);
}

double nearestCentres(const SpherePack& pack) {
  double nearest = 1e9;
  for (std::size_t i = 0; i < pack.sphere.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      Double3 offset = pack.sphere[i].centre - pack.sphere[j].centre;
      for (std::size_t a = 0; a < 3 && pack.periodic; ++a)
        offset[a] -= pack.size[a] * std::round(offset[a] / pack.size[a]);
      nearest = std::min(nearest, length(offset));
    }
  return nearest;
}
}  // namespace

TEST_CASE("Sphere packs: spheres placed apart do not overlap, across the sides too", "[unit]") {
  for (const bool periodic : {true, false}) {
    const SpheresShape shape{.size = {50, 60, 45},
                             .diameter = 11.3,
                             .porosity = 0.7,
                             .periodic = periodic,
                             .apart = true};
    const SpherePack pack = randomSpheres(shape);
    CHECK(nearestCentres(pack) >= 11.3);
    CHECK(imageOf(pack).porosity() <= 0.7);
    CHECK(imageOf(pack).porosity() > 0.69);
  }
}

TEST_CASE("Sphere packs: spheres apart below the jamming limit are refused", "[unit]") {
  CHECK_THROWS_WITH(randomSpheres({.porosity = 0.61, .apart = true}), Catch::Contains("0.62"));
}

TEST_CASE("Sphere packs: lattices have the solid fraction of closed forms", "[unit]") {
  CHECK(latticeSolid(LatticeCell::Simple, 0.5) == Approx(M_PI / 6.0));
  CHECK(latticeSolid(LatticeCell::BodyCentred, std::sqrt(3.0) / 4.0) ==
        Approx(M_PI * std::sqrt(3.0) / 8.0));
  CHECK(latticeSolid(LatticeCell::FaceCentred, std::sqrt(2.0) / 4.0) ==
        Approx(M_PI * std::sqrt(2.0) / 6.0));
  for (const LatticeCell cell : lattices)
    for (const double part : {0.3, 0.6, 0.99}) {  // apart, and overlapping
      const double radius = part * latticeLargestRadius(cell);
      CHECK(latticeRadius(cell, latticeSolid(cell, radius)) == Approx(radius));
      const LatticeShape shape{.cell = cell, .nodes = 100, .radius = radius};
      CHECK(1.0 - imageOf(latticeSpherePack(shape)).porosity() ==
            Approx(latticeSolid(cell, radius)).epsilon(0.005));
    }
  CHECK_THROWS_WITH(latticeRadius(LatticeCell::Simple, 0.99), Catch::Contains("--solid"));
  CHECK_THROWS_WITH(latticeSpherePack({.radius = 0.71}), Catch::Contains("--radius"));
}

TEST_CASE("Sphere packs: the surface of a lattice's pores has their volume and area", "[unit]") {
  for (const LatticeCell cell : lattices) {
    const double radius = 0.9 * latticeTouchingRadius(cell);
    const LatticeShape shape{.cell = cell, .cells = {2, 1, 1}, .nodes = 60, .radius = radius};
    const SpherePack pack = latticeSpherePack(shape);
    const TriangleMesh mesh = poreSurface(pack, 1.0, 1e-5);
    CHECK(rimEdgesOfManifold(mesh) == 0);
    CHECK(everyVertexOneFan(mesh));
    CHECK(porosityOf(mesh, pack.size, 1e-5) ==
          Approx(1.0 - latticeSolid(cell, radius)).epsilon(0.005));
    const Bounds bounds = boundsOf(mesh);
    CHECK(bounds.low == Double3{0.0, 0.0, 0.0});
    CHECK(bounds.high[0] == Approx(120e-5).epsilon(1e-12));
    CHECK(bounds.high[2] == Approx(60e-5).epsilon(1e-12));
    if (cell != LatticeCell::Simple) continue;  // cuts no side: the box, and two whole spheres
    const double side = 60e-5;
    CHECK(surfaceArea(mesh) ==
          Approx(side * side * (10.0 + 8.0 * M_PI * radius * radius)).epsilon(0.005));
  }
}

TEST_CASE("Sphere packs: voxels and surface of a pack are the same pores", "[unit]") {
  for (const bool periodic : {true, false}) {
    const SpherePack pack = randomSpheres(
        {.size = {64, 48, 56}, .diameter = 16.0, .porosity = 0.5, .periodic = periodic});
    const TriangleMesh mesh = poreSurface(pack, 0.8, 1e-5);
    CHECK(rimEdgesOfManifold(mesh) == 0);
    CHECK(porosityOf(mesh, pack.size, 1e-5) == Approx(imageOf(pack).porosity()).epsilon(0.01));
    const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
    const TriangleMesh again = poreSurface(pack, 0.8, 1e-5);
    CHECK(again.vertex == mesh.vertex);
    CHECK(again.triangle == mesh.triangle);
  }
}

TEST_CASE("Sphere packs: a pack is read from a file with any title and line ends", "[unit]") {
  const TemporaryFolder folder;
  const auto path = folder / "p.txt";
  writeWhole(path,
             "Number of Spheres: 2\nlog(r) Normal with mean -2\n0.25 0.5 0.5 0.1\r\n"
             "# a remark\n\n1.25,-0.5;0.5\t0.2 # wraps\n");
  const SpherePack pack = readSpheres(path, {1.0, 1.0, 1.0}, {40, 40, 40}, true);
  REQUIRE(pack.sphere.size() == 2);
  CHECK(pack.sphere[0].centre == Double3{9.5, 19.5, 19.5});
  CHECK(pack.sphere[0].radius == Approx(4.0));
  CHECK(pack.sphere[1].centre[0] == Approx(9.5));
  CHECK(pack.sphere[1].centre[1] == Approx(19.5));
}

TEST_CASE("Sphere packs: an invalid pack file is refused with its line", "[unit]") {
  const TemporaryFolder folder;
  const auto path = folder / "p.txt";
  const auto refused = [&](const std::string& text, const std::string& words) {
    writeWhole(path, text);
    INFO(text);
    checkError(ExitCode::BadInput,
               [&] {
                 readSpheres(path, {1.0, 1.0, 1.0}, {40, 40, 40}, true);
               },
               {words});
  };
  refused("", "sphere");
  refused("title only\n", "sphere");
  refused("0 0 0 0.1\n0 0 0\n", ":2: found");
  refused("0 0 0 0.1\n0 0 0 0.1 5\n", ":2: found");
  refused("0 0 0 0.1\nend\n", ":2: found");
  refused("0 0 nan 0.1\n", ":1: found");
  refused("0 0 0 -0.1\n", "-0.1");
  refused("0 0 1e300 0.1\n", ":1: found");
  refused("0 0 0 30\n", "--box");
  refused("Number of Spheres: 3\n0 0 0 0.1\n", "3");
  writeWhole(path, "0 0 0 0.1\n");
  checkError(ExitCode::Usage,
             [&] {
               readSpheres(path, {1.0, 2.0, 1.0}, {40, 40, 40}, true);
             },
             {"cubes"});
}

TEST_CASE("Sphere packs: the pack of 125 spheres has the porosity given in its file", "[unit]") {
  const std::filesystem::path path =
      std::filesystem::path(TESSERA_SHARED_DATA) / "porous/pack125.out";
  if (!std::filesystem::exists(path)) {
    WARN("skipped: no " << path);
    return;
  }
  const SpherePack pack = readSpheres(path, {1.0, 1.0, 1.0}, {128, 128, 128}, true);
  CHECK(pack.sphere.size() == 125);
  CHECK(imageOf(pack).porosity() == Approx(0.369).margin(0.0005));
}

TEST_CASE("Sphere packs: a bed has its porosity, and its spheres overlap by little", "[unit]") {
  BedShape shape;
  shape.size = {72, 66, 60};
  shape.diameter = 12.0;
  const SpherePack bed = sphereBed(shape);
  CHECK(imageOf(bed).porosity() == Approx(shape.porosity).margin(5e-4));
  const double diameter = 2.0 * bed.sphere.front().radius;
  CHECK(diameter == Approx(12.0).epsilon(0.02));
  CHECK(nearestCentres(bed) > 0.9 * diameter);
  // Only little volume is in two spheres.
  const double volume = 72.0 * 66.0 * 60.0;
  const double sphere = M_PI / 6.0 * diameter * diameter * diameter;
  CHECK(static_cast<double>(bed.sphere.size()) * sphere / volume ==
        Approx(1.0 - shape.porosity).epsilon(0.01));
}

TEST_CASE("Sphere packs: a river bed is the bed on a floor, with nothing above it", "[unit]") {
  BedShape shape;
  shape.size = {48, 40, 44};
  shape.diameter = 10.0;
  shape.seed = 7;
  const SpherePack bed = sphereBed(shape);
  const SampleImage whole = imageOf(bed);
  const SampleImage river = imageOf(riverBed(shape, 30));
  REQUIRE(river.size == Int3{48, 40, 74});
  const int reach = static_cast<int>(std::ceil(bed.sphere.front().radius));
  std::size_t different = 0, above = 0;
  for (int z = 0; z < 74; ++z)
    for (int y = 0; y < 40; ++y)
      for (int x = 0; x < 48; ++x) {
        const std::uint8_t value = river.value[river.index(x, y, z)];
        if (z < 44 - reach) different += value != whole.value[whole.index(x, y, z)];
        if (z >= 44 + reach) above += value == solidValue;
      }
  CHECK(different == 0);
  CHECK(above == 0);
}

TEST_CASE("Sphere packs: impossible beds are refused", "[unit]") {
  checkError(ExitCode::Usage, [] { sphereBed({{30, 60, 60}, 12.0, 0.36, 1}); }, {"--diameter"});
  checkError(ExitCode::Usage, [] { sphereBed({{60, 60, 60}, 12.0, 0.3, 1}); }, {"--porosity"});
}
