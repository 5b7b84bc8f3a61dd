// SPDX-License-Identifier: GPL-3.0-or-later
// CGAL as the oracle of the voxeliser and of the links: exact predicates decide what is inside, and
// the tree of all triangles where a link first meets the surface.
#include <CGAL/AABB_face_graph_triangle_primitive.h>
#include <CGAL/AABB_traits.h>
#include <CGAL/AABB_tree.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Side_of_triangle_mesh.h>
#include <CGAL/Surface_mesh.h>

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>

#include "lattice_meshes.hpp"
#include "preprocess/lattice/links.hpp"
#include "preprocess/lattice/voxelise.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Point = Kernel::Point_3;
using Surface3 = CGAL::Surface_mesh<Point>;
using Primitive = CGAL::AABB_face_graph_triangle_primitive<Surface3>;
using Tree = CGAL::AABB_tree<CGAL::AABB_traits<Kernel, Primitive>>;

constexpr std::array<bool, 3> open{false, false, false};
// The voxeliser rounds vertices to 2^-16 nodes, so nodes this close to the surface may fall to
// either side.
constexpr double rounding = 3e-5;

Surface3 surfaceOf(const TriangleMesh& mesh) {
  Surface3 surface;
  using Vertex = Surface3::Vertex_index;
  for (const Double3& v : mesh.vertex) surface.add_vertex({v[0], v[1], v[2]});
  for (const Triangle& t : mesh.triangle)
    surface.add_face(Vertex(t[0]), Vertex(t[1]), Vertex(t[2]));
  REQUIRE(surface.number_of_faces() == mesh.triangle.size());
  return surface;
}

Point pointAt(int x, int y, int z) {
  return {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)};
}

std::size_t countOnWrongSide(const BitLattice& fluid, const Surface3& surface, const Tree& tree) {
  const CGAL::Side_of_triangle_mesh<Surface3, Kernel> side(surface);
  std::size_t wrong = 0;
  for (int z = 0; z < fluid.size[2]; ++z)
    for (int y = 0; y < fluid.size[1]; ++y)
      for (int x = 0; x < fluid.size[0]; ++x) {
        const Point node = pointAt(x, y, z);
        const bool inside = side(node) == CGAL::ON_BOUNDED_SIDE;
        if (inside != fluid.at(x, y, z) && tree.squared_distance(node) > rounding * rounding)
          ++wrong;
      }
  return wrong;
}

// Of a link, in parts of it; above 1 where the tree finds no crossing.
double firstCrossing(const Tree& tree, const Int3& node, const Int3& step) {
  const Point from = pointAt(node[0], node[1], node[2]);
  const Kernel::Vector_3 along(step[0], step[1], step[2]);
  double first = 2.0;
  std::vector<Tree::Intersection_and_primitive_id<Kernel::Segment_3>::Type> crossings;
  tree.all_intersections(Kernel::Segment_3(from, from + (1.0 + rounding) * along),
                         std::back_inserter(crossings));
  for (const auto& crossing : crossings)
    if (const auto* point = boost::get<Point>(&crossing.first))
      first = std::min(first, (*point - from) * along / along.squared_length());
  return first;
}

// How many links' distances differ from the tree's by more than rounding and the stored 16 bits.
// Where a link grazes the surface rounding decides whether it crosses, so a few may.
std::size_t countOtherDistances(const BitLattice& fluid, const BoundaryNodes& boundary,
                                const Tree& tree) {
  std::size_t link = 0;
  std::size_t other = 0;
  for (std::size_t k = 0; k < boundary.node.size(); ++k) {
    const auto nx = static_cast<std::uint64_t>(fluid.size[0]);
    const auto ny = static_cast<std::uint64_t>(fluid.size[1]);
    const std::uint64_t at = boundary.node[k];
    const Int3 node{static_cast<int>(at % nx), static_cast<int>(at / nx % ny),
                    static_cast<int>(at / nx / ny)};
    for (std::uint32_t rest = boundary.mask[k]; rest != 0; rest &= rest - 1, ++link) {
      const double exact = firstCrossing(tree, node, directionStep(std::countr_zero(rest)));
      const double ours = distanceFromCode(boundary.distance[link]);
      other += std::abs(ours - exact) > 1.0 / 65536.0 + 20.0 * rounding ? 1 : 0;
    }
  }
  return other;
}

void checkAgainstCgal(const TriangleMesh& mesh, const Int3& nodes) {
  const Surface3 surface = surfaceOf(mesh);
  const Tree tree(faces(surface).first, faces(surface).second, surface);
  const BitLattice fluid = voxelise(mesh, nodes, open);
  CHECK(countOnWrongSide(fluid, surface, tree) == 0);
  const FoundLinks found = findLinks(fluid, open, mesh);
  REQUIRE(found.boundary.distance.size() > 1000);
  CHECK(countOtherDistances(fluid, found.boundary, tree) <= found.boundary.distance.size() / 2000);
}

}  // namespace

TEST_CASE("Nodes and links agree with CGAL on small, large and long triangles", "[unit]") {
  checkAgainstCgal(sphereMesh({14.3, 14.1, 14.7}, 13.2, 160, 80), {30, 29, 29});
  checkAgainstCgal(sphereMesh({9.3, 9.1, 9.7}, 8.2, 12, 6), {20, 19, 19});
  checkAgainstCgal(tubeMesh({7.1, 8.3, 7.7}, {46.2, 26.1, 22.9}, 5.9, 64, true), {55, 36, 32});
}
