// SPDX-License-Identifier: GPL-3.0-or-later
// Throats of tubes with a neck of known section at any angle, of branches, of valves and parallel
// paths, of plane lattices.
#include <bit>
#include <catch2/catch.hpp>

#include "preprocess/geometry/plane_axes.hpp"
#include "preprocess/lattice/links/links.hpp"
#include "preprocess/lattice/throats/throats.hpp"
#include "preprocess/lattice/voxelise/voxelise.hpp"
#include "tests/fixtures/geometry/lattice_meshes.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::lattice;
using namespace tessera::test;

namespace {

constexpr double spacing = 1e-4;

Opening openingAt(const Frame& frame, int id, const Double3& centre, const Double3& normal,
                  double area) {
  return {
      id,     "opening" + std::to_string(id),       frame.toWorld(centre),
      normal, area * frame.spacing * frame.spacing, std::sqrt(area / std::numbers::pi) * spacing};
}

// The tube in the lattice, its middle at the position returned.
LatticeGeometry tubeLattice(TriangleMesh mesh, const Double3& towards, Double3& middle,
                            double scale = 1.0) {
  Double3 low{1e9, 1e9, 1e9}, high{-1e9, -1e9, -1e9};
  for (const Double3& v : mesh.vertex)
    for (std::size_t a = 0; a < 3; ++a) {
      low[a] = std::min(low[a], v[a]);
      high[a] = std::max(high[a], v[a]);
    }
  LatticeGeometry geometry;
  geometry.frame.spacing = spacing;
  geometry.frame.origin = {0.01, 0.02, 0.03};
  Int3 size{};
  for (std::size_t a = 0; a < 3; ++a)
    size[a] = static_cast<int>(std::ceil(high[a] - low[a] - 1e-9));
  for (Double3& v : mesh.vertex) v = v - low - Double3{0.5, 0.5, 0.5};
  const Double3 along = unit(towards);
  const Double3 start = Double3{-0.5, -0.5, -0.5} - low;
  middle = start + (30.0 * scale) * along;
  geometry.fluid = voxelise(mesh, size, geometry.periodic);
  geometry.boundary = findLinks(geometry.fluid, geometry.periodic, mesh).boundary;
  for (const Double3& p : mesh.vertex)
    geometry.surface.vertex.push_back(
        {static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])});
  geometry.surface.triangle = mesh.triangle;
  geometry.surface.label = mesh.label;
  const double area = std::numbers::pi * 144.0 * scale * scale;
  geometry.openings = {openingAt(geometry.frame, 1, start, -1.0 * along, area),
                       openingAt(geometry.frame, 2, start + (60.0 * scale) * along, along, area)};
  return geometry;
}

// Nodes for which isFluid(x, y, z), open at the sides x- (1), x+ (2) and y+ (3).
template <class IsFluid>
LatticeGeometry openLattice(const Int3& size, int openings, const IsFluid& isFluid) {
  LatticeGeometry geometry;
  geometry.frame.spacing = spacing;
  geometry.fluid = BitLattice(size);
  for (int z = 0; z < size[2]; ++z)
    for (int y = 0; y < size[1]; ++y)
      for (int x = 0; x < size[0]; ++x)
        if (isFluid(x, y, z)) geometry.fluid.set(x, y, z);
  const std::array<BoxFace, 3> faces{{{0, false, 1}, {0, true, 2}, {1, true, 3}}};
  const Double3 normals[] = {{-1, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  for (int k = 0; k < openings; ++k)
    geometry.openings.push_back(openingAt(geometry.frame, k + 1, {0, 0, 0}, normals[k], 300.0));
  geometry.boundary = findImageLinks(geometry.fluid, geometry.periodic,
                                     std::span(faces).first(static_cast<std::size_t>(openings)))
                          .boundary;
  return geometry;
}

}  // namespace

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

TEST_CASE("Throats: sections in parallel are one throat with the sum of their areas", "[unit]") {
  const auto chambers = [](int x, int y, int z) {
    const bool isChamber = (x < 15 || x > 44) && std::abs(y - 20) < 18 && std::abs(z - 15) < 8;
    const bool isOne = std::hypot(y - 10.0, z - 15.0) < 5.0;
    const bool isOther = std::hypot(y - 30.0, z - 15.0) < 6.0;
    return std::array<bool, 3>{isChamber, isOne, isOther};
  };
  const auto both = [&](int x, int y, int z) {
    const auto [isChamber, isOne, isOther] = chambers(x, y, z);
    return isChamber || isOne || isOther;
  };
  const auto single = [&](int x, int y, int z) {
    const auto [isChamber, isOne, isOther] = chambers(x, y, z);
    return isChamber || isOther;
  };
  const double node = spacing * spacing;
  const std::vector<Throat> two = findThroats(openLattice({60, 41, 31}, 2, both));
  REQUIRE(two.size() == 1);
  CHECK(two.front().passages == 2);
  CHECK(two.front().area == Approx(std::numbers::pi * (25.0 + 36.0) * node).epsilon(0.1));
  const ThroatSearch search = searchThroats(openLattice({60, 41, 31}, 2, both));
  CHECK(search.notSearched.empty());
  REQUIRE(search.narrowestPassages.size() == 1);
  CHECK(search.narrowestPassages[0] == Approx(69.0 * node).epsilon(0.02));  // nodes of a disc
  CHECK(two.front().centre[1] == Approx(30.0 * spacing).margin(spacing));   // of the wider one
  const std::vector<Throat> found = findThroats(openLattice({60, 41, 31}, 2, single));
  REQUIRE(found.size() == 1);
  CHECK(found.front().passages == 1);
  CHECK(found.front().area == Approx(std::numbers::pi * 36.0 * node).epsilon(0.08));
}

TEST_CASE("Throats: more passages than are followed are one surface of least area", "[unit]") {
  // Chambers joined by round channels.
  const auto joinedBy = [](int channels) {
    LatticeGeometry geometry =
        openLattice({50, 12 * channels + 4, 25}, 2, [=](int x, int y, int z) {
          const bool isChamber = x < 15 || x > 34;
          const int within = (y - 2) % 12;
          const bool isChannel =
              y >= 2 && y < 12 * channels + 2 && std::hypot(within - 5.5, z - 12.0) < 4.0;
          return isChannel || (isChamber && y > 0 && y < 12 * channels + 3 && z > 3 && z < 21);
        });
    for (Opening& opening : geometry.openings) opening.area *= 3.0;  // wider than all channels
    return geometry;
  };
  const ThroatSearch six = searchThroats(joinedBy(6));
  CHECK(six.notSearched.empty());
  REQUIRE(six.throats.size() == 1);
  CHECK(six.throats[0].passages == 6);
  const ThroatSearch seven = searchThroats(joinedBy(7));
  CHECK(seven.notSearched.empty());
  REQUIRE(seven.throats.size() == 1);
  CHECK(seven.throats[0].passages == 7);
  CHECK(seven.throats[0].area == Approx(7.0 / 6.0 * six.throats[0].area).epsilon(0.05));
}

TEST_CASE("Throats: with more than 16 openings passages in parallel are one surface of least area",
          "[unit]") {
  // Channels of y from one side to a chamber, which round channels join to one at the other side.
  const auto branched = [](int branches, int channels) {
    LatticeGeometry geometry = openLattice({60, 12 * branches, 17}, 2, [=](int x, int y, int z) {
      const bool isBranch = x < 18 && std::hypot(y % 12 - 5.5, z - 8.0) < 5.0;
      const bool isChamber = x >= 18 && (x < 30 || x > 41) && y > 0 && y < 12 * branches - 1;
      const bool isChannel = x > 17 && y / 12 < channels && std::hypot(y % 12 - 5.5, z - 8.0) < 3.5;
      return isBranch || (isChamber && z > 1 && z < 15) || isChannel;
    });
    const Opening inlet = geometry.openings[0], outlet = geometry.openings[1];
    geometry.openings.assign(static_cast<std::size_t>(branches), inlet);
    geometry.openings.push_back(outlet);
    for (std::size_t k = 0; k < geometry.openings.size(); ++k)
      geometry.openings[k].id = static_cast<int>(k) + 1;
    std::size_t link = 0;
    for (std::size_t k = 0; k < geometry.boundary.node.size(); ++k) {
      const int y = geometry.fluid.nodeAt(geometry.boundary.node[k])[1];
      for (int n = std::popcount(geometry.boundary.mask[k]); n > 0; --n, ++link) {
        Patch& patch = geometry.boundary.patch[link];
        if (!isOpening(patch)) continue;
        patch = openingPatch(openingId(patch) == 1 ? 1 + y / 12 : branches + 1);
      }
    }
    return searchThroats(geometry);
  };
  const ThroatSearch many = branched(16, 2);  // 17 openings
  CHECK(many.notSearched.empty());
  CHECK(many.throats.size() == 16);
  CHECK(std::count_if(many.throats.begin(), many.throats.end(),
                      [](const Throat& throat) { return throat.passages == 2; }) == 1);
  const ThroatSearch single = branched(16, 1);
  CHECK(single.notSearched.empty());
  CHECK(single.throats.size() == 16);
  const ThroatSearch few = branched(15, 2);  // 16 openings
  CHECK(few.notSearched.empty());
  CHECK(few.throats.size() == 15);
}

namespace {

// Links that a sheet in the tube cuts, and its two sides in the surface.
std::vector<CutNode> addSheet(const TriangleMesh& sheet, LatticeGeometry& geometry) {
  TriangleMesh tube;
  Surface& surface = geometry.surface;
  for (const Float3& v : surface.vertex) tube.vertex.push_back({v[0], v[1], v[2]});
  tube.triangle = surface.triangle;
  tube.label = surface.label;
  geometry.boundary = findLinks(geometry.fluid, geometry.periodic, tube, {}, sheet).boundary;
  const auto first = static_cast<std::uint32_t>(surface.vertex.size());
  for (const Double3& v : sheet.vertex)
    surface.vertex.push_back(
        {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])});
  for (const auto& [p, q, r] : sheet.triangle) {
    surface.triangle.push_back({first + p, first + q, first + r});
    surface.triangle.push_back({first + p, first + r, first + q});
    surface.label.insert(surface.label.end(), 2, Patch{0});
  }
  surface.sheetTriangles = 2 * sheet.triangle.size();
  return cutNodesOf(geometry.fluid, geometry.periodic, geometry.boundary);
}

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

TEST_CASE("Throats: those of a plane lattice are widths", "[unit]") {
  // A channel of 19 nodes with a neck of 5, and one with a post that leaves 6 and 4 nodes.
  const auto flat = [](const auto& isFluid) {
    LatticeGeometry geometry = openLattice({60, 21, 1}, 2, isFluid);
    geometry.dimensions = 2;
    geometry.periodic[2] = true;
    const std::array<BoxFace, 2> faces{{{0, false, 1}, {0, true, 2}}};
    for (Opening& opening : geometry.openings) opening.radius = 9.5 * spacing;
    geometry.boundary = findImageLinks(geometry.fluid, geometry.periodic, faces).boundary;
    return findThroats(geometry);
  };
  const auto isChannel = [](int y) { return y > 0 && y < 20; };
  const std::vector<Throat> necked = flat([&](int x, int y, int) {
    return isChannel(y) && (std::abs(x - 30) > 3 || std::abs(y - 10) <= 2);
  });
  REQUIRE(necked.size() == 1);
  CHECK(necked.front().area == Approx(5.0 * spacing * spacing).epsilon(0.15));
  CHECK(necked.front().centre[0] == Approx(30.0 * spacing).margin(4.0 * spacing));
  const std::vector<Throat> post = flat(
      [&](int x, int y, int) { return isChannel(y) && (std::abs(x - 30) > 3 || y > 13 || y < 5); });
  REQUIRE(post.size() == 1);
  CHECK(post.front().passages == 2);
  CHECK(post.front().area == Approx(10.0 * spacing * spacing).epsilon(0.15));
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

namespace {

// Prism rings about an axis: a surface of revolution through (radius, height) pairs.
TriangleMesh turnedSheet(const Double3& middle, const Double3& axis,
                         const std::vector<std::array<double, 2>>& profile) {
  constexpr Index sides = 64;
  const PlaneAxes axes(axis);
  TriangleMesh mesh;
  for (const auto& [radius, height] : profile)
    for (Index k = 0; k < sides; ++k) {
      const double angle = 2.0 * std::numbers::pi * k / sides;
      mesh.vertex.push_back(middle + height * axis + radius * std::cos(angle) * axes.u +
                            radius * std::sin(angle) * axes.v);
    }
  for (Index ring = 0; ring + 1 < profile.size(); ++ring)
    for (Index k = 0; k < sides; ++k) {
      const Index a = sides * ring + k, b = sides * ring + (k + 1) % sides;
      mesh.triangle.push_back({a, a + sides, b + sides});
      mesh.triangle.push_back({a, b + sides, b});
    }
  mesh.label.assign(mesh.triangle.size(), Patch{0});
  return mesh;
}

double discOf(double radius) {
  return 32.0 * std::sin(std::numbers::pi / 32.0) * radius * radius;
}

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

TEST_CASE("Throats: a valve just before an opening is the throat", "[unit]") {
  for (const Double3& towards : {Double3{0, 0, 1}, {0.43, -0.85, 0.31}, {-2, 1, 0.3}})
    for (const double before : {0.8, 1.6, 2.4, 4.0}) {
      INFO("towards " << towards[0] << "," << towards[1] << "," << towards[2] << ", " << before
                      << " nodes before the opening");
      CHECK(throatWith(towards, {{{5.0, 30.0 - before}, {beyondWall, 30.0 - before}}}) ==
            Approx(discOf(5.0)).epsilon(before > 1.0 ? 0.2 : 0.5));
    }
}
