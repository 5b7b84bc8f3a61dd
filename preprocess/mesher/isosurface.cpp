// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/mesher/isosurface.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/system/parallel_for.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/mesher/surface_net.hpp"

namespace tessera::preprocess::mesher {

namespace {
constexpr int side = 8;  // of a block, cells

using CellValues = std::array<double, 8>;

struct FieldSamples {
  using Value = double;
  const geometry::DistanceField& field;
  Double3 low{};
  Double3 cell{};

  static bool isInside(double value) { return value < 0.0; }
  [[nodiscard]] Double3 point(const Int3& at) const {
    return low + Double3{at[0] * cell[0], at[1] * cell[1], at[2] * cell[2]};
  }
  [[nodiscard]] double sample(const Int3& at) const { return field(point(at)).value; }
  // Whether the surface may pass through a block; position: in blocks.
  [[nodiscard]] bool reaches(const Int3& position) const {
    const double half = 0.5 * side;
    const Double3 centre = point(side * position) + half * cell;
    return std::abs(field(centre).value) <= 1.001 * half * length(cell);
  }
};

// Appends a vertex per curve of the cell: the mean of the crossings of its edges, projected onto
// the surface.
void addVertices(const FieldSamples& samples, const Int3& cell, const CellValues& value,
                 const CellCurves& curves, std::vector<Double3>& vertex) {
  std::array<Double3, 4> sum{};
  std::array<int, 4> count{};
  for (int a = 0; a < 8; ++a)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const int b = a | (1 << axis);
      if (a == b) continue;
      const std::uint8_t curve = curves.curve[static_cast<std::size_t>(edgeBetween(a, b))];
      if (curve == notCrossed) continue;
      Double3 at{double(a & 1), double((a >> 1) & 1), double(a >> 2)};
      const double va = value[static_cast<std::size_t>(a)];
      at[axis] = va / (va - value[static_cast<std::size_t>(b)]);
      sum[curve] = sum[curve] + at;
      ++count[curve];
    }
  for (std::size_t k = 0; k < curves.count; ++k) {
    const Double3 mean = (1.0 / count[k]) * sum[k];  // in cell coordinates, 0 to 1
    vertex.push_back(
        geometry::ontoSurface(samples.field, samples.point(cell) + scaled(mean, samples.cell), 3));
  }
}

// Vertices and quads of a block.
struct BlockMesh {
  std::vector<Double3> vertex;
  std::vector<NetQuad> quad;
};

geometry::TriangleMesh triangles(const std::vector<BlockMesh>& block) {
  geometry::TriangleMesh mesh;
  for (const BlockMesh& each : block)
    mesh.vertex.insert(mesh.vertex.end(), each.vertex.begin(), each.vertex.end());
  const auto at = [&](std::uint32_t v) -> const Double3& { return mesh.vertex[v]; };
  for (const BlockMesh& each : block)
    for (const NetQuad& q : each.quad)
      for (const auto& half : halvesOf({at(q[0]), at(q[1]), at(q[2]), at(q[3])}))
        mesh.triangle.push_back({q[half[0]], q[half[1]], q[half[2]]});
  return mesh;
}

Int3 blocksIn(const Double3& low, const Double3& high, double cell) {
  Int3 blocks;
  for (std::size_t a = 0; a < 3; ++a)
    blocks[a] = static_cast<int>(std::ceil((high[a] - low[a]) / (cell * side)));
  return blocks;
}
}  // namespace

geometry::TriangleMesh isosurface(const geometry::DistanceField& field, const Double3& low,
                                  const Double3& high, double cell) {
  const FieldSamples samples{field, low, {cell, cell, cell}};
  SurfaceNet net(blocksIn(low, high, cell), {side, side, side}, {false, false, false});
  net.findBlocks(samples);
  std::vector<BlockMesh> block(net.blocks().size());
  net.findCells(samples, [&](std::size_t b, const Int3& at, const CellValues& value,
                             const CellCurves& curves) {
    addVertices(samples, at, value, curves, block[b].vertex);
  });
  const std::uint64_t vertices = net.numberVertices();
  if (vertices > std::numeric_limits<std::uint32_t>::max())
    stage::fail(stage::ExitCode::NoResource,
                fmt::format("the surface would have {} vertices, more than the 4294967295 of a "
                            "mesh: make it coarser.",
                            vertices));
  stage::parallelFor(block.size(), [&](std::size_t b) {
    net.forEachQuad(net.blocks()[b], [&](const CrossedEdge&, const NetQuad& quad) {
      block[b].quad.push_back(quad);
    });
  });
  return triangles(block);
}

// Tangential relaxation and Delaunay edge flips (sum of the two angles opposite an edge above pi),
// after Botsch and Kobbelt's incremental remeshing (SGP 2004), without its splits and collapses,
// which an even initial mesh does not need.

using geometry::TriangleMesh;
using geometry::VertexTriangles;
using stage::Triangle;

namespace {
constexpr std::uint32_t noTriangle = 0xffffffff;

std::size_t cornerOf(const Triangle& triangle, std::uint32_t vertex) {
  return triangle[0] == vertex ? 0 : (triangle[1] == vertex ? 1 : 2);
}

// Triangle across edge a-b of triangle t.
std::uint32_t across(const TriangleMesh& mesh, const VertexTriangles& around, std::uint32_t t,
                     std::uint32_t a, std::uint32_t b) {
  for (const std::uint32_t other : around[a]) {
    const Triangle& corner = mesh.triangle[other];
    if (other != t && (corner[0] == b || corner[1] == b || corner[2] == b)) return other;
  }
  return noTriangle;
}

bool adjacent(const TriangleMesh& mesh, const VertexTriangles& around, std::uint32_t a,
              std::uint32_t b) {
  return across(mesh, around, noTriangle, a, b) != noTriangle;
}

// The two neighbours of v along the rim; absent for inner vertices.
std::optional<std::array<std::uint32_t, 2>> rimNeighbours(const TriangleMesh& mesh,
                                                          const VertexTriangles& around,
                                                          std::uint32_t v) {
  std::array<std::uint32_t, 2> neighbour{};
  std::size_t found = 0;
  for (const std::uint32_t t : around[v]) {
    const std::size_t c = cornerOf(mesh.triangle[t], v);
    for (std::size_t s : {std::size_t{1}, std::size_t{2}}) {
      const std::uint32_t w = mesh.triangle[t][(c + s) % 3];
      if (across(mesh, around, t, v, w) == noTriangle && found < 2) neighbour[found++] = w;
    }
  }
  if (found != 2) return std::nullopt;
  return neighbour;
}

Double3 alongRim(const TriangleMesh& mesh, const RimPosition& onRim, std::uint32_t v,
                 const std::array<std::uint32_t, 2>& neighbour) {
  const Double3& at = mesh.vertex[v];
  if (!onRim) return at;
  return onRim(at, 0.5 * (mesh.vertex[neighbour[0]] + mesh.vertex[neighbour[1]]));
}

// Area-weighted mean of the triangles' centroids, projected onto the surface.
Double3 alongSurface(const TriangleMesh& mesh, const VertexTriangles& around,
                     const geometry::DistanceField& field, std::uint32_t v) {
  Double3 sum{};
  double weight = 0.0;
  for (const std::uint32_t t : around[v]) {
    const Triangle& corner = mesh.triangle[t];
    const double area = length(geometry::areaVector(mesh, t));
    sum = sum +
          (area / 3.0) * (mesh.vertex[corner[0]] + mesh.vertex[corner[1]] + mesh.vertex[corner[2]]);
    weight += area;
  }
  if (!(weight > 0.0)) return mesh.vertex[v];
  return geometry::ontoSurface(field, (1.0 / weight) * sum, 2);
}

void smooth(TriangleMesh& mesh, const VertexTriangles& around, const geometry::DistanceField& field,
            const RimPosition& onRim) {
  std::vector<Double3> moved(mesh.vertex.size());
  stage::parallelFor(moved.size(), [&](std::size_t k) {
    const auto v = static_cast<std::uint32_t>(k);
    const auto rim = rimNeighbours(mesh, around, v);
    moved[k] = rim ? alongRim(mesh, onRim, v, *rim) : alongSurface(mesh, around, field, v);
  });
  mesh.vertex = std::move(moved);
}

double angleAt(const Double3& apex, const Double3& a, const Double3& b) {
  const Double3 toA = a - apex;
  const Double3 toB = b - apex;
  return std::atan2(length(cross(toA, toB)), dot(toA, toB));
}

// One sweep; at most one flip per triangle, so that the adjacency stays valid.
void flipEdges(TriangleMesh& mesh, const VertexTriangles& around) {
  std::vector<bool> touched(mesh.triangle.size(), false);
  std::vector<bool> busy(mesh.vertex.size(), false);
  for (std::uint32_t t = 0; t < mesh.triangle.size(); ++t)
    for (std::size_t c = 0; c < 3 && !touched[t]; ++c) {
      const std::uint32_t a = mesh.triangle[t][c];
      const std::uint32_t b = mesh.triangle[t][(c + 1) % 3];
      const std::uint32_t top = mesh.triangle[t][(c + 2) % 3];
      if (a > b || busy[a] || busy[b]) continue;
      const std::uint32_t other = across(mesh, around, t, a, b);
      if (other == noTriangle || touched[other]) continue;
      const std::uint32_t bottom =
          mesh.triangle[other][(cornerOf(mesh.triangle[other], a) + 1) % 3];
      if (busy[top] || busy[bottom] || adjacent(mesh, around, top, bottom)) continue;
      const auto& p = mesh.vertex;
      if (angleAt(p[top], p[a], p[b]) + angleAt(p[bottom], p[a], p[b]) < 1.0001 * M_PI) continue;
      mesh.triangle[t] = {a, bottom, top};
      mesh.triangle[other] = {bottom, b, top};
      touched[t] = touched[other] = true;
      busy[a] = busy[b] = busy[top] = busy[bottom] = true;
    }
}
}  // namespace

void relax(TriangleMesh& mesh, const geometry::DistanceField& field, int rounds,
           const RimPosition& onRim) {
  for (int round = 0; round < rounds; ++round) {
    flipEdges(mesh, geometry::trianglesAroundVertices(mesh));
    smooth(mesh, geometry::trianglesAroundVertices(mesh), field, onRim);
  }
}

}  // namespace tessera::preprocess::mesher
