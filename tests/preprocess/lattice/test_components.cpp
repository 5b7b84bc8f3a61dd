// SPDX-License-Identifier: GPL-3.0-or-later
// Connected parts against a plain flood fill, and the rules of selection.
#include <catch2/catch.hpp>
#include <random>

#include "preprocess/lattice/connectivity/components.hpp"
#include "preprocess/lattice/voxelise/voxelise.hpp"
#include "tests/fixtures/geometry/lattice_meshes.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::lattice;
using namespace tessera::test;

namespace {

BitLattice randomLattice(const Int3& size, double share, unsigned seed) {
  std::mt19937 random(seed);
  std::bernoulli_distribution fluid(share);
  BitLattice lattice(size);
  for (int z = 0; z < size[2]; ++z)
    for (int y = 0; y < size[1]; ++y)
      for (int x = 0; x < size[0]; ++x)
        if (fluid(random)) lattice.set(x, y, z);
  return lattice;
}

// Nodes reached from one node, by definition.
std::vector<Int3> flood(const BitLattice& lattice, const std::array<bool, 3>& periodic,
                        const Int3& from) {
  BitLattice seen(lattice.size);
  std::vector<Int3> reached{from};
  seen.set(from[0], from[1], from[2]);
  for (std::size_t k = 0; k < reached.size(); ++k)
    for (int n = 0; n < 27; ++n) {
      Int3 to = reached[k];
      for (std::size_t a = 0; a < 3; ++a) {
        to[a] += directionStep(n)[a];
        if (periodic[a]) to[a] = (to[a] + lattice.size[a]) % lattice.size[a];
      }
      if (!lattice.inside(to[0], to[1], to[2]) || !lattice.at(to[0], to[1], to[2]) ||
          seen.at(to[0], to[1], to[2]))
        continue;
      seen.set(to[0], to[1], to[2]);
      reached.push_back(to);
    }
  return reached;
}
}  // namespace

TEST_CASE("Components: nodes connected to a seed are those that a flood fill reaches", "[unit]") {
  const Int3 size{131, 9, 8};
  for (unsigned seed = 0; seed < 24; ++seed) {
    const std::array<bool, 3> periodic{(seed & 1U) != 0, (seed & 2U) != 0, (seed & 4U) != 0};
    BitLattice lattice = randomLattice(size, 0.06, seed);
    lattice.set(64, 4, 4);
    const std::vector<Int3> reached = flood(lattice, periodic, {64, 4, 4});
    const std::uint64_t before = lattice.count();
    const std::vector<std::uint64_t> seeds{lattice.nodeIndex(64, 4, 4)};
    const ComponentCount count = keepConnected(lattice, periodic, seeds);
    CHECK(count.keptNodes == reached.size());
    CHECK(lattice.count() == reached.size());
    CHECK(count.droppedNodes == before - reached.size());
    CHECK(count.kept == 1);
    CHECK_FALSE(count.largestKept);
    for (const Int3& node : reached) REQUIRE(lattice.at(node[0], node[1], node[2]));
  }
}

TEST_CASE("Components: without a fluid seed the largest part is kept", "[unit]") {
  BitLattice lattice({100, 10, 10});
  for (int x = 2; x < 70; ++x) lattice.set(x, 3, 3);
  for (int x = 60; x < 100; ++x)
    for (int y = 6; y < 8; ++y) lattice.set(x, y, 8);
  lattice.set(0, 9, 0);
  const std::vector<std::uint64_t> solidSeed{lattice.nodeIndex(50, 0, 0)};
  const ComponentCount count = keepConnected(lattice, notPeriodic, solidSeed);
  CHECK(count.components == 3);
  CHECK(count.largestKept);
  CHECK(count.keptNodes == 80);
  CHECK(count.droppedNodes == 69);
  CHECK(lattice.at(99, 7, 8));
  CHECK_FALSE(lattice.at(2, 3, 3));
}

TEST_CASE("Components: two parts with an opening each both stay, a closed one is removed",
          "[unit]") {
  const TriangleMesh tubes = joined(tubeMesh({2.0, 8.0, 8.0}, {35.0, 8.0, 8.0}, 5.0, 48, true),
                                    tubeMesh({2.0, 24.0, 9.0}, {35.0, 22.0, 9.0}, 5.0, 48, true));
  const TriangleMesh mesh = joined(tubes, sphereMesh({18.0, 37.0, 9.0}, 6.0, 40, 20));
  BitLattice fluid = voxelise(mesh, {40, 46, 18}, notPeriodic);
  const std::uint64_t inTubes = voxelise(tubes, {40, 46, 18}, notPeriodic).count();
  const ComponentCount count = keepConnected(fluid, notPeriodic, nodesAtOpenings(fluid, mesh));
  CHECK(count.components == 3);
  CHECK(count.kept == 2);
  CHECK(fluid.count() == inTubes);
}

TEST_CASE("Components: faces of the box are seeds for images", "[unit]") {
  BitLattice lattice({12, 6, 6});
  for (int x = 0; x < 5; ++x) lattice.set(x, 2, 2);
  for (int x = 6; x < 12; ++x) lattice.set(x, 4, 4);
  const std::vector<BoxFace> low{{.axis = 0, .high = false, .openingId = 1}};
  keepConnected(lattice, notPeriodic, nodesAtFaces(lattice, low));
  CHECK(lattice.count() == 5);
  CHECK(lattice.at(0, 2, 2));
}

TEST_CASE("Components: an empty lattice has no parts", "[unit]") {
  BitLattice lattice({70, 3, 3});
  const ComponentCount count = keepConnected(lattice, notPeriodic, {});
  CHECK(count.components == 0);
  CHECK(count.keptNodes == 0);
}
