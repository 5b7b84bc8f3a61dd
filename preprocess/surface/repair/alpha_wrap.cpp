// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/repair/alpha_wrap.hpp"

#include <CGAL/AABB_face_graph_triangle_primitive.h>
#include <CGAL/AABB_traits.h>
#include <CGAL/AABB_tree.h>
#include <CGAL/AABB_triangle_primitive.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Surface_mesh.h>
#include <CGAL/alpha_wrap_3.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "pipelines/stage/cli/progress.hpp"

namespace tessera::preprocess::surface {

using geometry::TriangleMesh;

namespace {

using WrapKernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using WrapPoint = WrapKernel::Point_3;
using WrapMesh = CGAL::Surface_mesh<WrapPoint>;

struct TooManyVertices {};

// Counts inserted points (CGAL's visitor of the wrap).
struct WrapCounter {
  WrapSize size;
  stage::Progress* progress;
  std::uint64_t* vertices;

  template <class Wrapper>
  void on_alpha_wrapping_begin(const Wrapper&) {}
  template <class Wrapper>
  void on_flood_fill_begin(const Wrapper&) {}
  template <class Wrapper, class Gate>
  void before_facet_treatment(const Wrapper&, const Gate&) {}
  template <class Wrapper, class Point>
  void before_Steiner_point_insertion(const Wrapper&, const Point&) {
    if (++*vertices > size.most) throw TooManyVertices{};
    if (*vertices % 1024 == 0) progress->update(std::min(*vertices, size.expected));
  }
  template <class Wrapper, class Vertex>
  void after_Steiner_point_insertion(const Wrapper&, Vertex) {}
  template <class Wrapper>
  void on_flood_fill_end(const Wrapper&) {}
  template <class Wrapper>
  void on_alpha_wrapping_end(const Wrapper&) {}
};

}  // namespace

std::optional<TriangleMesh> alphaWrap(const TriangleMesh& mesh, double alpha, double offset,
                                      const WrapSize& size) {
  // In units of alpha about the first vertex, since CGAL has absolute tolerances.
  const Double3 origin = mesh.vertex[mesh.triangle[0][0]];
  std::vector<WrapPoint> points;
  for (const Double3& v : mesh.vertex) {
    const Double3 p = (1.0 / alpha) * (v - origin);
    points.emplace_back(p[0], p[1], p[2]);
  }
  std::vector<std::array<std::size_t, 3>> faces;
  for (const stage::Triangle& t : mesh.triangle) faces.push_back({t[0], t[1], t[2]});
  stage::Progress progress("wrap", size.expected);
  std::uint64_t vertices = 0;
  const WrapCounter counter{size, &progress, &vertices};
  WrapMesh wrap;
  try {
    CGAL::alpha_wrap_3(points, faces, 1.0, offset / alpha, wrap, CGAL::parameters::default_values(),
                       CGAL::parameters::visitor(counter));
  } catch (const TooManyVertices&) {
    return std::nullopt;
  }
  progress.finish();
  TriangleMesh closed;
  for (const auto v : wrap.vertices()) {
    const WrapPoint& p = wrap.point(v);
    closed.vertex.push_back(origin + alpha * Double3{p.x(), p.y(), p.z()});
  }
  for (const auto f : wrap.faces()) {
    stage::Triangle t{};
    std::size_t c = 0;
    for (const auto v : wrap.vertices_around_face(wrap.halfedge(f)))
      t[c++] = static_cast<std::uint32_t>(v.idx());
    closed.triangle.push_back(t);
  }
  return closed;
}

namespace {

using TreeTriangles = std::vector<WrapKernel::Triangle_3>;
using TreePrimitive = CGAL::AABB_triangle_primitive<WrapKernel, TreeTriangles::const_iterator>;
using BoxTree = CGAL::AABB_tree<CGAL::AABB_traits<WrapKernel, TreePrimitive>>;

}  // namespace

struct SurfaceTree::Tree {
  TreeTriangles triangle;
  std::vector<std::uint32_t> index;  // in the mesh
  BoxTree boxes;
};

SurfaceTree::SurfaceTree(const TriangleMesh& mesh) {
  auto tree = std::make_unique<Tree>();
  const auto at = [&](std::uint32_t v) {
    const Double3& p = mesh.vertex[v];
    return WrapPoint(p[0], p[1], p[2]);
  };
  for (std::uint32_t t = 0; t < mesh.triangle.size(); ++t) {
    const stage::Triangle& corner = mesh.triangle[t];
    const WrapKernel::Triangle_3 triangle(at(corner[0]), at(corner[1]), at(corner[2]));
    if (triangle.is_degenerate()) continue;
    tree->triangle.push_back(triangle);
    tree->index.push_back(t);
  }
  tree->boxes.insert(tree->triangle.cbegin(), tree->triangle.cend());
  tree->boxes.build();
  tree->boxes.accelerate_distance_queries();
  tree_ = std::move(tree);
}

SurfaceTree::~SurfaceTree() = default;

NearestPoint SurfaceTree::nearest(const Double3& point) const {
  const auto found = tree_->boxes.closest_point_and_primitive({point[0], point[1], point[2]});
  return {{found.first.x(), found.first.y(), found.first.z()},
          tree_->index[static_cast<std::size_t>(found.second - tree_->triangle.cbegin())]};
}

bool SurfaceTree::encloses(const Double3& point) const {
  // A direction that no regular surface has, so that edges are not met.
  const WrapKernel::Ray_3 ray(WrapPoint(point[0], point[1], point[2]),
                              WrapKernel::Vector_3(0.5773, 0.2113, 0.7887));
  return tree_->boxes.number_of_intersected_primitives(ray) % 2 == 1;
}

}  // namespace tessera::preprocess::surface
