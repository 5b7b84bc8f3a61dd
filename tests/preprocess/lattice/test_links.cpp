// SPDX-License-Identifier: GPL-3.0-or-later
// Links against brute-force ray casting over all triangles and against analytic distances.
#include <tbb/global_control.h>

#include <bit>
#include <catch2/catch.hpp>
#include <limits>
#include <map>
#include <optional>

#include "preprocess/lattice/links/links.hpp"
#include "preprocess/lattice/voxelise/voxelise.hpp"
#include "tests/fixtures/geometry/lattice_meshes.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::lattice;
using namespace tessera::test;

namespace {

Int3 nodeAt(const BitLattice& fluid, std::uint64_t node) {
  const auto nx = static_cast<std::uint64_t>(fluid.size[0]);
  const auto ny = static_cast<std::uint64_t>(fluid.size[1]);
  return {static_cast<int>(node % nx), static_cast<int>(node / nx % ny),
          static_cast<int>(node / nx / ny)};
}
// visit(boundary index, node, direction, link index)
template <class Visit>
void forEachLink(const BitLattice& fluid, const BoundaryNodes& boundary, const Visit& visit) {
  std::size_t link = 0;
  for (std::size_t k = 0; k < boundary.node.size(); ++k)
    for (std::uint32_t rest = boundary.mask[k]; rest != 0; rest &= rest - 1)
      visit(k, nodeAt(fluid, boundary.node[k]), std::countr_zero(rest), link++);
}

// Link mask of a node by definition.
std::uint32_t plainMask(const BitLattice& fluid, const std::array<bool, 3>& periodic,
                        const Int3& node) {
  std::uint32_t mask = 0;
  for (int n = 0; n < 27; ++n) {
    Int3 to = node;
    for (std::size_t a = 0; a < 3; ++a) {
      to[a] += directionStep(n)[a];
      if (periodic[a]) to[a] = (to[a] + fluid.size[a]) % fluid.size[a];
    }
    if (!fluid.inside(to[0], to[1], to[2]) || !fluid.at(to[0], to[1], to[2])) mask |= 1U << n;
  }
  return mask;
}

void checkMasks(const BitLattice& fluid, const std::array<bool, 3>& periodic,
                const BoundaryNodes& boundary) {
  std::size_t k = 0;
  for (int z = 0; z < fluid.size[2]; ++z)
    for (int y = 0; y < fluid.size[1]; ++y)
      for (int x = 0; x < fluid.size[0]; ++x) {
        if (!fluid.at(x, y, z)) continue;
        const std::uint32_t mask = plainMask(fluid, periodic, {x, y, z});
        if (mask == 0) continue;
        REQUIRE(k < boundary.node.size());
        REQUIRE(boundary.node[k] == fluid.nodeIndex(x, y, z));
        REQUIRE(boundary.mask[k] == mask);
        ++k;
      }
  CHECK(k == boundary.node.size());
}

// Nearest crossing along from + t * step for t in 0 .. 1 (Moeller & Trumbore 1997), all triangles.
struct Hit {
  double distance;
  Patch patch;
};
std::optional<Hit> castRay(const TriangleMesh& mesh, const Double3& from, const Double3& step) {
  std::optional<Hit> first;
  for (std::size_t t = 0; t < mesh.triangle.size(); ++t) {
    const Double3& a = mesh.vertex[mesh.triangle[t][0]];
    const Double3 ab = mesh.vertex[mesh.triangle[t][1]] - a;
    const Double3 ac = mesh.vertex[mesh.triangle[t][2]] - a;
    const Double3 p = cross(step, ac);
    const double determinant = dot(ab, p);
    if (determinant == 0.0) continue;
    const double u = dot(from - a, p) / determinant;
    const Double3 q = cross(from - a, ab);
    const double v = dot(step, q) / determinant;
    const double distance = dot(ac, q) / determinant;
    constexpr double slack = 1e-5;
    if (u < -slack || v < -slack || u + v > 1.0 + slack) continue;
    if (distance < -slack || distance > 1.0 + slack) continue;
    if (!first || distance < first->distance) first = Hit{distance, mesh.label[t]};
  }
  return first;
}

void checkAgainstRays(const TriangleMesh& mesh, const Int3& nodes) {
  const BitLattice fluid = voxelise(mesh, nodes, notPeriodic);
  const FoundLinks found = findLinks(fluid, notPeriodic, mesh);
  checkMasks(fluid, notPeriodic, found.boundary);
  CHECK(found.uncrossedLinks == 0);
  CHECK(found.wallLinks + found.openingLinks == found.boundary.patch.size());
  double worst = 0.0;
  std::size_t otherPatch = 0;
  forEachLink(fluid, found.boundary, [&](std::size_t, const Int3& node, int n, std::size_t link) {
    const auto hit = castRay(mesh, pointAt(node), pointAt(directionStep(n)));
    REQUIRE(hit);
    worst =
        std::max(worst, std::abs(distanceFromCode(found.boundary.distance[link]) - hit->distance));
    otherPatch += found.boundary.patch[link] != hit->patch ? 1 : 0;
  });
  CHECK(worst < 1.0 / 65536.0 + 2e-5);
  // A link through the rim between two patches may be given to either.
  CHECK(otherPatch <= found.boundary.patch.size() / 1000);
}

// All crossings along from + t * step for t in 0 .. 1, ascending.
std::vector<double> allHits(const TriangleMesh& mesh, const Double3& from, const Double3& step) {
  std::vector<double> hits;
  for (std::size_t t = 0; t < mesh.triangle.size(); ++t) {
    const TriangleMesh one{{mesh.vertex[mesh.triangle[t][0]], mesh.vertex[mesh.triangle[t][1]],
                            mesh.vertex[mesh.triangle[t][2]]},
                           {{0, 1, 2}},
                           {0}};
    if (const auto hit = castRay(one, from, step)) hits.push_back(hit->distance);
  }
  std::sort(hits.begin(), hits.end());
  return hits;
}

// With normals that point in: a solid within a fluid.
TriangleMesh insideOut(TriangleMesh mesh) {
  for (auto& t : mesh.triangle) std::swap(t[1], t[2]);
  return mesh;
}

// Checks that a plate of a thickness, in nodes, inside a box cuts all links that cross it and no
// others, at both ends, at the exact distances.
void checkPlate(const Double3& normal, double thickness) {
  constexpr std::array<Double3, 3> lattice{{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
  const Double3 middle{9.63, 10.41, 9.87};
  const TriangleMesh mesh =
      joined(boxMesh(middle, lattice, {8.9, 9.1, 8.7}),
             insideOut(boxMesh(middle, axesAlong(normal), {0.5 * thickness, 4.3, 5.1})));
  const BitLattice fluid = voxelise(mesh, {20, 21, 20}, notPeriodic);
  const FoundLinks found = findLinks(fluid, notPeriodic, mesh);
  std::map<std::pair<std::uint64_t, int>, double> distance;
  forEachLink(fluid, found.boundary, [&](std::size_t k, const Int3&, int n, std::size_t link) {
    distance[{found.boundary.node[k], n}] = distanceFromCode(found.boundary.distance[link]);
  });
  std::uint64_t cut = 0;
  for (int z = 0; z < 20; ++z)
    for (int y = 0; y < 21; ++y)
      for (int x = 0; x < 20; ++x) {
        if (!fluid.at(x, y, z)) continue;
        const std::uint32_t leaving = plainMask(fluid, notPeriodic, {x, y, z});
        for (int n = 0; n < 27; ++n) {
          if (n == restDirection || (leaving >> n & 1U) != 0) continue;
          const auto hits = allHits(mesh, pointAt(Int3{x, y, z}), pointAt(directionStep(n)));
          const auto at = distance.find({fluid.nodeIndex(x, y, z), n});
          // A ray through an edge hits two triangles at one distance.
          const bool crosses = hits.size() >= 2 && hits.back() - hits.front() > 1e-3;
          REQUIRE((at != distance.end()) == crosses);
          if (!crosses) continue;
          ++cut;
          CHECK(std::abs(at->second - hits.front()) < 1.0 / 65536.0 + 2e-5);
        }
      }
  CHECK(cut > 100);
  CHECK(found.cutLinks == cut);
}

// Parameter where a ray leaves a ball that it starts in.
double leavesBall(const Double3& from, const Double3& step, const Double3& centre, double radius) {
  const Double3 r = from - centre;
  const double b = dot(r, step);
  const double a = dot(step, step);
  return (-b + std::sqrt(b * b - a * (dot(r, r) - radius * radius))) / a;
}
}  // namespace

TEST_CASE("Links: a sphere, a slanted tube and a coarse prism agree with ray casting", "[unit]") {
  checkAgainstRays(sphereMesh({9.3, 9.1, 9.7}, 8.2, 40, 20), {20, 19, 19});
  checkAgainstRays(tubeMesh({7.1, 8.3, 7.7}, {26.2, 16.1, 12.9}, 5.9, 24, true), {34, 26, 22});
  checkAgainstRays(tubeMesh({8.1, 8.3, 7.2}, {24.2, 18.1, 14.9}, 6.3, 3, true), {32, 28, 24});
}

TEST_CASE("Links: a plate thinner than a link is a wall in every direction", "[unit]") {
  for (const double thickness : {0.02, 0.3}) {
    for (const Int3& step : {Int3{1, 0, 0}, Int3{0, 1, 0}, Int3{0, 0, 1}, Int3{1, 1, 0},
                             Int3{1, 0, -1}, Int3{1, 1, 1}})
      checkPlate(pointAt(step), thickness);
    for (const Double3& normal :
         {Double3{0.83, 0.31, 0.46}, Double3{-0.12, 0.94, 0.33}, Double3{0.41, -0.52, 0.75}})
      checkPlate(normal, thickness);
  }
}

TEST_CASE("Links: two vessels that nearly touch are not connected", "[unit]") {
  const TriangleMesh mesh = joined(tubeMesh({3.1, 6.2, 7.3}, {25.2, 6.2, 7.3}, 4.4, 48, true),
                                   tubeMesh({3.1, 15.2, 7.3}, {25.2, 15.2, 7.3}, 4.4, 48, true));
  const BitLattice fluid = voxelise(mesh, {29, 22, 15}, notPeriodic);
  const FoundLinks found = findLinks(fluid, notPeriodic, mesh);
  CHECK(found.cutLinks > 0);
  const std::vector<CutNode> cuts = cutNodesOf(fluid, notPeriodic, found.boundary);
  CHECK(partsOf(fluid, notPeriodic, {}).size() == 1);
  const std::vector<FluidPart> parts = partsOf(fluid, notPeriodic, {}, Neighbours::TwentySix, cuts);
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].nodes + parts[1].nodes == fluid.count());
}

TEST_CASE("Links: overlapping parts are one fluid, and a gap of one within another is none",
          "[unit]") {
  constexpr std::array<Double3, 3> lattice{{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
  const Int3 nodes{24, 14, 14};
  const auto cutsOf = [&](const TriangleMesh& mesh) {
    const Voxels voxels = nodesInside(mesh, {}, nodes, notPeriodic);
    const auto deeper = nodesInOverlaps(mesh, {}, nodes, notPeriodic, voxels);
    return findLinks(voxels.fluid, notPeriodic, mesh, deeper).cutLinks;
  };
  const TriangleMesh left = boxMesh({6.3, 6.4, 6.6}, lattice, {5.1, 5.2, 5.3});
  const TriangleMesh abutting = boxMesh({16.5, 6.4, 6.6}, lattice, {5.1, 5.2, 5.3});
  const TriangleMesh beyondGap = boxMesh({16.9, 6.4, 6.6}, lattice, {5.1, 5.2, 5.3});
  const TriangleMesh around = boxMesh({11.5, 6.4, 6.6}, lattice, {10.9, 6.1, 6.2});
  CHECK(cutsOf(joined(left, boxMesh({14.1, 6.4, 6.6}, lattice, {5.1, 5.2, 5.3}))) == 0);
  CHECK(cutsOf(joined(left, abutting)) == 0);
  CHECK(cutsOf(joined(left, beyondGap)) > 0);
  CHECK(cutsOf(joined(around, joined(left, beyondGap))) == 0);
}

TEST_CASE("Links: where walls pass through nodes every link still ends on the surface", "[unit]") {
  const TriangleMesh mesh = tubeMesh({4.0, 10.0, 10.0}, {20.0, 10.0, 10.0}, 8.0, 4, true);
  const BitLattice fluid = voxelise(mesh, {24, 20, 20}, notPeriodic);
  const FoundLinks found = findLinks(fluid, notPeriodic, mesh);
  checkMasks(fluid, notPeriodic, found.boundary);
  CHECK(found.uncrossedLinks < found.boundary.patch.size() / 100);
  double worst = 0.0;
  forEachLink(fluid, found.boundary, [&](std::size_t, const Int3& node, int n, std::size_t link) {
    const Double3 end =
        pointAt(node) + distanceFromCode(found.boundary.distance[link]) * pointAt(directionStep(n));
    const double outside =
        std::max({(std::abs(end[1] - 10.0) + std::abs(end[2] - 10.0) - 8.0) / std::numbers::sqrt2,
                  4.0 - end[0], end[0] - 20.0});
    worst = std::max(worst, std::abs(outside));
  });
  CHECK(worst < 1e-4);
}

TEST_CASE("Links: distances to a sphere are the analytic ones in all 26 directions", "[unit]") {
  const Double3 centre{30.2, 30.9, 31.3};
  const TriangleMesh mesh = sphereMesh(centre, 28.4, 600, 300);
  const BitLattice fluid = voxelise(mesh, {61, 62, 63}, notPeriodic);
  const FoundLinks found = findLinks(fluid, notPeriodic, mesh);
  std::array<double, 27> worst{};
  double worstNormal = 0.0;
  forEachLink(fluid, found.boundary, [&](std::size_t k, const Int3& node, int n, std::size_t link) {
    const double exact = leavesBall(pointAt(node), pointAt(directionStep(n)), centre, 28.4);
    double& w = worst[static_cast<std::size_t>(n)];
    // Grazing links magnify the facets' sagitta (0.004) by the slope; weigh by it.
    const Double3 hit = pointAt(node) + exact * pointAt(directionStep(n)) - centre;
    const double slope = dot(hit, pointAt(directionStep(n))) / length(hit);
    w = std::max(w, slope * std::abs(distanceFromCode(found.boundary.distance[link]) - exact));
    const Double3 radial = pointAt(node) - centre;
    const double cosine = dot(normalFromCode(found.boundary.normal[k]), radial) / length(radial);
    worstNormal = std::max(worstNormal, 1.0 - cosine);
  });
  for (std::size_t n = 0; n < 27; ++n) {
    CHECK(worst[n] < 0.005);
    CHECK((worst[n] > 0.0) == (n != static_cast<std::size_t>(restDirection)));
  }
  CHECK(worstNormal < 5e-5);  // 0.6 degrees: half a facet
  CHECK(found.uncrossedLinks == 0);
}

TEST_CASE("Links: where shells overlap a link ends at the union's surface", "[unit]") {
  const Double3 a{15.2, 16.0, 16.4};
  const Double3 b{25.9, 16.3, 15.1};
  const TriangleMesh mesh = joined(sphereMesh(a, 12.0, 300, 150), sphereMesh(b, 11.0, 300, 150));
  const BitLattice fluid = voxelise(mesh, {40, 32, 32}, notPeriodic);
  const FoundLinks found = findLinks(fluid, notPeriodic, mesh);
  double worst = 0.0;
  forEachLink(fluid, found.boundary, [&](std::size_t, const Int3& node, int n, std::size_t link) {
    const Double3 from = pointAt(node);
    const Double3 step = pointAt(directionStep(n));
    const auto leave = [&](const Double3& centre, double radius) {
      return length(from - centre) < radius ? leavesBall(from, step, centre, radius) : 0.0;
    };
    const double exact = std::max(leave(a, 12.0), leave(b, 11.0));
    const Double3 hit = from + exact * step;
    const double slope =
        std::abs(std::abs(length(hit - a) - 12.0) < 1e-6 ? dot(hit - a, step) / 12.0
                                                         : dot(hit - b, step) / 11.0);
    worst =
        std::max(worst, slope * std::abs(distanceFromCode(found.boundary.distance[link]) - exact));
  });
  CHECK(worst < 0.01);
}

TEST_CASE("Links: ends of a tube are openings, its side is a wall, normals point outwards",
          "[unit]") {
  const TriangleMesh mesh = tubeMesh({3.3, 9.0, 9.0}, {22.7, 9.0, 9.0}, 7.4, 96, true);
  const BitLattice fluid = voxelise(mesh, {27, 19, 19}, notPeriodic);
  const FoundLinks found = findLinks(fluid, notPeriodic, mesh);
  const BoundaryNodes& boundary = found.boundary;
  std::size_t link = 0;
  for (std::size_t k = 0; k < boundary.node.size(); ++k) {
    const Int3 node = nodeAt(fluid, boundary.node[k]);
    bool wall = false;
    for (std::uint32_t rest = boundary.mask[k]; rest != 0; rest &= rest - 1, ++link) {
      const Int3 step = directionStep(std::countr_zero(rest));
      const Double3 end = pointAt(node) + distanceFromCode(boundary.distance[link]) * pointAt(step);
      const Patch patch = boundary.patch[link];
      if (!isOpening(patch)) {
        wall = true;
        CHECK(std::hypot(end[1] - 9.0, end[2] - 9.0) == Approx(7.4).margin(0.01));
      } else {
        CHECK(end[0] == Approx(patch == openingPatch(1) ? 3.3 : 22.7).margin(1e-4));
      }
    }
    const Double3 normal = normalFromCode(boundary.normal[k]);
    if (wall)
      CHECK(std::abs(normal[0]) < 1e-4);
    else
      CHECK(normal[0] == Approx(node[0] < 13 ? -1.0 : 1.0));
  }
  CHECK(found.openingLinks > 100);
}

TEST_CASE("Links: across the ends of a periodic tube they meet the other end's wall", "[unit]") {
  // Slanted walls would break at the ends; a straight tube has the same links in every plane.
  TriangleMesh mesh = tubeMesh({-0.5, 9.2, 8.9}, {11.5, 9.2, 8.9}, 7.3, 64, false);
  Int3 nodes{12, 19, 18};
  std::array<bool, 3> periodic{true, false, false};
  for (std::size_t turn = 0; turn < 3; ++turn) {
    const BitLattice fluid = voxelise(mesh, nodes, periodic);
    const FoundLinks found = findLinks(fluid, periodic, mesh);
    checkMasks(fluid, periodic, found.boundary);
    CHECK(found.uncrossedLinks == 0);
    CHECK(found.openingLinks == 0);
    double worst = 0.0;
    forEachLink(fluid, found.boundary, [&](std::size_t, const Int3& node, int n, std::size_t link) {
      Double3 from = pointAt(node);
      Double3 step = pointAt(directionStep(n));
      from[turn] = step[turn] = 0.0;
      Double3 centre{0.0, 9.2, 8.9};
      for (std::size_t k = 0; k < turn; ++k) centre = {centre[2], centre[0], centre[1]};
      const double exact = leavesBall(from, step, centre, 7.3);
      const Double3 hit = from + exact * step - centre;
      worst =
          std::max(worst, dot(hit, step) / 7.3 *
                              std::abs(distanceFromCode(found.boundary.distance[link]) - exact));
    });
    CHECK(worst < 0.012);  // sagitta of 64 sides: 0.009
    mesh = turned(mesh);
    nodes = {nodes[2], nodes[0], nodes[1]};
    periodic = {periodic[2], periodic[0], periodic[1]};
  }
}

TEST_CASE("Links: they do not depend on the number of threads", "[unit]") {
  const TriangleMesh mesh = sphereMesh({40.2, 41.3, 42.4}, 38.1, 200, 100);
  const BitLattice fluid = voxelise(mesh, {85, 85, 84}, notPeriodic);
  std::vector<BoundaryNodes> runs;
  for (std::size_t threads : {1U, 2U}) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    runs.push_back(findLinks(fluid, notPeriodic, mesh).boundary);
  }
  CHECK(runs[0].node == runs[1].node);
  CHECK(runs[0].mask == runs[1].mask);
  CHECK(runs[0].normal == runs[1].normal);
  CHECK(runs[0].distance == runs[1].distance);
  CHECK(runs[0].patch == runs[1].patch);
}

TEST_CASE("Links: one that no triangle crosses takes the nearest one, and is counted", "[unit]") {
  // The lattice has a node more than the surface.
  const TriangleMesh mesh = tubeMesh({3.3, 9.0, 9.0}, {22.7, 9.0, 9.0}, 7.4, 96, true);
  BitLattice fluid = voxelise(mesh, {27, 19, 19}, notPeriodic);
  fluid.set(23, 9, 9);
  const FoundLinks found = findLinks(fluid, notPeriodic, mesh);
  CHECK(found.uncrossedLinks == 17);  // those of that node, but for the 9 back into the fluid
  const auto at =
      std::find(found.boundary.node.begin(), found.boundary.node.end(), fluid.nodeIndex(23, 9, 9));
  REQUIRE(at != found.boundary.node.end());
  const auto k = static_cast<std::size_t>(at - found.boundary.node.begin());
  CHECK(normalFromCode(found.boundary.normal[k])[0] == Approx(1.0));
}

TEST_CASE("Links: those of an image are half way, and openings where they leave through a face",
          "[unit]") {
  BitLattice fluid({6, 5, 4});
  for (int z = 1; z < 3; ++z)
    for (int y = 1; y < 4; ++y)
      for (int x = 0; x < 6; ++x) fluid.set(x, y, z);
  const std::vector<BoxFace> faces{{.axis = 0, .high = false, .openingId = 1},
                                   {.axis = 0, .high = true, .openingId = 2}};
  const FoundLinks found = findImageLinks(fluid, notPeriodic, faces);
  checkMasks(fluid, notPeriodic, found.boundary);
  forEachLink(fluid, found.boundary, [&](std::size_t k, const Int3& node, int n, std::size_t link) {
    CHECK(distanceFromCode(found.boundary.distance[link]) == 0.5);
    const int x = node[0] + directionStep(n)[0];
    CHECK(found.boundary.patch[link] == (x < 0   ? openingPatch(1)
                                         : x > 5 ? openingPatch(2)
                                                 : Patch{0}));
    if (node == Int3{3, 2, 1}) CHECK(normalFromCode(found.boundary.normal[k])[2] == Approx(-1.0));
  });
  CHECK(found.openingLinks == 2 * 6 * 9);
}

TEST_CASE("Links: named sides of an image's box are walls of their own", "[unit]") {
  BitLattice fluid({6, 5, 4});
  for (int z = 0; z < 4; ++z)
    for (int y = 0; y < 5; ++y)
      for (int x = 0; x < 6; ++x)
        if (x != 2 || y != 2) fluid.set(x, y, z);
  const std::vector<BoxFace> faces{{.axis = 0, .high = false, .openingId = 1}};
  const std::vector<WallFace> walls{{.axis = 1, .high = true, .label = 2},
                                    {.axis = 2, .high = false, .label = 1}};
  const FoundLinks found = findImageLinks(fluid, notPeriodic, faces, walls);
  forEachLink(fluid, found.boundary, [&](std::size_t, const Int3& node, int n, std::size_t link) {
    const Int3 step = directionStep(n);
    const Patch expected = node[0] + step[0] < 0   ? openingPatch(1)
                           : node[1] + step[1] > 4 ? Patch{2}
                           : node[2] + step[2] < 0 ? Patch{1}
                                                   : Patch{0};
    CHECK(found.boundary.patch[link] == expected);
  });
}

TEST_CASE("Links: a two-dimensional image is periodic on z", "[unit]") {
  BitLattice fluid({9, 7, 1});
  for (int y = 2; y < 5; ++y)
    for (int x = 0; x < 9; ++x) fluid.set(x, y, 0);
  const std::array<bool, 3> periodic{true, false, true};
  const FoundLinks found = findImageLinks(fluid, periodic, {});
  checkMasks(fluid, periodic, found.boundary);
  CHECK(found.boundary.node.size() == 18);
  CHECK(found.wallLinks == 18 * 9);
}
