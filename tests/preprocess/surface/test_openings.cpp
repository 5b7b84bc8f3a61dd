// SPDX-License-Identifier: GPL-3.0-or-later
// Which parts of a surface are openings, and which must never be.
#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "preprocess/surface/openings/caps.hpp"
#include "preprocess/surface/openings/openings.hpp"
#include "preprocess/surface/openings/rim_turn.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/files/surface_files.hpp"
#include "tests/fixtures/geometry/lattice_meshes.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::read;
using namespace tessera::preprocess::surface;
using namespace tessera::stage;
using namespace tessera::test;

namespace {

struct Found {
  TriangleMesh mesh;
  std::vector<Opening> openings;
  std::vector<std::string> warnings;
};

Found openingsIn(const TriangleSoup& soup) {
  RepairedMesh repaired = repair(soup, 1.0, "a.stl");
  const double tolerance = 1e-4 * boundsOf(repaired.mesh).longest();
  const FoundCaps flat = findFlatCaps(repaired.mesh, tolerance, repaired.caps);
  std::vector<Cap> caps = repaired.caps;
  caps.insert(caps.end(), flat.caps.begin(), flat.caps.end());
  Found found;
  found.openings = labelOpenings(repaired.mesh, caps).opening;
  found.mesh = std::move(repaired.mesh);
  found.warnings = flat.warnings;
  return found;
}

std::size_t countOpenings(const TriangleMesh& mesh) {
  return openingsIn(soupOf(mesh)).openings.size();
}

// A closed box, two triangles a side.
TriangleMesh boxMesh(const Double3& size) {
  TriangleMesh mesh;
  for (int k = 0; k < 8; ++k)
    mesh.vertex.push_back({k & 1 ? size[0] : 0.0, k & 2 ? size[1] : 0.0, k & 4 ? size[2] : 0.0});
  mesh.triangle = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                   {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return mesh;
}

// Plate of ten edges and radius 1 over a skirt of its own at each edge, closed by a cone. skirt:
// width and depth at each edge.
TriangleMesh plateMesh(const std::function<std::array<double, 2>(Index)>& skirt) {
  constexpr Index n = 10;
  TriangleMesh mesh;
  const auto at = [](double k) {
    const double angle = 2.0 * std::numbers::pi * k / n;
    return Double3{std::cos(angle), std::sin(angle), 0.0};
  };
  for (Index k = 0; k < n; ++k) mesh.vertex.push_back(at(k));
  for (Index k = 0; k < n; ++k) {
    const auto [width, depth] = skirt(k);
    const Double3 offset = width * at(k + 0.5) - Double3{0.0, 0.0, depth};
    mesh.vertex.push_back(at(k) + offset);
    mesh.vertex.push_back(at(k + 1.0) + offset);
  }
  mesh.vertex.push_back({0.0, 0.0, -6.0});
  const Index apex = 3 * n;
  for (Index k = 0; k < n; ++k) {
    const Index next = (k + 1) % n, low = n + 2 * k, high = low + 1, beyond = n + 2 * next;
    if (k > 1) mesh.triangle.push_back({0, k - 1, k});
    mesh.triangle.push_back({k, low, high});
    mesh.triangle.push_back({k, high, next});
    mesh.triangle.push_back({next, high, beyond});
    mesh.triangle.push_back({low, apex, high});
    mesh.triangle.push_back({high, apex, beyond});
  }
  return mesh;
}

// Shears z by x, so that both ends of a tube along z are cut obliquely.
TriangleMesh sheared(TriangleMesh mesh, double slope) {
  for (Double3& v : mesh.vertex) v[2] += slope * v[0];
  return mesh;
}

}  // namespace

TEST_CASE("Openings: the ends of a tube are found, open or closed, at any angle", "[unit]") {
  const Double3 start{1, 2, 3}, end{4, 8, 5};
  const Double3 along = 1.0 / length(end - start) * (end - start);
  for (const bool closed : {true, false})
    for (const std::uint32_t sides : {6U, 8U, 12U, 31U, 100U}) {
      INFO(sides << (closed ? " sides, closed" : " sides, open"));
      const Found found = openingsIn(soupOf(tubeMesh(start, end, 0.5, sides, closed)));
      REQUIRE(found.openings.size() == 2);
      const double area = 0.5 * 0.25 * sides * std::sin(2.0 * std::numbers::pi / sides);
      for (int k = 0; k < 2; ++k) {
        const Opening& opening = found.openings[static_cast<std::size_t>(k)];
        CHECK(opening.id == k + 1);
        CHECK(opening.name == "opening" + std::to_string(k + 1));
        CHECK(opening.area == Approx(area).epsilon(1e-5));
        CHECK(opening.radius == Approx(std::sqrt(area / std::numbers::pi)).epsilon(1e-5));
        // Equal areas are ordered by z: the start comes first.
        CHECK(length(opening.centre - (k == 0 ? start : end)) < 1e-5);
        CHECK(dot(opening.normal, along) == Approx(k == 0 ? -1.0 : 1.0).epsilon(1e-6));
      }
    }
}

TEST_CASE("Openings: the caps' triangles, and no others, carry the openings' labels", "[unit]") {
  const Found found = openingsIn(soupOf(tubeMesh({0, 0, 0}, {0, 0, 4}, 0.5, 24, true)));
  REQUIRE(found.openings.size() == 2);
  for (std::size_t t = 0; t < found.mesh.triangle.size(); ++t) {
    const Double3 normal = areaVector(found.mesh, t);
    const Patch expected = std::abs(normal[2]) < 0.5 * length(normal) ? Patch{0}
                           : normal[2] < 0.0                          ? openingPatch(1)
                                                                      : openingPatch(2);
    REQUIRE(found.mesh.label[t] == expected);
  }
}

TEST_CASE("Openings: an oblique cut is an opening", "[unit]") {
  for (const double slope : {0.3, 0.6, 0.9}) {
    INFO("slope " << slope);
    CHECK(countOpenings(sheared(tubeMesh({0, 0, 0}, {0, 0, 6}, 0.5, 40, true), slope)) == 2);
    CHECK(countOpenings(sheared(tubeMesh({0, 0, 0}, {0, 0, 6}, 0.5, 40, false), slope)) == 2);
  }
}

TEST_CASE("Openings: facets of a coarse wall are no caps", "[unit]") {
  // Coarse spheres, and tubes whose facets are nearly square.
  for (const std::uint32_t columns : {4U, 6U, 8U, 16U})
    CHECK(countOpenings(sphereMesh({0, 0, 0}, 1.0, columns, columns / 2 + 1)) == 0);
  for (const double aspect : {0.5, 1.0, 1.5, 2.0}) {
    INFO("length over radius " << aspect);
    const std::size_t found = countOpenings(tubeMesh({0, 0, 0}, {0, 0, aspect}, 1.0, 6, true));
    CHECK((found == 0 || found == 2));
  }
}

TEST_CASE("Openings: a plate of few edges is an end if the wall turns away deep all round",
          "[unit]") {
  using Skirt = std::array<double, 2>;
  const auto search = [](const auto& skirt) { return openingsIn(soupOf(plateMesh(skirt))); };
  CHECK(search([](Index) { return Skirt{0.6, 1.0}; }).openings.size() == 1);
  // Smooth across two edges of ten, a facet: not even one that touches others.
  const Found facet = search([](Index k) {
    return k % 5 == 0 ? Skirt{1.2, 0.13} : Skirt{0.6, 1.0};
  });
  CHECK(facet.openings.empty());
  CHECK(facet.warnings.empty());
}

TEST_CASE("Openings: a sharp end beyond the limit of domes is worth a message", "[unit]") {
  RimTurn turn{33.0, 90.0, 90.0, 90.0, 88.0, 90.0, -1.0, -1.0};
  CHECK_FALSE(turnsAway(turn));
  CHECK(isSharplyDomed(turn));
  CHECK_THAT(describeFlatRim(turn), Catch::Contains("domed by 33 degrees"));
  turn.near = turn.nearLow = 45.0;  // the middle of a sphere
  CHECK_FALSE(isSharplyDomed(turn));
}

TEST_CASE("Openings: a cube is ambiguous: no opening, and a hint", "[unit]") {
  const Found found = openingsIn(soupOf(boxMesh({1, 1, 1})));
  CHECK(found.openings.empty());
  REQUIRE(found.warnings.size() == 1);
  CHECK_THAT(found.warnings[0], Catch::Contains("--faces"));
}

TEST_CASE("Openings: the ends of a long square duct are openings", "[unit]") {
  const Found found = openingsIn(soupOf(boxMesh({8, 1, 1})));
  REQUIRE(found.openings.size() == 2);
  CHECK(found.openings[0].normal[0] == Approx(-1.0));
  CHECK(found.openings[1].area == Approx(1.0));
}

TEST_CASE("Openings: the broad sides of an open flat duct are walls", "[unit]") {
  TriangleMesh duct = boxMesh({4.0, 1.0, 12.0});
  duct.triangle.erase(duct.triangle.begin(), duct.triangle.begin() + 4);  // both ends
  const Found found = openingsIn(soupOf(duct));
  REQUIRE(found.openings.size() == 2);
  for (const Opening& opening : found.openings) CHECK(opening.area == Approx(4.0));
  CHECK(found.warnings.empty());
}

TEST_CASE("Openings: two caps in one plane are two openings", "[unit]") {
  const TriangleMesh pair = joined(tubeMesh({0, 0, 0}, {0, 0, 5}, 0.5, 20, true),
                                   tubeMesh({2, 0, 0}, {2, 0, 5}, 0.4, 20, true));
  CHECK(countOpenings(pair) == 4);
}

TEST_CASE("Openings: a hole in the wall is closed, not opened", "[unit]") {
  TriangleMesh sphere = sphereMesh({0, 0, 0}, 1.0, 64, 40);
  sphere.triangle.erase(sphere.triangle.begin() + 400, sphere.triangle.begin() + 403);
  CHECK(countOpenings(sphere) == 0);
}

TEST_CASE("Openings: sides of the box become openings on request", "[unit]") {
  TriangleMesh box = repair(soupOf(boxMesh({1, 2, 3})), 1.0, "a.stl").mesh;
  const Bounds bounds = boundsOf(box);
  std::vector<Cap> caps = capsOnSide(box, bounds, {2, true}, 1e-6);
  const std::vector<Cap> low = capsOnSide(box, bounds, {2, false}, 1e-6);
  caps.insert(caps.end(), low.begin(), low.end());
  const std::vector<Opening> openings = labelOpenings(box, caps).opening;
  REQUIRE(openings.size() == 2);
  CHECK(openings[0].name == "z-");
  CHECK(openings[0].normal == Double3{0, 0, -1});
  CHECK(openings[1].name == "z+");
  CHECK(openings[1].centre == Double3{0.5, 1.0, 3.0});
  CHECK(openings[1].area == Approx(2.0));

  TriangleMesh sphere = sphereMesh({0, 0, 0}, 1.0, 20, 10);
  checkError(ExitCode::Usage,
             [&] {
               capsOnSide(sphere, boundsOf(sphere), {0, true}, 1e-6);
             },
             {"--faces x+"});
}

TEST_CASE("Openings: they are ordered by area, then position, whatever the rounding", "[unit]") {
  const auto opening = [](double area, const Double3& centre) {
    Opening o;
    o.area = area;
    o.radius = std::sqrt(area);
    o.centre = centre;
    return o;
  };
  std::vector<Opening> openings{opening(1.0, {5, 0, 1e-9}), opening(0.995, {-5, 0, 0}),
                                opening(4.0, {0, 0, 9}), opening(1.004, {0, 0, -3})};
  CHECK(orderOpenings(openings) == std::vector<std::size_t>{2, 3, 1, 0});
  CHECK(openings[2].centre[0] == -5.0);
  CHECK(openings[3].id == 4);
}

TEST_CASE("Openings: those of one name are numbered in their order", "[unit]") {
  std::vector<Opening> openings(4);
  const char* const names[] = {"outlet", "outlet", "opening2", ""};
  for (std::size_t k = 0; k < 4; ++k) {
    openings[k].area = 4.0 - static_cast<double>(k);
    openings[k].name = names[k];
  }
  orderOpenings(openings);
  CHECK(openings[0].name == "outlet");
  CHECK(openings[1].name == "outlet_2");
  CHECK(openings[2].name == "opening2");
  CHECK(openings[3].name == "opening4");
  for (Opening& opening : openings) opening.name = "end";
  openings[0].area = 0.5;
  orderOpenings(openings);
  CHECK(openings[3].name == "end_4");
  CHECK(openings[3].area == 0.5);
}

TEST_CASE("Openings: the shared vessels have the openings that others measured", "[unit]") {
  const std::filesystem::path data = TESSERA_SHARED_DATA;
  if (!std::filesystem::exists(data / "openings.json")) {
    WARN("skipped: the shared vessels are not beside this checkout");
    return;
  }
  const auto expected = nlohmann::json::parse(std::ifstream(data / "openings.json"));
  for (const auto& [file, entry] : expected.items()) {
    const Found found = openingsIn(readStl(data / file));
    const double voxel = boundsOf(found.mesh).longest() / 160.0;
    INFO(file);
    CHECK(found.openings.size() == entry.at("loops").size());
    for (const auto& loop : entry.at("loops")) {
      const auto centre = loop.at("centre").get<Double3>();
      const auto normal = loop.at("normal_up_to_sign").get<Double3>();
      const auto match = std::min_element(
          found.openings.begin(), found.openings.end(), [&](const Opening& a, const Opening& b) {
            return length(a.centre - centre) < length(b.centre - centre);
          });
      REQUIRE(match != found.openings.end());
      CHECK(length(match->centre - centre) < voxel);
      CHECK(std::abs(dot(match->normal, normal)) > std::cos(2.0 * std::numbers::pi / 180.0));
      CHECK(match->area == Approx(loop.at("area").get<double>()).epsilon(0.03));
    }
  }
}
