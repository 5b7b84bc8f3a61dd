// SPDX-License-Identifier: GPL-3.0-or-later
// No triangle of a sample crosses another, by CGAL as an oracle.
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Polygon_mesh_processing/self_intersections.h>
#include <CGAL/Surface_mesh.h>

#include <catch2/catch.hpp>

#include "preprocess/sample/solids.hpp"
#include "preprocess/sample/spheres.hpp"
#include "preprocess/sample/vessels.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::sample;
using namespace tessera::stage;

namespace {
// As written, in single precision and millimetres. CGAL requires manifolds.
bool crossesItself(const TriangleMesh& mesh) {
  using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
  CGAL::Surface_mesh<Kernel::Point_3> surface;
  using Index = CGAL::Surface_mesh<Kernel::Point_3>::Vertex_index;
  for (const Double3& v : mesh.vertex)
    surface.add_vertex({static_cast<float>(1e3 * v[0]), static_cast<float>(1e3 * v[1]),
                        static_cast<float>(1e3 * v[2])});
  for (const Triangle& t : mesh.triangle) surface.add_face(Index(t[0]), Index(t[1]), Index(t[2]));
  REQUIRE(surface.number_of_faces() == mesh.triangle.size());
  return CGAL::Polygon_mesh_processing::does_self_intersect(surface);
}
}  // namespace

TEST_CASE("Sample surfaces: vessels do not intersect themselves", "[unit]") {
  CHECK_FALSE(crossesItself(sampleAneurysm({}, 0.25e-3)));
  CHECK_FALSE(crossesItself(meshVessel(aortaVessel({}), 1.2e-3)));
}

TEST_CASE("Sample surfaces: bends and steps do not intersect themselves", "[unit]") {
  CHECK_FALSE(crossesItself(sampleBentTube({.bendRadius = 2.3e-3, .angle = M_PI, .closed = true})));
  CHECK_FALSE(crossesItself(sampleExpansion({.direction = {1, 2, 3}, .closed = true})));
  CHECK_FALSE(crossesItself(sampleChannel({.direction = {1, 2, 3}, .closed = true})));
}

TEST_CASE("Sample surfaces: the pores between spheres do not intersect themselves", "[unit]") {
  for (const LatticeCell cell :
       {LatticeCell::Simple, LatticeCell::BodyCentred, LatticeCell::FaceCentred})
    for (const double part : {0.7, 0.95}) {
      const LatticeShape shape{.cell = cell, .radius = part * latticeLargestRadius(cell)};
      CHECK_FALSE(crossesItself(poreSurface(latticeSpherePack(shape), 1.3, 1e-5)));
    }
  for (const bool periodic : {true, false})
    CHECK_FALSE(crossesItself(poreSurface(
        randomSpheres({.size = {60, 50, 40}, .diameter = 15.0, .periodic = periodic}), 1.0, 1e-5)));
}
