// SPDX-License-Identifier: GPL-3.0-or-later
// What is told of a lattice from a mesh alone, against bodies whose numbers are known.
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "preprocess/plan/estimate_counts.hpp"
#include "preprocess/plan/mesh_integrals.hpp"
#include "preprocess/surface/mesh_measure.hpp"
#include "tests/preprocess/lattice_meshes.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

Frame unitFrame() {
  return {};
}

MeshIntegrals integralsOf(const TriangleMesh& mesh) {
  return integrate(mesh, enclosedVolume(mesh), unitFrame(), Edges::Yes);
}

// Closed, normals outwards.
TriangleMesh boxMesh(const Double3& low, const Double3& high) {
  TriangleMesh mesh;
  for (unsigned k = 0; k < 8; ++k)
    mesh.vertex.push_back({(k & 1U) != 0 ? high[0] : low[0], (k & 2U) != 0 ? high[1] : low[1],
                           (k & 4U) != 0 ? high[2] : low[2]});
  mesh.triangle = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                   {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  mesh.label.assign(mesh.triangle.size(), Patch{0});
  return mesh;
}

// The links of a box of whole nodes that leave it: for each of 26 directions the nodes whose
// neighbour lies outside.
double linksOfBox(const Double3& sides) {
  double links = 0.0;
  for (int n = 0; n < 27; ++n) {
    const Int3 step = directionStep(n);
    double staying = 1.0;
    for (std::size_t a = 0; a < 3; ++a) staying *= sides[a] - std::abs(step[a]);
    links += sides[0] * sides[1] * sides[2] - staying;
  }
  return links;
}

}  // namespace

TEST_CASE("A box grows and shrinks by a cube as boxes do", "[unit]") {
  const MeshIntegrals box = integralsOf(boxMesh({0, 0, 0}, {20, 30, 40}));
  CHECK(box.volume == Approx(24000.0));
  CHECK(box.parts == Approx(1.0));
  CHECK(box.grown(3.0) == Approx(23.0 * 33.0 * 43.0));
  CHECK(box.shrunk(2.0) == Approx(18.0 * 28.0 * 38.0));
  CHECK(box.shrunk(50.0) == 0.0);
  CHECK(box.grownByBlock() == Approx((20.0 + 63.0) * (30.0 + 31.0) * (40.0 + 7.0)));
}

TEST_CASE("The links of a box are counted but for its corners", "[unit]") {
  const MeshIntegrals box = integralsOf(boxMesh({0, 0, 0}, {20, 30, 40}));
  // Each of 8 corners takes one link too many or few from each of 8 directions.
  CHECK(std::abs(box.links - linksOfBox({20, 30, 40})) <= 64.0);
}

TEST_CASE("A slanted box seen along its own axes is the same box", "[unit]") {
  const MeshIntegrals straight = integralsOf(boxMesh({0, 0, 0}, {20, 30, 40}));
  TriangleMesh turned = boxMesh({0, 0, 0}, {20, 30, 40});
  Frame frame;
  const double c = std::cos(0.4), s = std::sin(0.4);
  frame.axis = {{{c, s, 0.0}, {-s, c, 0.0}, {0.0, 0.0, 1.0}}};
  for (Double3& v : turned.vertex) v = frame.directionToWorld(v);
  const MeshIntegrals seen = integrate(turned, enclosedVolume(turned), frame, Edges::Yes);
  CHECK(seen.links == Approx(straight.links));
  CHECK(seen.grown(3.0) == Approx(straight.grown(3.0)));
  const MeshIntegrals other = integrate(turned, enclosedVolume(turned), unitFrame(), Edges::Yes);
  CHECK(other.grown(3.0) > 1.02 * straight.grown(3.0));
}

TEST_CASE("A hole inside grows inward and outward the other way round", "[unit]") {
  TriangleMesh hole = boxMesh({10, 10, 10}, {30, 30, 30});
  for (Triangle& t : hole.triangle) std::swap(t[1], t[2]);
  const TriangleMesh mesh = joined(boxMesh({0, 0, 0}, {40, 40, 40}), hole);
  const MeshIntegrals shell = integralsOf(mesh);
  CHECK(shell.volume == Approx(64000.0 - 8000.0));
  CHECK(shell.grown(3.0) == Approx(43.0 * 43 * 43 - 17.0 * 17 * 17));
  CHECK(shell.shrunk(2.0) == Approx(38.0 * 38 * 38 - 22.0 * 22 * 22));
}

TEST_CASE("Without edges the estimate is a bound, with them it is right", "[unit]") {
  const TriangleMesh tube = tubeMesh({0, 0, 0}, {31, 17, 23}, 6.0, 64, true);
  LatticeChoice lattice =
      chooseLattice(boundsOf(tube), SpacingRequest{1.0, {}, {}}, std::nullopt, {});
  MeshToCount input{tube, enclosedVolume(tube)};
  const LatticeCounts counts = estimateCounts(input, lattice);
  input.rough = true;
  const LatticeCounts rough = estimateCounts(input, lattice);
  CHECK(rough.boundaryNodes > counts.boundaryNodes);
  CHECK(rough.links >= counts.links);
  CHECK(rough.fluidNodes == counts.fluidNodes);
  CHECK(counts.meanWidth == Approx(12.0).epsilon(0.2));
}

TEST_CASE("Parts that no opening leads to are left out where they will be", "[unit]") {
  TriangleMesh mesh = joined(boxMesh({0, 0, 0}, {20, 20, 20}), boxMesh({30, 0, 0}, {60, 30, 30}));
  mesh.label[0] = mesh.label[1] = openingPatch(1);
  const LatticeChoice lattice =
      chooseLattice(boundsOf(mesh), SpacingRequest{1.0, {}, {}}, std::nullopt, {});
  MeshToCount input{mesh, enclosedVolume(mesh)};
  CHECK(estimateCounts(input, lattice).fluidNodes == Approx(8000.0 + 27000.0));
  input.keepConnected = true;
  CHECK(estimateCounts(input, lattice).fluidNodes == Approx(8000.0));
  mesh.label.assign(mesh.triangle.size(), Patch{0});
  CHECK(estimateCounts(input, lattice).fluidNodes == Approx(27000.0));
}
