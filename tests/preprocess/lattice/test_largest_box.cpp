// SPDX-License-Identifier: GPL-3.0-or-later
// The largest box, 8192 nodes on each axis: dense, its bits alone would take 69 GB.
#include <sys/resource.h>

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "preprocess/lattice/connectivity/components.hpp"
#include "preprocess/lattice/links/links.hpp"
#include "preprocess/lattice/voxelise/voxelise.hpp"
#include "tests/fixtures/chain.hpp"
#include "tests/fixtures/files/surface_files.hpp"
#include "tests/fixtures/geometry/lattice_meshes.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::lattice;
using namespace tessera::test;
using tessera::chain::Outcome;
using tessera::chain::WorkFolder;

namespace {

constexpr double radius = 4.2;  // nodes

// How near to the tube's axis and how far from it links to its wall end.
struct Range {
  double least = 1e9, most = 0.0;
};

Range wallOf(const BitLattice& fluid, const BoundaryNodes& boundary, const Double3& start,
             const Double3& end) {
  const Double3 axis = (1.0 / length(end - start)) * (end - start);
  Range range;
  std::size_t link = 0;
  for (std::size_t k = 0; k < boundary.node.size(); ++k) {
    const Int3 node = fluid.nodeAt(boundary.node[k]);
    for (std::uint32_t rest = boundary.mask[k]; rest != 0; rest &= rest - 1, ++link) {
      if (isOpening(boundary.patch[link])) continue;
      Double3 from{};
      for (std::size_t a = 0; a < 3; ++a)
        from[a] =
            node[a] - start[a] +
            distanceFromCode(boundary.distance[link]) * directionStep(std::countr_zero(rest))[a];
      const double distance = length(from - dot(from, axis) * axis);
      range.least = std::min(range.least, distance);
      range.most = std::max(range.most, distance);
    }
  }
  return range;
}

}  // namespace

TEST_CASE("Largest box: a thin tube across a cube of 8192 nodes takes memory for the tube",
          "[slow]") {
  const Double3 start{20.0, 20.0, 20.0};
  const Double3 end{8171.0, 8161.0, 8166.0};
  const TriangleMesh tube = tubeMesh(start, end, radius, 24, true);
  const Int3 cube{maxNodesPerAxis, maxNodesPerAxis, maxNodesPerAxis};
  constexpr std::array<bool, 3> open{false, false, false};
  BitLattice fluid = voxelise(tube, cube, open);
  const ComponentCount parts = keepConnected(fluid, open, nodesAtOpenings(fluid, tube));
  CHECK(parts.components == 1);
  const double area = 12.0 * radius * radius * std::sin(std::numbers::pi / 12.0);
  CHECK(static_cast<double>(fluid.count()) == Approx(length(end - start) * area).epsilon(0.01));
  const FoundLinks found = findLinks(fluid, open, tube);
  CHECK(found.openingLinks > 100);
  CHECK(found.uncrossedLinks == 0);
  const Range wall = wallOf(fluid, found.boundary, start, end);
  CHECK(wall.least > radius * std::cos(std::numbers::pi / 24.0) - 1e-3);
  CHECK(wall.most < radius + 1e-3);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  CHECK(usage.ru_maxrss < 512 * 1024);  // kB
}

TEST_CASE("Largest box: tessera-preprocess takes memory for a thin tube, not for its box",
          "[slow]") {
  const WorkFolder work;
  const Double3 end{8165.0, 8150.0, 8155.0};
  work.write("tube.stl", binaryStl(soupOf(tubeMesh({0, 0, 0}, end, radius, 24, true))));
  work.mustRun(
      "tessera-preprocess --quiet --unit mm --spacing 1mm tube.stl -o tube.vdb --report r.json");
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);               // the largest child of this program so far
  CHECK(usage.ru_maxrss < 1000000L * 1000 / 1024);  // kB
  const nlohmann::json report = work.json("r.json");
  for (std::size_t a = 0; a < 3; ++a) CHECK(report["nodes"][a] >= 8150);
  const double area = 12.0 * radius * radius * std::sin(std::numbers::pi / 12.0);
  CHECK(report["fluid_nodes"] == Approx(length(end) * area).epsilon(0.01));
  CHECK(report["openings"].size() == 2);
  CHECK(std::abs(report["thinnest_channel"]["nodes"].get<double>() - 2.0 * radius) <= 2.0);
  CHECK(std::filesystem::exists(work.path("tube.vdb")));
}

TEST_CASE("Largest box: more than 8192 nodes on an axis are refused", "[slow]") {
  const WorkFolder work;
  work.write("tube.stl", binaryStl(soupOf(tubeMesh({1, 1, 1}, {99, 99, 99}, 0.05, 24, true))));
  const Outcome outcome =
      work.run("tessera-preprocess --quiet --unit mm --longest 8193 tube.stl -o tube.vdb");
  CHECK(outcome.code == 5);
  CHECK_THAT(outcome.errors, Catch::Contains("8193") && Catch::Contains("8192"));
  CHECK_FALSE(std::filesystem::exists(work.path("tube.vdb")));
}
