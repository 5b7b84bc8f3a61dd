// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/quantity/wall_surface.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "postprocess/fields/node_lookup.hpp"
#include "tiler/analysis/sharp_edges.hpp"

namespace tessera::postprocess::quantity {

using preprocess::geometry::TriangleMesh;
using stage::Triangle;

namespace {

constexpr std::uint32_t undivided = ~std::uint32_t{0};

// Midpoints of the long edges, created on first use.
class Middles {
 public:
  Middles(TriangleMesh& mesh, double longestEdge) : mesh_(mesh), longest_(longestEdge) {}

  std::uint32_t of(std::uint32_t a, std::uint32_t b) {
    if (!(length(mesh_.vertex[a] - mesh_.vertex[b]) > longest_)) return undivided;
    const std::uint64_t key = std::uint64_t{std::min(a, b)} << 32U | std::max(a, b);
    const auto [known, fresh] =
        known_.try_emplace(key, static_cast<std::uint32_t>(mesh_.vertex.size()));
    if (fresh) mesh_.vertex.push_back(0.5 * (mesh_.vertex[a] + mesh_.vertex[b]));
    return known->second;
  }

  // Halved until short: the vertices from a to b, both included.
  std::vector<std::uint32_t> chain(std::uint32_t a, std::uint32_t b) {
    std::vector<std::uint32_t> vertices{a};
    extend(vertices, b);
    return vertices;
  }

  [[nodiscard]] double distance(std::uint32_t a, std::uint32_t b) const {
    return length(mesh_.vertex[a] - mesh_.vertex[b]);
  }

 private:
  void extend(std::vector<std::uint32_t>& vertices, std::uint32_t b) {
    const std::uint32_t middle = of(vertices.back(), b);
    if (middle == undivided) {
      vertices.push_back(b);
      return;
    }
    extend(vertices, middle);
    extend(vertices, b);
  }

  TriangleMesh& mesh_;
  double longest_;
  std::unordered_map<std::uint64_t, std::uint32_t> known_;
};

// A triangle with long edges on both sides of its first corner: rungs between the two. Quartering
// would make 3^n slivers in n halvings instead of 2 * 2^n.
void divideSliver(const Triangle& corner, Middles& middles, std::vector<Triangle>& pieces) {
  const std::vector<std::uint32_t> left = middles.chain(corner[0], corner[1]);
  const std::vector<std::uint32_t> right = middles.chain(corner[0], corner[2]);
  pieces.push_back({corner[0], left[1], right[1]});
  std::size_t l = 1, r = 1;
  while (l + 1 < left.size() || r + 1 < right.size()) {
    const bool leftNext = r + 1 == right.size() ||
                          (l + 1 < left.size() && middles.distance(left[l + 1], right[r]) <=
                                                      middles.distance(left[l], right[r + 1]));
    if (leftNext) {
      pieces.push_back({left[l], left[l + 1], right[r]});
      ++l;
    } else {
      pieces.push_back({left[l], right[r + 1], right[r]});
      ++r;
    }
  }
}

// A triangle with only its first edge long: a fan from the opposite corner.
void divideFan(const Triangle& corner, Middles& middles, std::vector<Triangle>& pieces) {
  const std::vector<std::uint32_t> edge = middles.chain(corner[0], corner[1]);
  for (std::size_t k = 1; k < edge.size(); ++k) pieces.push_back({edge[k - 1], edge[k], corner[2]});
}

void divide(const Triangle& corner, Middles& middles, std::vector<Triangle>& pieces) {
  const Triangle middle{middles.of(corner[0], corner[1]), middles.of(corner[1], corner[2]),
                        middles.of(corner[2], corner[0])};
  const auto whole = static_cast<std::size_t>(std::count(middle.begin(), middle.end(), undivided));
  if (whole == 3) {
    pieces.push_back(corner);
    return;
  }
  if (whole == 0) {
    for (std::size_t e = 0; e < 3; ++e)
      pieces.push_back({corner[e], middle[e], middle[(e + 2) % 3]});
    pieces.push_back(middle);
    return;
  }
  // Rotated so that the first edge is the only divided one, or the second the only undivided one.
  std::size_t first = 0;
  while (whole == 2 ? middle[first] == undivided : middle[(first + 1) % 3] != undivided) ++first;
  const Triangle turned{corner[first], corner[(first + 1) % 3], corner[(first + 2) % 3]};
  if (whole == 2)
    divideFan(turned, middles, pieces);
  else
    divideSliver(turned, middles, pieces);
}

}  // namespace

TriangleMesh refineSurface(TriangleMesh mesh, double longestEdge) {
  Middles middles(mesh, longestEdge);
  for (bool divided = true; divided;) {
    std::vector<Triangle> triangles;
    std::vector<preprocess::geometry::Patch> labels;
    triangles.reserve(mesh.triangle.size());
    for (std::size_t t = 0; t < mesh.triangle.size(); ++t) {
      divide(mesh.triangle[t], middles, triangles);
      labels.resize(triangles.size(), mesh.label[t]);
    }
    divided = triangles.size() != mesh.triangle.size();
    mesh.triangle = std::move(triangles);
    mesh.label = std::move(labels);
  }
  return mesh;
}

using tiler::TiledGeometry;

namespace {

constexpr double longestEdge = 2.0;  // nodes
constexpr double edgeReach = 5.0;    // nodes

// Triangles of the surface on openings, or on walls, with the vertices that they use.
TriangleMesh trianglesOn(bool openings, const preprocess::geometry::Surface& surface) {
  TriangleMesh mesh;
  std::vector<std::uint32_t> number(surface.vertex.size(), ~std::uint32_t{0});
  for (std::size_t t = 0; t < surface.triangle.size(); ++t) {
    if (preprocess::geometry::isOpening(surface.label[t]) != openings) continue;
    stage::Triangle corner = surface.triangle[t];
    for (std::uint32_t& vertex : corner) {
      if (number[vertex] == ~std::uint32_t{0}) {
        number[vertex] = static_cast<std::uint32_t>(mesh.vertex.size());
        const Float3& place = surface.vertex[vertex];
        mesh.vertex.push_back({place[0], place[1], place[2]});
      }
      vertex = number[vertex];
    }
    mesh.triangle.push_back(corner);
    mesh.label.push_back(surface.label[t]);
  }
  return mesh;
}

WallSurface fromTriangles(const TiledGeometry& geometry) {
  WallSurface wall;
  wall.mesh = refineSurface(trianglesOn(false, geometry.surface), longestEdge);
  wall.normal.reserve(wall.mesh.triangle.size());
  for (std::size_t t = 0; t < wall.mesh.triangle.size(); ++t) {
    const Double3 area = preprocess::geometry::areaVector(wall.mesh, t);
    const double size = length(area);
    wall.normal.push_back(size > 0.0 ? (1.0 / size) * area : Double3{});
  }
  const auto edges = tiler::analysis::sharpEdges(geometry.surface);
  if (edges.empty()) return wall;
  const tiler::analysis::NearEdges near(edges, edgeReach);
  for (std::size_t t = 0; t < wall.mesh.triangle.size(); ++t)
    wall.nearEdge.push_back(near.contain(centroidOf(wall.mesh, t)));
  return wall;
}

struct VoxelFace {
  Int3 node{};
  int direction = 0;  // one of the six along an axis
  preprocess::geometry::Patch label = 0;
  Double3 normal{};
};

std::vector<VoxelFace> voxelFaces(bool openings, const TiledGeometry& geometry) {
  std::vector<VoxelFace> faces;
  for (std::size_t t = 0; t < geometry.tiles(); ++t) {
    std::uint64_t link = geometry.linkStart[t];
    for (std::uint64_t k = geometry.boundaryStart[t]; k < geometry.boundaryStart[t + 1]; ++k) {
      for (std::uint32_t rest = geometry.boundaryMask[k]; rest != 0; rest &= rest - 1, ++link) {
        const int n = std::countr_zero(rest);
        const Int3 step = preprocess::geometry::directionStep(n);
        const bool axial = step[0] * step[0] + step[1] * step[1] + step[2] * step[2] == 1;
        const preprocess::geometry::Patch patch = geometry.linkPatch[link];
        if (!axial || preprocess::geometry::isOpening(patch) != openings) continue;
        faces.push_back({geometry.nodeOf(t, geometry.boundaryLocal[k]), n, patch,
                         preprocess::geometry::normalFromCode(geometry.boundaryNormal[k])});
      }
    }
  }
  return faces;
}

// Corners of the face, counter-clockwise seen from the solid.
std::array<Int3, 4> cornersOf(const VoxelFace& face) {
  const Int3 step = preprocess::geometry::directionStep(face.direction);
  const std::size_t axis = step[0] != 0 ? 0 : (step[1] != 0 ? 1 : 2);
  const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
  Int3 corner = face.node;
  if (step[axis] > 0) ++corner[axis];
  std::array<Int3, 4> corners{corner, corner, corner, corner};
  ++corners[1][u];
  ++corners[2][u];
  ++corners[2][v];
  ++corners[3][v];
  if (step[axis] < 0) std::swap(corners[1], corners[3]);
  return corners;
}

// Two triangles per face, in their order.
TriangleMesh trianglesOf(const std::vector<VoxelFace>& faces, const TiledGeometry& geometry) {
  fields::PointNumbering numbering(geometry.nodes);
  for (const VoxelFace& face : faces)
    for (const Int3& corner : cornersOf(face)) numbering.use(corner);
  numbering.number();
  TriangleMesh mesh;
  for (const Int3& corner : numbering.corners())
    mesh.vertex.push_back({corner[0] - 0.5, corner[1] - 0.5, corner[2] - 0.5});
  for (const VoxelFace& face : faces) {
    std::array<std::uint32_t, 4> number{};
    const std::array<Int3, 4> corners = cornersOf(face);
    for (std::size_t c = 0; c < 4; ++c)
      number[c] = static_cast<std::uint32_t>(numbering.numberOf(corners[c]));
    mesh.triangle.push_back({number[0], number[1], number[2]});
    mesh.triangle.push_back({number[0], number[2], number[3]});
    mesh.label.insert(mesh.label.end(), 2, face.label);
  }
  return mesh;
}

WallSurface fromVoxels(const TiledGeometry& geometry) {
  const std::vector<VoxelFace> faces = voxelFaces(false, geometry);
  WallSurface wall{trianglesOf(faces, geometry), {}, true, {}, {}};
  for (const VoxelFace& face : faces) wall.normal.insert(wall.normal.end(), 2, face.normal);
  return wall;
}

}  // namespace

WallSurface wallSurface(const TiledGeometry& geometry) {
  return geometry.surface.triangle.empty() ? fromVoxels(geometry) : fromTriangles(geometry);
}

TriangleMesh openingCaps(const TiledGeometry& geometry) {
  return geometry.surface.triangle.empty() ? trianglesOf(voxelFaces(true, geometry), geometry)
                                           : trianglesOn(true, geometry.surface);
}

}  // namespace tessera::postprocess::quantity
