// SPDX-License-Identifier: GPL-3.0-or-later
// No triangle of the demo vessel crosses another, by CGAL as an oracle.
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Polygon_mesh_processing/self_intersections.h>
#include <CGAL/Surface_mesh.h>

#include <catch2/catch.hpp>

#include "preprocess/sample/sample.hpp"

using namespace tessera;

TEST_CASE("The aneurysm does not intersect itself, as written in single precision", "[unit]") {
  using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
  CGAL::Surface_mesh<Kernel::Point_3> surface;
  const TriangleMesh mesh = sampleAneurysm({}, 0.25e-3);
  using Index = CGAL::Surface_mesh<Kernel::Point_3>::Vertex_index;
  for (const Double3& v : mesh.vertex)
    surface.add_vertex({static_cast<float>(1e3 * v[0]), static_cast<float>(1e3 * v[1]),
                        static_cast<float>(1e3 * v[2])});
  for (const Triangle& t : mesh.triangle) surface.add_face(Index(t[0]), Index(t[1]), Index(t[2]));
  REQUIRE(surface.number_of_faces() == mesh.triangle.size());  // CGAL refuses what is not manifold
  CHECK_FALSE(CGAL::Polygon_mesh_processing::does_self_intersect(surface));
}
