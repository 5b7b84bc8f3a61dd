// SPDX-License-Identifier: GPL-3.0-or-later
// Sample surfaces: manifold, outward, open where they should be, with the volumes of closed forms.
#include <tbb/global_control.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "pipelines/stage/error.hpp"
#include "preprocess/geometry/mesh.hpp"
#include "preprocess/sample/solids.hpp"
#include "preprocess/sample/summary.hpp"
#include "preprocess/sample/vessels.hpp"
#include "preprocess/sample/write_stl.hpp"
#include "tests/fixtures/geometry/sample_meshes.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::sample;
using namespace tessera::stage;

namespace {
double smallestAngle(const TriangleMesh& mesh) {
  double smallest = M_PI;
  for (const Triangle& t : mesh.triangle)
    for (std::size_t k = 0; k < 3; ++k) {
      const Double3 a = mesh.vertex[t[(k + 1) % 3]] - mesh.vertex[t[k]];
      const Double3 b = mesh.vertex[t[(k + 2) % 3]] - mesh.vertex[t[k]];
      smallest = std::min(smallest, std::atan2(length(cross(a, b)), dot(a, b)));
    }
  return smallest;
}

const TriangleMesh& demoVessel() {
  static const TriangleMesh mesh = sampleAneurysm({}, 0.2e-3);
  return mesh;
}
}  // namespace

TEST_CASE("Sample surfaces: the aneurysm is one manifold surface with three rims", "[unit]") {
  const TriangleMesh& mesh = demoVessel();
  const std::size_t rim = rimEdgesOfManifold(mesh);
  const std::vector<Opening> rims = rimsOf(mesh);
  REQUIRE(rims.size() == 3);
  // Euler: a sphere with three holes has characteristic 2 - 3.
  const auto edges = (3 * mesh.triangle.size() + rim) / 2;
  CHECK(static_cast<long>(mesh.vertex.size()) - static_cast<long>(edges) +
            static_cast<long>(mesh.triangle.size()) ==
        -1);
  CHECK(smallestAngle(mesh) > 15.0 * M_PI / 180.0);
  CHECK(cappedVolume(mesh, rims) > 0.0);
}

TEST_CASE("Sample surfaces: the aneurysm's ends are planar circles of the requested diameters",
          "[unit]") {
  AneurysmShape shape;
  shape.parentDiameter = 3.4e-3;
  const Vessel vessel = aneurysmVessel(shape);
  const TriangleMesh mesh = sampleAneurysm(shape, 0.25e-3);
  const std::vector<Opening> rims = rimsOf(mesh);
  REQUIRE(rims.size() == 3);
  const double diameter[]{3.4e-3, shape.branchDiameter[0], shape.branchDiameter[1]};
  for (std::size_t k = 0; k < 3; ++k) {
    const double circle = M_PI * diameter[k] * diameter[k] / 4.0;
    CHECK(rims[k].area == Approx(circle).epsilon(0.02));  // a polygon within the circle
    CHECK(length(rims[k].centre - vessel.ends[k].centre) < 1e-3 * diameter[k]);
    CHECK(dot(rims[k].normal, vessel.ends[k].normal) > 1.0 - 1e-12);
  }
}

TEST_CASE(
    "Sample surfaces: vertices of the aneurysm lie on the implicit surface, rims in their planes",
    "[unit]") {
  const Vessel vessel = aneurysmVessel({});
  double furthest = 0.0;
  int inPlane = 0;
  for (const Double3& v : demoVessel().vertex) {
    furthest = std::max(furthest, std::abs(vessel.field(v).value));
    for (const TubeEnd& end : vessel.ends)
      inPlane += std::abs(dot(v - end.centre, end.normal)) < 1e-15 &&
                 length(v - end.centre) < 1.01 * end.radius;
  }
  CHECK(furthest < 1e-7);  // m, of vessels of 2 to 7 mm
  CHECK(inPlane == static_cast<int>(rimEdgesOfManifold(demoVessel())));
}

TEST_CASE("Sample surfaces: a number of triangles is met within 3 per cent", "[unit]") {
  const TriangleMesh mesh = sampleAneurysm({}, aneurysmEdge({}, 30000));
  CHECK(static_cast<double>(mesh.triangle.size()) == Approx(30000).epsilon(0.03));
}

TEST_CASE("Sample surfaces: a vessel that cannot end round is refused, naming the option",
          "[unit]") {
  AneurysmShape shape;
  shape.branchLength[1] = 4e-3;
  CHECK_THROWS_WITH(aneurysmVessel(shape), Catch::Contains("--branch2-length"));
  CHECK_THROWS_WITH(sampleAneurysm({}, 2e-3), Catch::Contains("--edge"));
  CHECK_THROWS_WITH(aneurysmEdge({}, 10), Catch::Contains("--triangles"));
}

TEST_CASE("Sample surfaces: a tube has the circle's volume whatever its direction and sides",
          "[unit]") {
  for (const bool closed : {false, true})
    for (const Double3& direction : {Double3{1, 0, 0}, Double3{-1, 0, 0}, Double3{1, 2, 3}}) {
      const TubeShape shape{.direction = direction, .segments = 11, .closed = closed};
      const TriangleMesh mesh = sampleTube(shape);
      CHECK(rimEdgesOfManifold(mesh) == (closed ? 0 : 22));
      const std::vector<Opening> rims = rimsOf(mesh);
      const double circle = M_PI * shape.diameter * shape.diameter / 4.0;
      CHECK(cappedVolume(mesh, rims) == Approx(circle * shape.length).epsilon(1e-12));
      if (closed) continue;
      REQUIRE(rims.size() == 2);
      CHECK(rims[0].area == Approx(circle).epsilon(1e-12));
      CHECK(std::abs(dot(rims[0].normal, unit(direction))) == Approx(1.0).epsilon(1e-12));
    }
}

TEST_CASE("Sample surfaces: channel and box have the volume of their sides", "[unit]") {
  const ChannelShape shape{.width = 2e-3, .height = 3e-3, .length = 5e-3, .direction = {0, 1, 1}};
  const TriangleMesh open = sampleChannel(shape);
  CHECK(rimEdgesOfManifold(open) == 8);
  CHECK(cappedVolume(open, rimsOf(open)) == Approx(30e-9).epsilon(1e-12));
  const TriangleMesh box = sampleBox({1e-3, 2e-3, 3e-3});
  CHECK(rimEdgesOfManifold(box) == 0);
  CHECK(enclosedVolume(box) == Approx(6e-9).epsilon(1e-12));
  CHECK(surfaceArea(box) == Approx(22e-6).epsilon(1e-12));
}

TEST_CASE(
    "Sample surfaces: the aorta's five ends are circles, and its throat has the requested area",
    "[unit]") {
  AortaShape shape;
  shape.coarctation = 0.8;
  const Vessel vessel = aortaVessel(shape);
  const TriangleMesh mesh = meshVessel(vessel, 1.3e-3);
  CHECK(rimEdgesOfManifold(mesh) > 0);
  CHECK(everyVertexOneFan(mesh));
  const std::vector<Opening> rims = rimsOf(mesh);
  REQUIRE(rims.size() == 5);
  const std::size_t byArea[]{0, 1, 2, 4, 3};  // carotid and subclavian artery the other way round
  for (std::size_t k = 0; k < 5; ++k) {
    const TubeEnd& end = vessel.ends[byArea[k]];
    CHECK(rims[k].area == Approx(M_PI * end.radius * end.radius).epsilon(0.03));
    CHECK(length(rims[k].centre - end.centre) < 0.02 * end.radius);
    CHECK(dot(rims[k].normal, end.normal) > 1.0 - 1e-9);
  }
  CHECK(cappedVolume(mesh, rims) > 0.0);
  const TubeEnd throat = aortaThroat(shape);
  CHECK(throat.radius * throat.radius ==
        Approx(0.2 * 0.25 * shape.descendingDiameter * shape.descendingDiameter));
  const Double3 across = unit(cross(throat.normal, {0.3, 0.5, 0.7}));
  for (int k = 0; k < 12; ++k) {
    const Double3 radial = rotated(across, throat.normal, k * M_PI / 6.0);
    CHECK(std::abs(vessel.field(throat.centre + throat.radius * radial).value) < 1e-9);
  }
}

TEST_CASE("Sample surfaces: the aorta narrows only where requested", "[unit]") {
  const auto volume = [](double coarctation) {
    AortaShape shape;
    shape.coarctation = coarctation;
    const TriangleMesh mesh = meshVessel(aortaVessel(shape), 1.3e-3);
    return cappedVolume(mesh, rimsOf(mesh));
  };
  // One period of a cosine of depth e in the radius takes pi r^2 L (e - 3/8 e^2) from a tube; the
  // arch bends there, which by Pappus makes no difference.
  const AortaShape usual;
  const double depth = 1.0 - std::sqrt(1.0 - 0.6);
  const double radius = 0.5 * usual.descendingDiameter;
  const double taken =
      M_PI * radius * radius * usual.coarctationLength * (depth - 0.375 * depth * depth);
  CHECK(volume(0.0) - volume(0.6) == Approx(taken).epsilon(0.05));
}

TEST_CASE("Sample surfaces: an impossible aorta is refused, naming the option", "[unit]") {
  CHECK_THROWS_WITH(aortaVessel({.archRadius = 20e-3}), Catch::Contains("--arch-radius"));
  CHECK_THROWS_WITH(aortaVessel({.ascendingLength = 20e-3}), Catch::Contains("--ascending-length"));
  CHECK_THROWS_WITH(aortaVessel({.descendingLength = 40e-3}),
                    Catch::Contains("--descending-length"));
  CHECK_THROWS_WITH(aortaVessel({.coarctation = 0.9, .coarctationLength = 8e-3}),
                    Catch::Contains("--coarctation-length"));
  CHECK_THROWS_WITH(aortaVessel({.branchLength = 20e-3}), Catch::Contains("--branch-length"));
}

TEST_CASE("Sample surfaces: the aorta is the same on any number of threads", "[unit]") {
  const TriangleMesh mesh = meshVessel(aortaVessel({}), 1.3e-3);
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  const TriangleMesh again = meshVessel(aortaVessel({}), 1.3e-3);
  CHECK(mesh.vertex == again.vertex);
  CHECK(mesh.triangle == again.triangle);
}

TEST_CASE("Sample surfaces: a bent tube has the volume of Pappus", "[unit]") {
  for (const double degrees : {30.0, 90.0, 180.0})
    for (const bool closed : {false, true}) {
      const BentTubeShape shape{.angle = degrees * M_PI / 180.0, .closed = closed};
      const TriangleMesh mesh = sampleBentTube(shape);
      CHECK(rimEdgesOfManifold(mesh) == (closed ? 0 : 192));
      const double axis = shape.inletLength + shape.bendRadius * shape.angle + shape.outletLength;
      const std::vector<Opening> rims = rimsOf(mesh);
      CHECK(cappedVolume(mesh, rims) == Approx(M_PI * 4e-6 * axis).epsilon(1e-4));
      if (closed) continue;
      REQUIRE(rims.size() == 2);
      CHECK(rims[1].area == Approx(M_PI * 4e-6).epsilon(1e-9));
      const double turn = dot(rims[0].normal, rims[1].normal);
      CHECK(turn == Approx(-std::cos(shape.angle)).margin(1e-9));
    }
}

TEST_CASE("Sample surfaces: a sudden expansion has the volume of its two tubes", "[unit]") {
  for (const bool closed : {false, true}) {
    const ExpansionShape shape{.ratio = 2.5, .direction = {1, 2, -1}, .closed = closed};
    const TriangleMesh mesh = sampleExpansion(shape);
    CHECK(rimEdgesOfManifold(mesh) == (closed ? 0 : 192));
    const std::vector<Opening> rims = rimsOf(mesh);
    CHECK(cappedVolume(mesh, rims) ==
          Approx(M_PI * 4e-6 * (shape.inletLength + 6.25 * shape.outletLength)).epsilon(1e-9));
    if (closed) continue;
    REQUIRE(rims.size() == 2);
    CHECK(rims[0].area == Approx(6.25 * rims[1].area).epsilon(1e-9));
  }
}

TEST_CASE("Sample surfaces: impossible solids are refused", "[unit]") {
  CHECK_THROWS_AS(sampleTube({.diameter = 0.0}), StageError);
  CHECK_THROWS_AS(sampleTube({.direction = {0, 0, 0}}), StageError);
  CHECK_THROWS_AS(sampleTube({.segments = 2}), StageError);
  CHECK_THROWS_AS(sampleBox({1.0, -1.0, 1.0}), StageError);
  CHECK_THROWS_WITH(sampleBentTube({.bendRadius = 1e-3}), Catch::Contains("--bend-radius"));
  CHECK_THROWS_WITH(sampleExpansion({.ratio = 1.0}), Catch::Contains("--ratio"));
}

TEST_CASE("Sample surfaces: the aneurysm is the same on any number of threads", "[unit]") {
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  const TriangleMesh mesh = sampleAneurysm({}, 0.2e-3);
  CHECK(mesh.vertex == demoVessel().vertex);
  CHECK(mesh.triangle == demoVessel().triangle);
}

TEST_CASE("Sample surfaces: binary STL has header, count, records", "[unit]") {
  const auto path = std::filesystem::temp_directory_path() /
                    ("tessera-sample-" + std::to_string(getpid()) + ".stl");
  writeStl(path, sampleBox({1e-3, 2e-3, 3e-3}), 1e-3, "solid rock");
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::filesystem::remove(path);
  REQUIRE(bytes.size() == 84 + 12 * 50);
  CHECK(bytes.substr(0, 5) != "solid");  // or readers take it for ASCII
  std::uint32_t count = 0;
  std::memcpy(&count, bytes.data() + 80, 4);
  CHECK(count == 12);
  float largest = 0.0F;
  for (std::size_t t = 0; t < 12; ++t)
    for (std::size_t k = 3; k < 12; ++k) {
      float value = 0.0F;
      std::memcpy(&value, bytes.data() + 84 + 50 * t + 4 * k, 4);
      largest = std::max(largest, value);
    }
  CHECK(largest == 3.0F);  // millimetres
}
