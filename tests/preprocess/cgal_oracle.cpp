// SPDX-License-Identifier: GPL-3.0-or-later
#include "cgal_oracle.hpp"

#include <CGAL/AABB_face_graph_triangle_primitive.h>
#include <CGAL/AABB_traits.h>
#include <CGAL/AABB_tree.h>
#include <CGAL/Exact_predicates_exact_constructions_kernel.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Side_of_triangle_mesh.h>
#include <CGAL/Surface_mesh.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>

namespace tessera::test {

using namespace tessera::preprocess::geometry;
using namespace tessera::stage;

namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Exact = CGAL::Exact_predicates_exact_constructions_kernel;
using Point = Kernel::Point_3;
using Surface3 = CGAL::Surface_mesh<Point>;
using Primitive = CGAL::AABB_face_graph_triangle_primitive<Surface3>;
using Tree = CGAL::AABB_tree<CGAL::AABB_traits<Kernel, Primitive>>;

Surface3 surfaceOf(const TriangleMesh& mesh) {
  Surface3 surface;
  using Vertex = Surface3::Vertex_index;
  for (const Double3& v : mesh.vertex) surface.add_vertex({v[0], v[1], v[2]});
  for (const Triangle& t : mesh.triangle)
    surface.add_face(Vertex(t[0]), Vertex(t[1]), Vertex(t[2]));
  if (surface.number_of_faces() != mesh.triangle.size() || !CGAL::is_closed(surface))
    throw std::runtime_error("CGAL takes only closed manifold meshes");
  return surface;
}

Point pointAt(const Double3& p) {
  return {p[0], p[1], p[2]};
}
Exact::Point_3 exactly(const Double3& p) {
  return {p[0], p[1], p[2]};
}

}  // namespace

struct CgalOracle::Known {
  explicit Known(const TriangleMesh& triangles)
      : mesh(triangles),
        surface(surfaceOf(triangles)),
        tree(faces(surface).first, faces(surface).second, surface),
        side(tree) {
    tree.accelerate_distance_queries();
  }
  TriangleMesh mesh;
  Surface3 surface;  // its faces are numbered like the triangles
  Tree tree;
  CGAL::Side_of_triangle_mesh<Surface3, Kernel> side;
};

CgalOracle::CgalOracle(const TriangleMesh& mesh) : known_(std::make_unique<Known>(mesh)) {}
CgalOracle::~CgalOracle() = default;

bool CgalOracle::inside(const Double3& point) const {
  return known_->side(pointAt(point)) == CGAL::ON_BOUNDED_SIDE;
}

double CgalOracle::distanceTo(const Double3& point) const {
  return std::sqrt(known_->tree.squared_distance(pointAt(point)));
}

std::vector<std::size_t> CgalOracle::trianglesWithin(const Double3& point, double distance) const {
  std::vector<Surface3::Face_index> faces;
  known_->tree.all_intersected_primitives(Kernel::Sphere_3(pointAt(point), distance * distance),
                                          std::back_inserter(faces));
  return {faces.begin(), faces.end()};
}

std::vector<CgalOracle::Crossing> CgalOracle::crossings(const Double3& from, const Double3& step,
                                                        double most) const {
  std::vector<Surface3::Face_index> faces;
  known_->tree.all_intersected_primitives(
      Kernel::Segment_3(pointAt(from), pointAt(from + most * step)), std::back_inserter(faces));
  std::vector<Crossing> found;
  const Exact::Vector_3 along(step[0], step[1], step[2]);
  for (const Surface3::Face_index face : faces) {
    const auto& [a, b, c] = known_->mesh.triangle[face];
    const auto corner = [&](std::uint32_t v) { return exactly(known_->mesh.vertex[v]); };
    const Exact::Vector_3 normal =
        CGAL::cross_product(corner(b) - corner(a), corner(c) - corner(a));
    const Exact::FT speed = normal * along;
    if (speed == 0) continue;
    found.push_back(
        {CGAL::to_double((normal * (corner(a) - exactly(from))) / speed), std::size_t{face}});
  }
  std::sort(found.begin(), found.end(), [](const Crossing& a, const Crossing& b) {
    return a.along != b.along ? a.along < b.along : a.triangle < b.triangle;
  });
  return found;
}

}  // namespace tessera::test
