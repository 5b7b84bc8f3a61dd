// SPDX-License-Identifier: GPL-3.0-or-later
// The voxeliser against analytic bodies, on all axes, with overlaps, periodic ends and defects.
#include <tbb/global_control.h>

#include <catch2/catch.hpp>

#include "pipelines/stage/error.hpp"
#include "preprocess/lattice/voxelise/voxelise.hpp"
#include "tests/fixtures/geometry/lattice_meshes.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::lattice;
using namespace tessera::stage;
using namespace tessera::test;

namespace {

// Nodes that differ from inside(position) by more than the mesh deviates from the body:
// inside(position, slack) grows the body.
template <class Inside>
int wrongNodes(const BitLattice& fluid, const Inside& inside, double slack) {
  int wrong = 0;
  for (int z = 0; z < fluid.size[2]; ++z)
    for (int y = 0; y < fluid.size[1]; ++y)
      for (int x = 0; x < fluid.size[0]; ++x) {
        const Double3 at{static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)};
        if (fluid.at(x, y, z) ? !inside(at, slack) : inside(at, -slack)) ++wrong;
      }
  return wrong;
}
auto ball(const Double3& centre, double radius) {
  return [=](const Double3& at, double slack) { return length(at - centre) < radius + slack; };
}
}  // namespace

TEST_CASE("Voxeliser: a sphere holds the nodes within its radius", "[unit]") {
  const Double3 centre{20.3, 18.1, 15.7};
  const BitLattice fluid = voxelise(sphereMesh(centre, 14.2, 160, 80), {42, 37, 31}, notPeriodic);
  CHECK(wrongNodes(fluid, ball(centre, 14.2), 0.02) == 0);
  CHECK(fluid.count() == Approx(4.0 / 3.0 * std::numbers::pi * 14.2 * 14.2 * 14.2).epsilon(0.005));
}

TEST_CASE("Voxeliser: a slanted tube of long triangles holds the nodes around its axis", "[unit]") {
  const Double3 start{12.0, 14.0, 11.0};
  const Double3 end{140.0, 66.0, 40.0};
  const Double3 along = 1.0 / length(end - start) * (end - start);
  const BitLattice fluid =
      voxelise(tubeMesh(start, end, 9.0, 256, true), {153, 80, 52}, notPeriodic);
  const auto inTube = [&](const Double3& at, double slack) {
    const double axial = dot(at - start, along);
    return axial > -slack && axial < length(end - start) + slack &&
           length(at - start - axial * along) < 9.0 + slack;
  };
  CHECK(wrongNodes(fluid, inTube, 0.01) == 0);
}

TEST_CASE("Voxeliser: overlapping shells count as their union", "[unit]") {
  const Double3 a{15.2, 16.0, 16.4};
  const Double3 b{25.9, 16.3, 15.1};
  const TriangleMesh both = joined(sphereMesh(a, 12.0, 128, 64), sphereMesh(b, 11.0, 128, 64));
  const auto inEither = [&](const Double3& at, double slack) {
    return ball(a, 12.0)(at, slack) || ball(b, 11.0)(at, slack);
  };
  CHECK(wrongNodes(voxelise(both, {40, 32, 32}, notPeriodic), inEither, 0.02) == 0);
}

TEST_CASE("Voxeliser: rays along x, y and z give the same nodes", "[unit]") {
  // A periodic axis turns the rays; the surface stays clear of the ends.
  const TriangleMesh mesh = joined(sphereMesh({31.3, 17.2, 16.1}, 12.7, 90, 45),
                                   sphereMesh({50.9, 20.1, 19.3}, 10.2, 77, 33));
  const Int3 nodes{70, 40, 37};
  const BitLattice alongY = voxelise(mesh, nodes, notPeriodic);
  CHECK(voxelise(mesh, nodes, {true, true, false}) == alongY);
  CHECK(voxelise(mesh, nodes, {false, true, true}) == alongY);
}

TEST_CASE("Voxeliser: a tube that is open at the ends of a periodic axis is filled, on every axis",
          "[unit]") {
  TriangleMesh mesh = tubeMesh({-0.5, 12.0, 13.0}, {29.5, 12.0, 13.0}, 10.3, 200, false);
  Int3 nodes{30, 25, 26};
  Double3 axis{1.0, 0.0, 0.0};
  Double3 centre{0.0, 12.0, 13.0};
  std::array<bool, 3> periodic{true, false, false};
  for (int turn = 0; turn < 3; ++turn) {
    const BitLattice fluid = voxelise(mesh, nodes, periodic);
    const auto inTube = [&](const Double3& at, double slack) {
      const Double3 from = at - centre;
      return length(from - dot(from, axis) * axis) < 10.3 + slack;
    };
    CHECK(wrongNodes(fluid, inTube, 0.01) == 0);
    mesh = turned(mesh);
    nodes = {nodes[2], nodes[0], nodes[1]};
    axis = {axis[2], axis[0], axis[1]};
    centre = {centre[2], centre[0], centre[1]};
    periodic = {periodic[2], periodic[0], periodic[1]};
  }
}

TEST_CASE("Voxeliser: a face through nodes belongs to one side only", "[unit]") {
  // Two prisms that share the face x = 10, whose corners and diagonals pass through nodes: every
  // node of both is inside exactly once.
  const TriangleMesh left = tubeMesh({2.0, 8.0, 8.0}, {10.0, 8.0, 8.0}, 6.0, 4, true);
  const TriangleMesh right = tubeMesh({10.0, 8.0, 8.0}, {18.0, 8.0, 8.0}, 6.0, 4, true);
  const Int3 nodes{21, 17, 17};
  const std::uint64_t parts =
      voxelise(left, nodes, notPeriodic).count() + voxelise(right, nodes, notPeriodic).count();
  CHECK(parts == voxelise(joined(left, right), nodes, notPeriodic).count());
}

TEST_CASE("Voxeliser: the nodes do not depend on the number of threads", "[unit]") {
  const TriangleMesh mesh = sphereMesh({60.2, 61.3, 62.4}, 58.1, 300, 150);
  std::vector<BitLattice> runs;
  for (std::size_t threads : {1U, 2U}) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    runs.push_back(voxelise(mesh, {130, 125, 124}, notPeriodic));
  }
  CHECK(runs[0] == runs[1]);
}

TEST_CASE("Voxeliser: the largest box does not overflow", "[unit]") {
  const double far = maxNodesPerAxis - 1.0;
  const Double3 start{10.0, 4.0, 10.0};
  const Double3 end{far - 10.0, 4.0, 5.0};
  const BitLattice fluid =
      voxelise(tubeMesh(start, end, 3.5, 8, true), {maxNodesPerAxis, 9, 14}, notPeriodic);
  CHECK(fluid.at(4096, 4, 7));
  CHECK(
      fluid.count() ==
      Approx(length(end - start) * 4.0 * 3.5 * 3.5 * std::sin(std::numbers::pi / 4)).epsilon(0.01));
}

TEST_CASE("Voxeliser: a thin tube across the largest cube takes memory for itself alone",
          "[unit]") {
  // Dense, the cube would take 69 GB.
  const Double3 start{20.0, 20.0, 20.0};
  const Double3 end{maxNodesPerAxis - 20.0, maxNodesPerAxis - 30.0, maxNodesPerAxis - 25.0};
  const Int3 cube{maxNodesPerAxis, maxNodesPerAxis, maxNodesPerAxis};
  const BitLattice fluid = voxelise(tubeMesh(start, end, 4.0, 16, true), cube, notPeriodic);
  const double area = 16.0 / 2.0 * 16.0 * std::sin(std::numbers::pi / 8.0);
  CHECK(static_cast<double>(fluid.count()) == Approx(length(end - start) * area).epsilon(0.005));
  std::uint64_t blocks = 0;
  for (int k = 0; k < fluid.blocks()[2]; ++k) fluid.forEachBlock(k, [&](int, int) { ++blocks; });
  CHECK(blocks * BitLattice::blockWords * 8 < 10'000'000);
}

TEST_CASE("Voxeliser: the sum of winding numbers counts each overlap", "[unit]") {
  const TriangleMesh a = sphereMesh({15.2, 16.0, 16.4}, 12.0, 64, 32);
  const TriangleMesh b = sphereMesh({25.9, 16.3, 15.1}, 11.0, 64, 32);
  const Int3 nodes{40, 32, 32};
  for (const std::array<bool, 3>& periodic : {notPeriodic, std::array<bool, 3>{true, true, false},
                                              std::array<bool, 3>{false, true, true}}) {
    const Voxels onlyA = voxeliseCounting(a, nodes, periodic);
    const Voxels onlyB = voxeliseCounting(b, nodes, periodic);
    const Voxels both = voxeliseCounting(joined(a, b), nodes, periodic);
    CHECK(onlyA.windingSum == onlyA.fluid.count());
    CHECK(both.windingSum == onlyA.windingSum + onlyB.windingSum);
    CHECK(both.fluid.count() < both.windingSum);
  }
}

TEST_CASE("Voxeliser: geometries that cannot be voxelised are refused", "[unit]") {
  TriangleMesh mesh = sphereMesh({10.0, 10.0, 10.0}, 8.0, 32, 16);
  const auto codeOf = [&](const Int3& nodes, const std::array<bool, 3>& periodic) {
    try {
      voxelise(mesh, nodes, periodic);
    } catch (const StageError& error) {
      return error.code();
    }
    return ExitCode::Done;
  };
  CHECK(codeOf({20, 20, 20}, notPeriodic) == ExitCode::Done);
  CHECK(codeOf({20, 20, 18}, notPeriodic) == ExitCode::BadInput);    // surface sticks out
  CHECK(codeOf({9000, 20, 20}, notPeriodic) == ExitCode::BadInput);  // too many nodes
  CHECK(codeOf({20, 20, 20}, {true, true, true}) == ExitCode::BadInput);
  mesh.vertex[7][1] = std::nan("");
  CHECK(codeOf({20, 20, 20}, notPeriodic) == ExitCode::BadInput);
  mesh = sphereMesh({10.0, 10.0, 10.0}, 8.0, 256, 128);
  for (std::size_t vertex : {30'001, 9'002, 17'003}) mesh.vertex[vertex][2] = 21.0;
  CHECK_THROWS_WITH(
      voxelise(mesh, {20, 20, 20}, notPeriodic),
      Catch::Contains("vertex 9002 of the surface"));  // the first, whatever the threads
  mesh = sphereMesh({10.0, 10.0, 10.0}, 8.0, 32, 16);
  mesh.triangle.erase(mesh.triangle.begin() + 200, mesh.triangle.begin() + 260);
  CHECK(codeOf({20, 20, 20}, notPeriodic) == ExitCode::BadInput);  // not closed
}
