// SPDX-License-Identifier: GPL-3.0-or-later
// Counts of a plan: those of a lattice against plain loops, and those that are extrapolated from
// coarser lattices against the lattice itself.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "preprocess/lattice/count_offsets.hpp"
#include "preprocess/lattice/voxelise/voxelise.hpp"
#include "preprocess/plan/coarse_pass.hpp"
#include "preprocess/plan/count_lattice.hpp"
#include "preprocess/plan/plan.hpp"
#include "preprocess/sample/solids.hpp"
#include "preprocess/sample/spheres.hpp"
#include "tests/fixtures/geometry/lattice_meshes.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::lattice;
using namespace tessera::preprocess::plan;
using namespace tessera::preprocess::sample;
using namespace tessera::stage;
using namespace tessera::test;

namespace {

bool isFluid(const BitLattice& fluid, const std::array<bool, 3>& periodic, Int3 node) {
  for (std::size_t a = 0; a < 3; ++a)
    if (periodic[a]) node[a] = (node[a] + fluid.size[a]) % fluid.size[a];
  return fluid.inside(node[0], node[1], node[2]) && fluid.at(node[0], node[1], node[2]);
}

// A node of D3Q19 all of whose neighbours are fluid.
bool isInner(const BitLattice& fluid, const std::array<bool, 3>& periodic, const Int3& node) {
  for (int n = 0; n < 27; ++n) {
    const Int3 step = directionStep(n);
    if (std::abs(step[0]) + std::abs(step[1]) + std::abs(step[2]) == 3) continue;
    if (!isFluid(fluid, periodic, {node[0] + step[0], node[1] + step[1], node[2] + step[2]}))
      return false;
  }
  return true;
}

double plainFullTiles(const BitLattice& fluid, const std::array<bool, 3>& periodic) {
  const OffsetCounts counts = countTilesAtAllOffsets(fluid, 3);
  const Int3 offset = chooseOffset(counts, fluid.size, periodic);
  double full = 0.0;
  for (int z = -offset[2]; z < fluid.size[2]; z += 4)
    for (int y = -offset[1]; y < fluid.size[1]; y += 4)
      for (int x = -offset[0]; x < fluid.size[0]; x += 4) {
        bool isFull = true;
        for (int n = 0; n < 64 && isFull; ++n) {
          const Int3 node{x + n % 4, y + n / 4 % 4, z + n / 16};
          isFull = fluid.inside(node[0], node[1], node[2]) && isInner(fluid, periodic, node);
        }
        full += isFull ? 1.0 : 0.0;
      }
  return full;
}

// The lattice of a mesh in metres, as the program chooses it.
LatticeChoice latticeOf(const TriangleMesh& mesh, double spacing,
                        const std::array<bool, 3>& periodic) {
  SpacingRequest request;
  request.spacing = spacing;
  return chooseLattice(boundsOf(mesh), request, std::nullopt, periodic);
}

// The numbers of a plan that may have a third, an eighth or a 27th of the nodes, within 5 %.
void checkExtrapolation(const TriangleMesh& mesh, double spacing,
                        const std::array<bool, 3>& periodic) {
  const SurfaceToCount surface{mesh, {}, enclosedVolume(mesh), periodic, false};
  const LatticeChoice lattice = latticeOf(mesh, spacing, periodic);
  const LatticeCounts exact = countSurface(surface, lattice, 1e12);
  REQUIRE(exact.exact);
  CHECK(mostSurfaceMemory(lattice.nodes, surfaceArea(mesh) / (spacing * spacing),
                          mesh.triangle.size(), mesh.vertex.size()) > surfaceMemory(exact));
  for (const double factor : {1.5, 2.0, 3.0}) {
    const LatticeCounts found =
        countSurface(surface, lattice, 0.999 * exact.fluidNodes / std::pow(factor, 3));
    CHECK_FALSE(found.exact);
    CHECK(found.nodes == exact.nodes);
    const auto agrees = [&](const char* name, double number, double truth, double within = 0.05) {
      INFO(name << " at " << factor << " spacings: " << number << " of " << truth << ", "
                << 100.0 * (number / truth - 1.0) << " %");
      CHECK(number == Approx(truth).epsilon(within));
    };
    agrees("nodes", found.fluidNodes, exact.fluidNodes);
    agrees("boundary nodes", found.boundaryNodes, exact.boundaryNodes);
    agrees("links", found.links, exact.links);
    agrees("tiles", found.tiles, exact.tiles);
    constexpr double withinBlocks = 0.07;  // of 64 x 32 x 8 nodes, coarse for a tube
    agrees("geom.vdb", latticeFileBytes(found), latticeFileBytes(exact), withinBlocks);
    agrees("geom.tiles", tilesFileBytes(chainCounts(found)), tilesFileBytes(chainCounts(exact)));
    agrees("preprocess", surfaceMemory(found), surfaceMemory(exact));
    agrees("solver", stateBytes(stateCounts(found), 8.0), stateBytes(stateCounts(exact), 8.0));
  }
}

}  // namespace

TEST_CASE("Coarse pass: full tiles are counted as by plain loops", "[unit]") {
  const std::array<bool, 3> closed{false, false, false};
  const BitLattice ball = voxelise(sphereMesh({20, 21, 22}, 19.3, 48, 24), {44, 45, 46}, closed);
  CHECK(countLattice(ball, 3, closed, {}).fullTiles == plainFullTiles(ball, closed));
  const std::array<bool, 3> alongX{true, false, false};
  for (const int length : {40, 70, 133}) {
    const TriangleMesh tube = tubeMesh({-0.5, 20, 20}, {length - 0.5, 20, 20}, 17.2, 64, false);
    const BitLattice nodes = voxelise(tube, {length, 41, 42}, alongX);
    const LatticeCounts counts = countLattice(nodes, 3, alongX, {});
    CHECK(counts.fullTiles > 0.0);
    CHECK(counts.fullTiles == plainFullTiles(nodes, alongX));
    CHECK((counts.ghostTiles == 0.0) == (length % 4 == 0));
  }
}

TEST_CASE("Coarse pass: counts of large lattices are extrapolated within 5 %", "[unit]") {
  const std::array<bool, 3> closed{false, false, false};
  SECTION("a tube askew") {
    checkExtrapolation(tubeMesh({0, 0, 0}, {90, 170, 50}, 20.0, 64, true), 0.4, closed);
  }
  SECTION("a straight tube") {
    checkExtrapolation(tubeMesh({0, 0, 0}, {250, 0, 0}, 24.0, 64, true), 0.3, closed);
  }
  SECTION("a periodic tube") {
    checkExtrapolation(tubeMesh({0, 0, 0}, {252, 0, 0}, 24.0, 64, false), 0.3,
                       {true, false, false});
  }
  SECTION("a bend") {
    BentTubeShape bend;
    bend.closed = true;
    checkExtrapolation(sampleBentTube(bend), 0.05e-3, closed);
  }
  SECTION("an expansion") {
    ExpansionShape step;
    step.closed = true;
    checkExtrapolation(sampleExpansion(step), 0.06e-3, closed);
  }
  SECTION("pores among spheres") {
    SpheresShape shape;
    shape.size = {64, 64, 64};
    shape.diameter = 24.0;
    shape.porosity = 0.5;
    checkExtrapolation(poreSurface(randomSpheres(shape), 1.0, 1.0), 0.2, closed);
  }
}

TEST_CASE(
    "Coarse pass: a coarser lattice of a periodic axis is filled by whole tiles where the finer "
    "one is",
    "[unit]") {
  const TriangleMesh tube = tubeMesh({0, 0, 0}, {240, 0, 0}, 22.0, 64, false);
  const std::array<bool, 3> alongX{true, false, false};
  const SurfaceToCount surface{tube, {}, enclosedVolume(tube), alongX, false};
  for (const double spacing : {0.25, 240.0 / 962.0}) {
    const LatticeChoice lattice = latticeOf(tube, spacing, alongX);
    const LatticeCounts exact = countSurface(surface, lattice, 1e12);
    const LatticeCounts found = countSurface(surface, lattice, 2e6);
    CHECK((exact.ghostTiles > 0.0) == (spacing < 0.25));
    CHECK(found.ghostTiles == Approx(exact.ghostTiles).epsilon(0.1));
    CHECK(found.copies == Approx(exact.copies).epsilon(0.05));
  }
}
