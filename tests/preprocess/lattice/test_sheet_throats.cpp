// SPDX-License-Identifier: GPL-3.0-or-later
// Throats that sheets make: valves, cones of leaflets, membranes, flaps.
#include <catch2/catch.hpp>

#include "preprocess/lattice/throats/throats.hpp"
#include "tests/fixtures/geometry/throat_lattices.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::lattice;
using namespace tessera::test;

namespace {

// nodes^2, of the only throat of a tube of radius 12 with sheets about the middle of its axis.
double throatWith(const Double3& towards,
                  const std::vector<std::vector<std::array<double, 2>>>& profiles) {
  Double3 middle{};
  LatticeGeometry geometry = tubeLattice(neckedTube(towards, 12.0), towards, middle);
  TriangleMesh sheets;
  for (const auto& profile : profiles)
    sheets = joined(std::move(sheets), turnedSheet(middle, unit(towards), profile));
  const std::vector<CutNode> cuts = addSheet(sheets, geometry);
  const ThroatSearch search = searchThroats(geometry, cuts);
  CHECK(search.notSearched.empty());
  REQUIRE(search.throats.size() == 1);
  return search.throats[0].area / (spacing * spacing);
}

constexpr double beyondWall = 12.6;

}  // namespace

TEST_CASE("Throats: the orifice of a valve and the slit at its rim are one throat", "[unit]") {
  // Free, with a slit that the lattice has in pieces, and joined to the wall.
  for (const auto& [outer, towards] :
       {std::pair{9.0, Double3{1, 0, 0}}, std::pair{11.5, Double3{1, 0, 0}},
        std::pair{12.5, Double3{1, 0, 0}}, std::pair{9.0, Double3{0.8, 0.45, 0.25}}}) {
    INFO("outer radius " << outer << ", towards " << towards[1]);
    Double3 middle{};
    LatticeGeometry geometry = tubeLattice(neckedTube(towards, 12.0), towards, middle);
    const Double3 axis = unit(towards);
    const PlaneAxes axes(axis);
    TriangleMesh valve;
    constexpr std::uint32_t sides = 64;
    for (std::uint32_t k = 0; k < sides; ++k)
      for (const double radius : {5.0, outer}) {
        const double angle = 2.0 * std::numbers::pi * k / sides;
        valve.vertex.push_back(middle + 0.3 * axis + radius * std::cos(angle) * axes.u +
                               radius * std::sin(angle) * axes.v);
      }
    for (std::uint32_t k = 0; k < sides; ++k) {
      const std::uint32_t a = 2 * k, b = 2 * ((k + 1) % sides);
      valve.triangle.push_back({a, a + 1, b + 1});
      valve.triangle.push_back({a, b + 1, b});
    }
    valve.label.assign(valve.triangle.size(), Patch{0});
    const std::vector<CutNode> cuts = addSheet(valve, geometry);
    REQUIRE(cuts.size() > 100);
    const ThroatSearch search = searchThroats(geometry, cuts);
    CHECK(search.notSearched.empty());
    REQUIRE(search.throats.size() == 1);
    const Throat& throat = search.throats.front();
    const bool isFree = outer < 12.0;
    const double open = 25.0 + (isFree ? 144.0 - outer * outer : 0.0);
    CHECK(throat.passages == (isFree ? 2 : 1));
    CHECK(throat.area == Approx(std::numbers::pi * open * spacing * spacing).epsilon(0.1));
    const Double3 apart = throat.centre - geometry.frame.toWorld(middle);
    CHECK(std::abs(dot(apart, axis)) < 1.5 * spacing);
  }
}

TEST_CASE("Throats: passages along a sheet have the whole section, where it parts an opening too",
          "[unit]") {
  const Double3 towards{1, 0.2, 0};
  // From one opening to the middle, between the two, and from one to the other.
  for (const auto& [from, to] :
       {std::pair{-31.0, 4.0}, std::pair{-18.0, 12.0}, std::pair{-31.0, 31.0}})
    for (const double aside : {0.0, 5.0}) {  // of the axis
      INFO("sheet from " << from << " to " << to << ", " << aside << " from the axis");
      Double3 middle{};
      LatticeGeometry geometry = tubeLattice(neckedTube(towards, 12.0), towards, middle);
      const Double3 along = unit(towards), up{0, 0, 1}, across = cross(up, along);
      TriangleMesh flap;
      for (const double x : {from, to})
        for (const double y : {-14.0, 14.0})
          flap.vertex.push_back(middle + x * along + y * across + (aside + 0.27) * up);
      flap.triangle = {{0, 2, 3}, {0, 3, 1}};
      flap.label.assign(2, Patch{0});
      const std::vector<CutNode> cuts = addSheet(flap, geometry);
      const ThroatSearch search = searchThroats(geometry, cuts);
      CHECK(search.notSearched.empty());
      REQUIRE(search.throats.size() == 1);
      CHECK(search.throats[0].openings == std::vector<int>{2});
      CHECK(search.throats[0].area ==
            Approx(std::numbers::pi * 144.0 * spacing * spacing).epsilon(0.03));
    }
}

TEST_CASE("Throats: of valves one behind the other the narrowest is the throat", "[unit]") {
  for (const Double3& towards : {Double3{1, 0, 0}, {0.8, 0.45, 0.25}, {1, 2, 3}, {-2, 1, 0.3}}) {
    INFO("towards " << towards[0] << "," << towards[1] << "," << towards[2]);
    CHECK(
        throatWith(towards, {{{5.0, -6.2}, {beyondWall, -6.2}}, {{7.0, 4.3}, {beyondWall, 4.3}}}) ==
        Approx(discOf(5.0)).epsilon(0.08));
    // With a slit at the rims.
    CHECK(throatWith(towards, {{{4.8, -4.2}, {11.2, -4.2}}, {{6.4, 3.1}, {11.0, 3.1}}}) ==
          Approx(discOf(4.8) + discOf(12.0) - discOf(11.2)).epsilon(0.12));
    CHECK(throatWith(towards, {{{7.0, -14.2}, {beyondWall, -14.2}},
                               {{5.4, 0.1}, {beyondWall, 0.1}},
                               {{6.2, 9.3}, {10.8, 9.3}}}) == Approx(discOf(5.4)).epsilon(0.08));
  }
}

TEST_CASE("Throats: a cone of leaflets has its orifice and the slit at its base", "[unit]") {
  for (const Double3& towards : {Double3{1, 0, 0}, {0.8, 0.45, 0.25}, {1, 1, 1}}) {
    INFO("towards " << towards[0] << "," << towards[1] << "," << towards[2]);
    CHECK(throatWith(towards, {{{5.0, 6.2}, {11.0, -4.1}}}) ==
          Approx(discOf(5.0) + discOf(12.0) - discOf(11.0)).epsilon(0.12));
    CHECK(throatWith(towards, {{{5.0, 6.2}, {beyondWall, -4.1}}}) ==
          Approx(discOf(5.0)).epsilon(0.08));
  }
}

TEST_CASE("Throats: a slit of about a node is the throat of a membrane without another passage",
          "[unit]") {
  for (const Double3& towards : {Double3{1, 0, 0}, {0.8, 0.45, 0.25}}) {
    INFO("towards " << towards[0] << "," << towards[1] << "," << towards[2]);
    CHECK(throatWith(towards, {{{0.01, 0.3}, {10.8, 0.3}}}) ==
          Approx(discOf(12.0) - discOf(10.8)).epsilon(0.2));
  }
}

TEST_CASE("Throats: a valve just before an opening is the throat", "[unit]") {
  for (const Double3& towards : {Double3{0, 0, 1}, {0.43, -0.85, 0.31}, {-2, 1, 0.3}})
    for (const double before : {0.02, 0.1, 0.3, 0.5, 0.8, 1.6, 2.4, 4.0}) {
      INFO("towards " << towards[0] << "," << towards[1] << "," << towards[2] << ", " << before
                      << " nodes before the opening");
      CHECK(throatWith(towards, {{{5.0, 30.0 - before}, {beyondWall, 30.0 - before}}}) ==
            Approx(discOf(5.0)).epsilon(before > 1.0 ? 0.2 : 0.01));
    }
}

TEST_CASE("Throats: a valve at an opening has its place, passages and openings", "[unit]") {
  const Double3 towards{0.43, -0.85, 0.31};
  for (const double end : {-30.0, 30.0}) {
    INFO("at " << end);
    Double3 middle{};
    LatticeGeometry geometry = tubeLattice(neckedTube(towards, 12.0), towards, middle);
    const double at = end > 0.0 ? end - 0.2 : end + 0.2;
    // An orifice, and a slit at the rim that is wider than it.
    const std::vector<CutNode> cuts =
        addSheet(turnedSheet(middle, unit(towards), {{3.0, at}, {11.0, at}}), geometry);
    const ThroatSearch search = searchThroats(geometry, cuts);
    CHECK(search.notSearched.empty());
    REQUIRE(search.throats.size() == 1);
    const Throat& throat = search.throats[0];
    CHECK(throat.openings == std::vector<int>{2});
    CHECK(dot(throat.normal, unit(towards)) > 0.999);
    CHECK(throat.passages == 2);
    const double node = spacing * spacing;
    CHECK(throat.area == Approx((discOf(3.0) + discOf(12.0) - discOf(11.0)) * node).epsilon(0.01));
    CHECK(search.narrowestPassages.at(0) == Approx(discOf(3.0) * node).epsilon(0.02));
    CHECK(std::abs(dot(throat.centre - geometry.frame.toWorld(middle), unit(towards)) -
                   end * spacing) < 0.1 * spacing);
  }
  // A sheet along the axis covers nothing of an opening that it reaches.
  Double3 middle{};
  LatticeGeometry geometry = tubeLattice(neckedTube(towards, 12.0), towards, middle);
  const std::vector<CutNode> cuts =
      addSheet(turnedSheet(middle, unit(towards), {{6.0, 20.0}, {6.0, 29.9}}), geometry);
  const ThroatSearch search = searchThroats(geometry, cuts);
  REQUIRE(search.throats.size() == 1);
  CHECK(search.throats[0].area == Approx(discOf(12.0) * spacing * spacing).epsilon(0.05));
}
