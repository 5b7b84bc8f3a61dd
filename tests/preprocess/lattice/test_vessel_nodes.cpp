// SPDX-License-Identifier: GPL-3.0-or-later
// Nodes of a vessel, from three axes, against OpenVDB's conversion, and after damage to the file.
// CGAL's exact predicates decide where two answers differ.
#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <functional>
#include <random>

#include "preprocess/lattice/voxelise/voxelise.hpp"
#include "tests/fixtures/geometry/lattice_meshes.hpp"
#include "tests/fixtures/geometry/vessel_case.hpp"
#include "tests/fixtures/oracle/cgal_oracle.hpp"
#include "tests/fixtures/oracle/openvdb_oracle.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::lattice;
using namespace tessera::preprocess::read;
using namespace tessera::preprocess::surface;
using namespace tessera::test;

namespace {

void forEachNode(const BitLattice& lattice, const std::function<void(const Int3&)>& visit) {
  for (int k = 0; k < lattice.blocks()[2]; ++k)
    lattice.forEachWord(k, [&](int w, int y, int z, std::uint64_t word) {
      for (; word != 0; word &= word - 1) visit({64 * w + std::countr_zero(word), y, z});
    });
}

std::vector<Int3> differing(const BitLattice& a, const BitLattice& b) {
  REQUIRE(a.size == b.size);
  std::vector<Int3> nodes;
  forEachNode(a, [&](const Int3& n) {
    if (!b.at(n[0], n[1], n[2])) nodes.push_back(n);
  });
  forEachNode(b, [&](const Int3& n) {
    if (!a.at(n[0], n[1], n[2])) nodes.push_back(n);
  });
  return nodes;
}

// How many of the nodes the exact predicates see on the other side.
std::size_t wrongOf(const std::vector<Int3>& nodes, const BitLattice& fluid,
                    const CgalOracle& exact) {
  std::size_t wrong = 0;
  for (const Int3& n : nodes) {
    const bool isWrong = exact.inside(pointAt(n)) != fluid.at(n[0], n[1], n[2]);
    wrong += isWrong && exact.distanceTo(pointAt(n)) > vertexRounding ? 1 : 0;
  }
  return wrong;
}

// From anywhere in the box, or pairs of neighbours on both sides of the wall.
std::vector<Int3> sampledNodes(const BitLattice& fluid, std::size_t count, bool nearWall) {
  std::mt19937 random(11);
  const auto below = [&](int n) {
    return static_cast<int>(random() % static_cast<std::uint32_t>(n));
  };
  std::vector<Int3> nodes;
  while (nodes.size() < count) {
    const Int3 node{below(fluid.size[0]), below(fluid.size[1]), below(fluid.size[2])};
    if (!nearWall) {
      nodes.push_back(node);
      continue;
    }
    if (!fluid.at(node[0], node[1], node[2])) continue;
    const Int3 step = directionStep(below(27));
    Int3 last = node;
    Int3 next = node;
    while (step != Int3{0, 0, 0} && fluid.inside(next[0], next[1], next[2]) &&
           fluid.at(next[0], next[1], next[2])) {
      last = next;
      for (std::size_t a = 0; a < 3; ++a) next[a] += step[a];
    }
    nodes.push_back(last);
    if (fluid.inside(next[0], next[1], next[2])) nodes.push_back(next);
  }
  return nodes;
}

// Axes change places in a circle; only nodes on the surface itself may.
void checkAxes(const VesselCase& vessel, const CgalOracle& exact) {
  const Int3 size = vessel.lattice.size();
  const BitLattice fluid = voxelise(vessel.mesh, size, notPeriodic);
  const BitLattice once = voxelise(turned(vessel.mesh), {size[2], size[0], size[1]}, notPeriodic);
  const BitLattice twice =
      voxelise(turned(turned(vessel.mesh)), {size[1], size[2], size[0]}, notPeriodic);
  std::vector<Int3> other;
  BitLattice onceBack(size), twiceBack(size);
  forEachNode(once, [&](const Int3& n) { onceBack.set(n[1], n[2], n[0]); });
  forEachNode(twice, [&](const Int3& n) { twiceBack.set(n[2], n[0], n[1]); });
  for (const BitLattice* back : {&onceBack, &twiceBack})
    for (const Int3& n : differing(fluid, *back)) {
      other.push_back(n);
      CHECK(exact.distanceTo(pointAt(n)) < vertexRounding);
    }
  INFO(other.size() << " nodes on the surface itself");
  CHECK(other.size() <= 4);
}

void checkOracles(const VesselCase& vessel, const CgalOracle& exact, std::size_t samples) {
  const BitLattice fluid = voxelise(vessel.mesh, vessel.lattice.size(), notPeriodic);
  const std::vector<Int3> disputed =
      differing(fluid, insideByOpenVdb(vessel.mesh, vessel.lattice.size(), 3.0F));
  CHECK(wrongOf(disputed, fluid, exact) == 0);
  CHECK(disputed.size() < fluid.count() / 1000);
  CHECK(wrongOf(sampledNodes(fluid, samples, false), fluid, exact) == 0);
  CHECK(wrongOf(sampledNodes(fluid, samples, true), fluid, exact) == 0);
  WARN(fluid.count() << " nodes inside; OpenVDB disputes " << disputed.size()
                     << ", CGAL finds it wrong in "
                     << disputed.size() - wrongOf(disputed, fluid, exact));
}

// Which triangles to damage, each at most once.
std::vector<char> chosen(std::size_t triangles, std::size_t count) {
  std::vector<char> isChosen(triangles, 0);
  std::mt19937 random(7);
  while (count > 0) {
    char& mark = isChosen[random() % triangles];
    count -= mark == 0 ? 1 : 0;
    mark = 1;
  }
  return isChosen;
}

TriangleSoup without(const TriangleSoup& soup, const std::vector<char>& gone) {
  TriangleSoup kept;
  for (std::size_t t = 0; t < soup.triangles(); ++t)
    if (gone[t] == 0)
      kept.corner.insert(kept.corner.end(), &soup.corner[3 * t], &soup.corner[3 * t] + 3);
  return kept;
}

void checkDamage(const VesselCase& vessel) {
  const Int3 size = vessel.lattice.size();
  const BitLattice intact = voxelise(vessel.mesh, size, notPeriodic);
  const std::size_t triangles = vessel.soup.triangles();
  const auto wrongAfter = [&](const TriangleSoup& damaged) {
    return differing(voxelise(repairedOnLattice(damaged, vessel.lattice), size, notPeriodic),
                     intact)
        .size();
  };
  CHECK(wrongAfter(without(vessel.soup, chosen(triangles, 50))) <= 1);

  const std::vector<char> hundredth = chosen(triangles, triangles / 100);
  TriangleSoup flipped = vessel.soup;
  TriangleSoup doubled = vessel.soup;
  for (std::size_t t = 0; t < triangles; ++t)
    if (hundredth[t] != 0) {
      std::swap(flipped.corner[3 * t + 1], flipped.corner[3 * t + 2]);
      doubled.corner.insert(doubled.corner.end(), &vessel.soup.corner[3 * t],
                            &vessel.soup.corner[3 * t] + 3);
    }
  CHECK(wrongAfter(flipped) <= 1);
  CHECK(wrongAfter(doubled) <= 1);

  std::vector<char> isCap(triangles, 0);
  for (std::size_t t = 0; t < triangles; ++t) isCap[t] = isOpening(vessel.mesh.label[t]) ? 1 : 0;
  CHECK(std::count(isCap.begin(), isCap.end(), 1) > 30);
  CHECK(wrongAfter(without(vessel.soup, isCap)) <= 1);
}

// To the precision of a file of single precision.
TriangleMesh rounded(TriangleMesh mesh) {
  for (Double3& v : mesh.vertex)
    for (double& c : v) c = static_cast<double>(static_cast<float>(c));
  return mesh;
}

// A second closed shell through the wall: the union, whatever overlaps.
void checkOverlap(const VesselCase& vessel) {
  const Int3 size = vessel.lattice.size();
  const Double3 middle{0.5 * size[0], 0.5 * size[1], 0.5 * size[2]};
  const TriangleMesh tube = rounded(vessel.mesh);
  const TriangleMesh ball = rounded(sphereMesh(middle, 0.4 * size[2], 200, 100));
  BitLattice both = voxelise(tube, size, notPeriodic);
  const std::uint64_t alone = both.count();
  const BitLattice inBall = voxelise(ball, size, notPeriodic);
  forEachNode(inBall, [&](const Int3& n) { both.set(n[0], n[1], n[2]); });
  REQUIRE(both.count() > alone);
  REQUIRE(both.count() < alone + inBall.count());
  CHECK(differing(voxelise(joined(tube, ball), size, notPeriodic), both).empty());
  const RepairedMesh repaired = repair(soupOf(joined(tube, ball)), 1.0, "two.stl");
  CHECK(repaired.parts.parts == 2);
  CHECK(differing(voxelise(repaired.mesh, size, notPeriodic), both).size() <= 1);
}

void checkAll(std::int64_t triangles, int longest, std::size_t samples) {
  const VesselCase vessel = vesselCase(triangles, longest);
  REQUIRE(static_cast<double>(vessel.soup.triangles()) ==
          Approx(static_cast<double>(triangles)).epsilon(0.2));
  const CgalOracle exact(vessel.mesh);
  checkAxes(vessel, exact);
  checkOracles(vessel, exact, samples);
  checkDamage(vessel);
  checkOverlap(vessel);
}

}  // namespace

TEST_CASE("Vessel nodes: those of a vessel are exact, from every axis and after damage to the file",
          "[unit]") {
  checkAll(20'000, 160, 2000);
}

TEST_CASE("Vessel nodes: those of a large vessel are exact", "[slow]") {
  checkAll(100'000, 730, 20'000);
}
