// SPDX-License-Identifier: GPL-3.0-or-later
// Throats of tubes with a neck of known section at any angle, of branches, near vessels and plane
// lattices.
#include <catch2/catch.hpp>
#include <functional>
#include <utility>

#include "preprocess/lattice/throats/throats.hpp"
#include "tests/fixtures/geometry/throat_lattices.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::lattice;
using namespace tessera::test;

TEST_CASE("Throats: a neck is found at any angle, with place, direction and area", "[unit]") {
  for (const Double3& towards :
       {Double3{1, 0, 0}, {0, 0, 1}, {1, 1, 0}, {1, 1, 1}, {3, 2, 1}, {-1, 2, 5}})
    for (const double radius : {3.0, 5.0, 8.0}) {
      INFO(towards[0] << "," << towards[1] << "," << towards[2] << " of radius " << radius);
      Double3 middle{};
      const LatticeGeometry geometry = tubeLattice(neckedTube(towards, radius), towards, middle);
      const std::vector<Throat> found = findThroats(geometry);
      REQUIRE(found.size() == 1);
      const Throat& throat = found.front();
      const double section =
          32.0 * radius * radius * std::sin(std::numbers::pi / 32.0) * spacing * spacing;
      CHECK(throat.area == Approx(section).epsilon(0.03));
      CHECK(length(throat.centre - geometry.frame.toWorld(middle)) < 2.0 * spacing);
      CHECK(dot(throat.normal, unit(towards)) > 0.97);
      CHECK(throat.openings == std::vector<int>{2});
    }
}

TEST_CASE("Throats: a tube of one width has its own section", "[unit]") {
  const Double3 towards{3, 1, 2};
  Double3 middle{};
  const LatticeGeometry geometry = tubeLattice(neckedTube(towards, 12.0), towards, middle);
  const std::vector<Throat> found = findThroats(geometry);
  REQUIRE(found.size() == 1);
  CHECK(found.front().area ==
        Approx(32.0 * 144.0 * std::sin(std::numbers::pi / 32.0) * spacing * spacing).epsilon(0.02));
}

TEST_CASE("Throats: a neck is found at any resolution", "[unit]") {
  for (const Double3& towards : {Double3{1, 0, 0}, {2, 1, 3}})
    for (const double scale : {0.6, 1.5, 2.2, 2.7, 3.3}) {
      INFO(towards[0] << "," << towards[1] << "," << towards[2] << " scaled by " << scale);
      TriangleMesh mesh = neckedTube(towards, 6.0);
      for (Double3& v : mesh.vertex) v = scale * v;
      Double3 middle{};
      LatticeGeometry geometry = tubeLattice(mesh, towards, middle, scale);
      const std::vector<Throat> found = findThroats(geometry);
      REQUIRE(found.size() == 1);
      const double radius = 6.0 * scale * spacing;
      CHECK(found.front().area ==
            Approx(32.0 * radius * radius * std::sin(std::numbers::pi / 32.0)).epsilon(0.03));
    }
}

TEST_CASE("Throats: every branch has its own, the narrowest first", "[unit]") {
  // Round channels on y = z = 20 to both ends of x, necks at 14 and 66, and to the end of y.
  const auto neck = [](double at, double depth) { return depth * std::exp(-at * at / 20.0); };
  const LatticeGeometry geometry = openLattice({80, 60, 41}, 3, [&](int x, int y, int z) {
    const double radius = 9.0 - neck(x - 14.0, 3.0) - neck(x - 66.0, 5.0);
    const bool isAlong = std::hypot(y - 20.0, z - 20.0) < radius;
    return isAlong || (y >= 20 && std::hypot(x - 40.0, z - 20.0) < 9.0 - neck(y - 44.0, 1.5));
  });
  const std::vector<Throat> found = findThroats(geometry);
  REQUIRE(found.size() == 2);  // between three openings
  CHECK(found[0].openings == std::vector<int>{2});
  CHECK(found[0].area == Approx(std::numbers::pi * 16.0 * spacing * spacing).epsilon(0.12));
  CHECK(found[0].centre[0] == Approx(66.0 * spacing).margin(1.5 * spacing));
  CHECK(found[0].normal[0] > 0.97);
  CHECK(found[1].openings == std::vector<int>{1});
  CHECK(found[1].area == Approx(std::numbers::pi * 36.0 * spacing * spacing).epsilon(0.12));
  CHECK(found[1].normal[0] < -0.97);
}

namespace {

// Plane lattice, open at x- (1) and x+ (2), of which `width` nodes are.
ThroatSearch throatsOfFlat(const Int3& size, double width,
                           const std::function<bool(int, int, int)>& isFluid) {
  LatticeGeometry geometry = openLattice(size, 2, isFluid);
  geometry.dimensions = 2;
  geometry.periodic[2] = true;
  const std::array<BoxFace, 2> faces{{{0, false, 1}, {0, true, 2}}};
  for (Opening& opening : geometry.openings) {
    opening.radius = 0.5 * width * spacing;
    opening.centre =
        geometry.frame.toWorld({opening.id == 1 ? -0.5 : size[0] - 0.5, 0.5 * (size[1] - 1), 0.0});
  }
  geometry.boundary = findImageLinks(geometry.fluid, geometry.periodic, faces).boundary;
  return searchThroats(geometry);
}

}  // namespace

TEST_CASE("Throats: those of a plane lattice are widths", "[unit]") {
  // A channel of 19 nodes with a neck of 5, and one with a post that leaves 6 and 4 nodes.
  const auto isChannel = [](int y) { return y > 0 && y < 20; };
  const std::vector<Throat> necked =
      throatsOfFlat({60, 21, 1}, 19, [&](int x, int y, int) {
        return isChannel(y) && (std::abs(x - 30) > 3 || std::abs(y - 10) <= 2);
      }).throats;
  REQUIRE(necked.size() == 1);
  CHECK(necked.front().area == Approx(5.0 * spacing * spacing).epsilon(0.15));
  CHECK(necked.front().centre[0] == Approx(30.0 * spacing).margin(4.0 * spacing));
  const std::vector<Throat> post =
      throatsOfFlat({60, 21, 1}, 19, [&](int x, int y, int) {
        return isChannel(y) && (std::abs(x - 30) > 3 || y > 13 || y < 5);
      }).throats;
  REQUIRE(post.size() == 1);
  CHECK(post.front().passages == 2);
  CHECK(post.front().area == Approx(10.0 * spacing * spacing).epsilon(0.15));
}

TEST_CASE("Throats: a plane channel shorter than wide has its width", "[unit]") {
  const auto [extent, wide] =
      GENERATE(std::pair{6, 12}, std::pair{10, 12}, std::pair{6, 48}, std::pair{30, 48});
  INFO(extent << " long, " << wide << " wide");
  const ThroatSearch search = throatsOfFlat(
      {extent, wide + 2, 1}, wide, [wide = wide](int, int y, int) { return y > 0 && y <= wide; });
  CHECK(search.notSearched.empty());
  REQUIRE(search.throats.size() == 1);
  CHECK(search.throats.front().area == Approx(wide * spacing * spacing).epsilon(0.08));
}

TEST_CASE("Throats: where none are searched the reason is known", "[unit]") {
  LatticeGeometry geometry =
      openLattice({30, 21, 21}, 2, [](int, int y, int z) { return y > 3 && z > 3; });
  CHECK(whyThroatsAreNotSearched(geometry).empty());
  CHECK(findThroats(geometry).size() == 1);
  geometry.periodic[2] = true;
  CHECK(whyThroatsAreNotSearched(geometry) == "periodic axes");
  CHECK(findThroats(geometry).empty());
  geometry.periodic[2] = false;
  geometry.openings.resize(65, geometry.openings[0]);
  CHECK(whyThroatsAreNotSearched(geometry) == "more than 64 openings");
  CHECK(findThroats(geometry).empty());
  geometry.openings.resize(1);
  CHECK(whyThroatsAreNotSearched(geometry) == "fewer than two openings");
}

TEST_CASE("Throats: vessels that nearly touch have each their own", "[unit]") {
  // 0.3 nodes apart, so that no node lies between them; the second has a neck.
  for (const Double3& towards : {Double3{0, 0, 1}, {0.43, -0.85, 0.31}, {1, 1, 0}, {-2, 1, 5}}) {
    INFO("towards " << towards[0] << "," << towards[1] << "," << towards[2]);
    const Double3 along = unit(towards), aside = 24.3 * PlaneAxes(along).u;
    TriangleMesh second = neckedTube(towards, 6.0);
    for (Double3& v : second.vertex) v = v + aside;
    for (Patch& label : second.label)
      if (isOpening(label)) label = openingPatch(openingId(label) + 2);
    Double3 middle{};
    LatticeGeometry geometry =
        tubeLattice(joined(neckedTube(towards, 12.0), second), towards, middle);
    for (const int id : {1, 2}) {
      Opening other = geometry.openings[static_cast<std::size_t>(id) - 1];
      other.id = id + 2;
      other.centre = other.centre + spacing * aside;
      other.part = 2;
      geometry.openings.push_back(other);
    }
    const std::vector<CutNode> cuts =
        cutNodesOf(geometry.fluid, geometry.periodic, geometry.boundary);
    REQUIRE(cuts.size() > 100);
    const ThroatSearch search = searchThroats(geometry, cuts);
    CHECK(search.notSearched.empty());
    REQUIRE(search.throats.size() == 2);
    CHECK(search.narrowestPassages.size() == 2);
    CHECK(search.throats[0].openings == std::vector<int>{4});
    CHECK(search.throats[0].area == Approx(discOf(6.0) * spacing * spacing).epsilon(0.03));
    CHECK(search.throats[0].passages == 1);
    CHECK(search.throats[1].openings == std::vector<int>{2});
    CHECK(search.throats[1].area == Approx(discOf(12.0) * spacing * spacing).epsilon(0.03));
    for (Opening& opening : geometry.openings) opening.part = opening.id;  // as without a path
    CHECK(findThroats(geometry, cuts).empty());
  }
}

TEST_CASE("Throats: a solid body in the vessel leaves a ring", "[unit]") {
  for (const Double3& towards : {Double3{0, 0, 1}, {1, 0, 0}, {0.43, -0.85, 0.31}}) {
    INFO("towards " << towards[0] << "," << towards[1] << "," << towards[2]);
    TriangleMesh ball = sphereMesh(30.0 * unit(towards), 7.0, 48, 24);
    for (Triangle& t : ball.triangle) std::swap(t[1], t[2]);
    Double3 middle{};
    const LatticeGeometry geometry =
        tubeLattice(joined(neckedTube(towards, 12.0), ball), towards, middle);
    const ThroatSearch search = searchThroats(geometry);
    CHECK(search.notSearched.empty());
    REQUIRE(search.throats.size() == 1);
    CHECK(search.throats[0].area ==
          Approx((discOf(12.0) - std::numbers::pi * 49.0) * spacing * spacing).epsilon(0.04));
  }
}
