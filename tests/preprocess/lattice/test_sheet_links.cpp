// SPDX-License-Identifier: GPL-3.0-or-later
// Links that cross sheets: no leak in any direction, exact distances, one side for nodes on a
// sheet.
#include <bit>
#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "preprocess/lattice/connectivity/components.hpp"
#include "preprocess/lattice/connectivity/thinnest_channel.hpp"
#include "preprocess/lattice/links/links.hpp"
#include "preprocess/lattice/voxelise/voxelise.hpp"
#include "tests/fixtures/geometry/lattice_meshes.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::lattice;
using namespace tessera::test;

namespace {

constexpr std::array<Double3, 3> lattice{{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};

// A square around a point, of cells x cells quadrilaterals; label 1.
TriangleMesh squareSheet(const Double3& centre, const Double3& normal, double half, Index cells) {
  const auto [n, u, v] = axesAlong(normal);
  TriangleMesh mesh;
  for (Index j = 0; j <= cells; ++j)
    for (Index i = 0; i <= cells; ++i)
      mesh.vertex.push_back(centre + (half * (2.0 * i / cells - 1.0)) * u +
                            (half * (2.0 * j / cells - 1.0)) * v);
  for (Index j = 0; j < cells; ++j)
    for (Index i = 0; i < cells; ++i) {
      const Index at = i + (cells + 1) * j;
      mesh.triangle.push_back({at, at + 1, at + cells + 2});
      mesh.triangle.push_back({at, at + cells + 2, at + cells + 1});
    }
  mesh.label.assign(mesh.triangle.size(), 1);
  return mesh;
}

// The fluid in a box and its links with a sheet.
struct Box {
  Int3 nodes{15, 14, 16};
  TriangleMesh mesh = boxMesh({7.0, 6.5, 7.5}, lattice, {7.3, 6.8, 7.8});
  BitLattice fluid = voxelise(mesh, nodes, notPeriodic);
};

// Wall links by node and direction: distance and patch.
struct End {
  double distance;
  Patch patch;
  Double3 normal;
};
using LinkMap = std::map<std::pair<std::uint64_t, int>, End>;

LinkMap linksOf(const BoundaryNodes& boundary) {
  LinkMap links;
  std::size_t link = 0;
  for (std::size_t k = 0; k < boundary.node.size(); ++k)
    for (std::uint32_t rest = boundary.mask[k]; rest != 0; rest &= rest - 1, ++link)
      links[{boundary.node[k], std::countr_zero(rest)}] = {
          distanceFromCode(boundary.distance[link]), boundary.patch[link],
          normalFromCode(boundary.normal[k])};
  return links;
}

// Every cut link is a wall at both ends, whose distances add up to one, less if it crosses twice.
void checkBothEnds(const BitLattice& fluid, const std::vector<CutNode>& cuts,
                   const LinkMap& links) {
  for (const CutNode& cut : cuts)
    for (std::uint32_t rest = cut.links; rest != 0; rest &= rest - 1) {
      const int n = std::countr_zero(rest);
      const Int3 to = fluid.nodeAt(cut.node) + directionStep(n);
      const auto other = links.find({fluid.nodeIndex(to[0], to[1], to[2]), oppositeDirection(n)});
      REQUIRE(other != links.end());
      const double sum = links.at({cut.node, n}).distance + other->second.distance;
      REQUIRE(sum < 1.0 + 3.0 / 65536.0);
    }
}

// Checks that no path over uncut links leads from one side of a function to the other; nodes where
// it is zero may be on either. Returns the number of parts.
template <class Side>
std::size_t checkNoLeak(const BitLattice& fluid, const TriangleMesh& mesh,
                        const TriangleMesh& sheet, const Side& side) {
  const FoundLinks found = findLinks(fluid, notPeriodic, mesh, {}, sheet);
  const std::vector<CutNode> cuts = cutNodesOf(fluid, notPeriodic, found.boundary);
  checkBothEnds(fluid, cuts, linksOf(found.boundary));
  std::uint64_t before = 0;
  std::vector<std::uint64_t> seeds;  // of the first side
  for (int z = 0; z < fluid.size[2]; ++z)
    for (int y = 0; y < fluid.size[1]; ++y)
      for (int x = 0; x < fluid.size[0]; ++x) {
        if (!fluid.at(x, y, z)) continue;
        const double at = side(pointAt({x, y, z}));
        if (at < -1e-6) seeds.push_back(fluid.nodeIndex(x, y, z));
        before += at < 1e-6 ? 1 : 0;
      }
  REQUIRE_FALSE(seeds.empty());
  BitLattice reached = fluid;
  keepConnected(reached, notPeriodic, seeds, cuts);
  std::uint64_t leaked = 0;
  for (int z = 0; z < fluid.size[2]; ++z)
    for (int y = 0; y < fluid.size[1]; ++y)
      for (int x = 0; x < fluid.size[0]; ++x)
        if (reached.at(x, y, z) && side(pointAt({x, y, z})) > 1e-6) ++leaked;
  CHECK(leaked == 0);
  CHECK(reached.count() <= before);
  return partsOf(fluid, notPeriodic, {}, Neighbours::TwentySix, cuts).size();
}

void checkMembrane(const Double3& point, const Double3& direction, Index cells) {
  const Box box;
  INFO(point[0] << "," << point[1] << "," << point[2] << " across " << direction[0] << ","
                << direction[1] << "," << direction[2]);
  const Double3 normal = unit(direction);
  CHECK(checkNoLeak(box.fluid, box.mesh, squareSheet(point, normal, 16.0, cells),
                    [&](const Double3& at) { return dot(at - point, normal); }) == 2);
}

}  // namespace

TEST_CASE("Sheets: a membrane in each of the 26 directions lets nothing through", "[unit]") {
  for (const auto& [n, step] : stepsTo(Neighbours::TwentySix))
    for (const Double3& point :
         {Double3{7.0, 6.0, 8.0}, {7.5, 6.5, 7.5}, {7.0, 6.5, 8.0}, {6.81, 6.37, 7.93}})
      for (const Index cells : {1U, 32U}) checkMembrane(point, pointAt(step), cells);
}

TEST_CASE("Sheets: a membrane at a random angle lets nothing through", "[unit]") {
  std::mt19937 random(20);
  std::normal_distribution<double> any;
  std::uniform_real_distribution<double> shift(-1.5, 1.5);
  for (int k = 0; k < 40; ++k) {
    const Double3 direction{any(random), any(random), any(random)};
    checkMembrane({7.0, 6.0, 8.0}, direction, 1);
    checkMembrane({7.0 + shift(random), 6.0 + shift(random), 8.0 + shift(random)}, direction, 13);
  }
}

TEST_CASE("Sheets: folds, edges and corners on nodes let nothing through", "[unit]") {
  const Box box;
  const Double3 centre{7.0, 7.0, 8.0};
  const auto check = [&](TriangleMesh sheet, const auto& side) {
    sheet.label.assign(sheet.triangle.size(), 1);
    CHECK(checkNoLeak(box.fluid, box.mesh, sheet, side) == 2);
  };
  for (const double radius : {2.0, 3.0, 4.5}) {
    INFO(radius);
    // Octahedron: its faces, edges and corners run through nodes.
    check(sphereMesh(centre, radius, 4, 2), [&](const Double3& at) {
      const Double3 r = at - centre;
      return std::abs(r[0]) + std::abs(r[1]) + std::abs(r[2]) - radius;
    });
    check(boxMesh(centre, lattice, {radius, radius, radius}), [&](const Double3& at) {
      const Double3 r = at - centre;
      return std::max({std::abs(r[0]), std::abs(r[1]), std::abs(r[2])}) - radius;
    });
    const auto turned = axesAlong({1.0, 2.0, -1.0});
    check(boxMesh(centre, turned, {radius, radius, radius}), [&](const Double3& at) {
      double most = 0.0;
      for (const Double3& axis : turned) most = std::max(most, std::abs(dot(at - centre, axis)));
      return most - radius;
    });
  }
}

TEST_CASE("Sheets: a node on a sheet is on one side of it for all its links", "[unit]") {
  const Box box;
  const TriangleMesh sheet = squareSheet({7.0, 6.0, 8.0}, {0.0, 0.0, 1.0}, 16.0, 1);
  const FoundLinks found = findLinks(box.fluid, notPeriodic, box.mesh, {}, sheet);
  const LinkMap links = linksOf(found.boundary);
  for (const auto& [n, step] : stepsTo(Neighbours::TwentySix)) {
    // Nodes on the sheet count as above it.
    CHECK(links.count({box.fluid.nodeIndex(7, 6, 8), n}) == (step[2] < 0 ? 1 : 0));
    CHECK(links.count({box.fluid.nodeIndex(7, 6, 7), n}) == (step[2] > 0 ? 1 : 0));
    CHECK(links.count({box.fluid.nodeIndex(7, 6, 9), n}) == 0);
  }
  const End on = links.at({box.fluid.nodeIndex(7, 6, 8), directionOf(0, 0, -1)});
  CHECK(on.distance == 1.0 / 65536.0);
  CHECK(on.patch == 1);
  CHECK(on.normal[2] == Approx(-1.0));
  const End below = links.at({box.fluid.nodeIndex(7, 6, 7), directionOf(0, 0, 1)});
  CHECK(below.distance == 1.0);
  CHECK(below.normal[2] == Approx(1.0));
}

TEST_CASE("Sheets: distances are exact, and normals face away from the node on both sides",
          "[unit]") {
  const Box box;
  for (const Double3& direction : {Double3{0.3, -0.5, 0.81}, {0.7, 0.71, 0.02}, {-1.0, 0.1, 0.0}}) {
    const Double3 normal = unit(direction);
    const Double3 point{6.83, 6.31, 8.17};
    const TriangleMesh sheet = squareSheet(point, normal, 16.0, 9);
    const FoundLinks found = findLinks(box.fluid, notPeriodic, box.mesh, {}, sheet);
    CHECK(found.uncrossedLinks == 0);
    double worst = 0.0;
    std::size_t crossed = 0;
    for (const auto& [at, end] : linksOf(found.boundary)) {
      if (end.patch != 1) continue;
      ++crossed;
      const Double3 from = pointAt(box.fluid.nodeAt(at.first));
      const double height = dot(point - from, normal);
      const double slope = dot(pointAt(directionStep(at.second)), normal);
      worst = std::max(worst, std::abs(slope) * std::abs(end.distance - height / slope));
      // The nearest wall may be the box's.
      if (std::abs(height) < 0.5 && from[0] > 2 && from[0] < 12 && from[1] > 2 && from[1] < 11 &&
          from[2] > 2 && from[2] < 13)
        REQUIRE(dot(end.normal, normal) * height > 0.999 * std::abs(height));
    }
    CHECK(crossed > 1000);
    CHECK(worst < 1.0 / 65536.0 + 2e-5);
  }
}

TEST_CASE("Sheets: of a sheet and the wall behind it the nearer one takes a link", "[unit]") {
  const Box box;
  // The box ends at x = 14.3, z = 15.3.
  for (const double x : {13.6, 14.1, 14.6}) {
    const TriangleMesh sheet = squareSheet({x, 6.5, 7.5}, {1.0, 0.0, 0.0}, 16.0, 4);
    const LinkMap links = linksOf(findLinks(box.fluid, notPeriodic, box.mesh, {}, sheet).boundary);
    const int right = directionOf(1, 0, 0);
    if (x < 14.0) {
      const End end = links.at({box.fluid.nodeIndex(13, 6, 7), right});
      CHECK(end.patch == 1);
      CHECK(end.distance == Approx(x - 13.0).margin(2e-5));
    }
    const End last = links.at({box.fluid.nodeIndex(14, 6, 7), right});
    CHECK(last.patch == (x == 14.1 ? 1 : 0));
    CHECK(last.distance == Approx(x == 14.1 ? 0.1 : 0.3).margin(2e-5));
  }
}

TEST_CASE("Sheets: a link that crosses two ends on the nearer one at each end", "[unit]") {
  const Box box;
  const TriangleMesh sheets = joined(squareSheet({7.0, 6.5, 8.2}, {0.0, 0.0, 1.0}, 16.0, 3),
                                     squareSheet({7.0, 6.5, 8.7}, {0.0, 0.0, -1.0}, 16.0, 5));
  const LinkMap links = linksOf(findLinks(box.fluid, notPeriodic, box.mesh, {}, sheets).boundary);
  const End low = links.at({box.fluid.nodeIndex(7, 6, 8), directionOf(0, 0, 1)});
  const End high = links.at({box.fluid.nodeIndex(7, 6, 9), directionOf(0, 0, -1)});
  CHECK(low.distance == Approx(0.2).margin(2e-5));
  CHECK(high.distance == Approx(0.3).margin(2e-5));
  CHECK(low.normal[2] == Approx(1.0));
  CHECK(high.normal[2] == Approx(-1.0));
}

TEST_CASE("Sheets: the fluid is connected round a free edge, and through a hole", "[unit]") {
  const Box box;
  const TriangleMesh sheet = squareSheet({7.0, 6.5, 8.3}, {0.1, 0.2, 0.9}, 4.0, 6);
  const FoundLinks found = findLinks(box.fluid, notPeriodic, box.mesh, {}, sheet);
  CHECK(found.cutLinks > 500);
  CHECK(partsOf(box.fluid, notPeriodic, {}, Neighbours::TwentySix,
                cutNodesOf(box.fluid, notPeriodic, found.boundary))
            .size() == 1);
}

TEST_CASE("Sheets: across the ends of a periodic axis they are walls as elsewhere", "[unit]") {
  const std::array<bool, 3> periodic{true, false, false};
  const TriangleMesh tube = tubeMesh({-0.5, 9.2, 8.9}, {11.5, 9.2, 8.9}, 7.3, 64, false);
  const BitLattice fluid = voxelise(tube, {12, 19, 18}, periodic);
  for (const double x : {11.3, -0.2, 5.4}) {
    const TriangleMesh sheet = squareSheet({x, 9.0, 9.0}, {1.0, 0.0, 0.0}, 12.0, 8);
    const FoundLinks found = findLinks(fluid, periodic, tube, {}, sheet);
    const std::vector<CutNode> cuts = cutNodesOf(fluid, periodic, found.boundary);
    const std::vector<FluidPart> parts = partsOf(fluid, periodic, {}, Neighbours::TwentySix, cuts);
    REQUIRE(parts.size() == 1);
    CHECK_FALSE(parts[0].wraps[0]);
  }
}

TEST_CASE("Sheets: fluid that is behind one is not connected, whatever is nearest to the opening",
          "[unit]") {
  const Box box;
  const TriangleMesh sheet = squareSheet({7.0, 6.5, 8.3}, {0.0, 0.0, 1.0}, 16.0, 2);
  const FoundLinks found = findLinks(box.fluid, notPeriodic, box.mesh, {}, sheet);
  const std::vector<CutNode> cuts = cutNodesOf(box.fluid, notPeriodic, found.boundary);
  const std::vector<std::uint64_t> seeds{box.fluid.nodeIndex(3, 4, 8)};
  const ComponentCount count = countConnected(box.fluid, notPeriodic, seeds, cuts);
  CHECK(count.components == 2);
  CHECK(count.keptNodes == 15U * 14U * 9U);
  BitLattice left = box.fluid;
  keepConnected(left, notPeriodic, seeds, cuts);
  CHECK(left.count() == count.keptNodes);
  CHECK(left.at(3, 4, 8));
  CHECK_FALSE(left.at(3, 4, 9));
  BoundaryNodes boundary = found.boundary;
  dropSolid(left, boundary);
  CHECK(cutNodesOf(left, notPeriodic, boundary).empty());
  const FoundLinks again = findLinks(left, notPeriodic, box.mesh, {}, sheet);
  CHECK(boundary.node == again.boundary.node);
  CHECK(boundary.mask == again.boundary.mask);
  CHECK(boundary.distance == again.boundary.distance);
  CHECK(boundary.patch == again.boundary.patch);
  CHECK(boundary.normal == again.boundary.normal);
}

TEST_CASE("Sheets: the thinnest channel is the gap that they leave", "[unit]") {
  // A square duct along x, open at its ends, with a sheet across that leaves a slit at the top.
  for (const int gap : {1, 2, 3, 5, 8}) {
    TriangleMesh duct = boxMesh({14.5, 6.5, 5.5}, lattice, {15.0, 7.0, 6.0});
    duct.label = {
        0, 0, 0, 0, 0, 0, 0, 0, openingPatch(1), openingPatch(1), openingPatch(2), openingPatch(2)};
    const BitLattice fluid = voxelise(duct, {30, 14, 12}, notPeriodic);
    REQUIRE(fluid.count() == 30U * 14U * 12U);
    TriangleMesh sheet = squareSheet({14.7, 6.5, -0.5}, {1.0, 0.0, 0.0}, 12.0, 4);
    double top = -1e9;
    for (const Double3& v : sheet.vertex) top = std::max(top, v[2]);
    for (Double3& v : sheet.vertex) v[2] += 11.5 - gap - top;
    const FoundLinks found = findLinks(fluid, notPeriodic, duct, {}, sheet);
    const std::vector<CutNode> cuts = cutNodesOf(fluid, notPeriodic, found.boundary);
    const auto thinnest = findThinnestChannel(fluid, notPeriodic, found.boundary, cuts);
    REQUIRE(thinnest);
    CHECK(std::abs(thinnest->nodes - gap) <= 1);
  }
}
