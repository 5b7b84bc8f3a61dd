// SPDX-License-Identifier: GPL-3.0-or-later
// Well-shaped triangles: tangential relaxation and Delaunay edge flips (sum of the two angles
// opposite an edge above pi), as in Botsch and Kobbelt's incremental remeshing (SGP 2004) without
// its splits and collapses, which an even start does not need.
#include "preprocess/mesher/relax.hpp"

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "pipelines/stage/system/parallel_for.hpp"

namespace tessera::preprocess::mesher {

using geometry::TriangleMesh;
using stage::Triangle;

namespace {
constexpr std::uint32_t noTriangle = 0xffffffff;

std::size_t cornerOf(const Triangle& triangle, std::uint32_t vertex) {
  return triangle[0] == vertex ? 0 : (triangle[1] == vertex ? 1 : 2);
}

// Corners by vertex: the triangles around vertex v are around[first[v]] .. around[first[v + 1]).
struct Umbrella {
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> around;
};

Umbrella umbrellas(const TriangleMesh& mesh) {
  Umbrella u;
  u.first.assign(mesh.vertex.size() + 1, 0);
  for (const Triangle& t : mesh.triangle)
    for (std::uint32_t v : t) ++u.first[v + 1];
  for (std::size_t v = 1; v < u.first.size(); ++v) u.first[v] += u.first[v - 1];
  u.around.resize(3 * mesh.triangle.size());
  std::vector<std::uint32_t> next(u.first.begin(), u.first.end() - 1);
  for (std::uint32_t t = 0; t < mesh.triangle.size(); ++t)
    for (std::uint32_t v : mesh.triangle[t]) u.around[next[v]++] = t;
  return u;
}

// The triangle on the other side of edge a-b of triangle t.
std::uint32_t across(const TriangleMesh& mesh, const Umbrella& u, std::uint32_t t, std::uint32_t a,
                     std::uint32_t b) {
  for (std::uint32_t k = u.first[a]; k < u.first[a + 1]; ++k) {
    const std::uint32_t other = u.around[k];
    const Triangle& corner = mesh.triangle[other];
    if (other != t && (corner[0] == b || corner[1] == b || corner[2] == b)) return other;
  }
  return noTriangle;
}

bool adjacent(const TriangleMesh& mesh, const Umbrella& u, std::uint32_t a, std::uint32_t b) {
  return across(mesh, u, noTriangle, a, b) != noTriangle;
}

// The two neighbours of v along the rim; nothing for a vertex within the surface.
std::optional<std::array<std::uint32_t, 2>> rimNeighbours(const TriangleMesh& mesh,
                                                          const Umbrella& u, std::uint32_t v) {
  std::array<std::uint32_t, 2> neighbour{};
  std::size_t found = 0;
  for (std::uint32_t k = u.first[v]; k < u.first[v + 1]; ++k) {
    const std::uint32_t t = u.around[k];
    const std::size_t c = cornerOf(mesh.triangle[t], v);
    for (std::size_t s : {std::size_t{1}, std::size_t{2}}) {
      const std::uint32_t w = mesh.triangle[t][(c + s) % 3];
      if (across(mesh, u, t, v, w) == noTriangle && found < 2) neighbour[found++] = w;
    }
  }
  if (found != 2) return std::nullopt;
  return neighbour;
}

Double3 alongRim(const TriangleMesh& mesh, const RimPlace& onRim, std::uint32_t v,
                 const std::array<std::uint32_t, 2>& neighbour) {
  const Double3& at = mesh.vertex[v];
  if (!onRim) return at;
  return onRim(at, 0.5 * (mesh.vertex[neighbour[0]] + mesh.vertex[neighbour[1]]));
}

// Mean of the triangles' centroids, weighted by area, brought back onto the surface.
Double3 alongSurface(const TriangleMesh& mesh, const Umbrella& u,
                     const geometry::DistanceField& field, std::uint32_t v) {
  Double3 sum{};
  double weight = 0.0;
  for (std::uint32_t k = u.first[v]; k < u.first[v + 1]; ++k) {
    const Triangle& t = mesh.triangle[u.around[k]];
    const double area = length(geometry::areaVector(mesh, u.around[k]));
    sum = sum + (area / 3.0) * (mesh.vertex[t[0]] + mesh.vertex[t[1]] + mesh.vertex[t[2]]);
    weight += area;
  }
  if (!(weight > 0.0)) return mesh.vertex[v];
  return geometry::ontoSurface(field, (1.0 / weight) * sum, 2);
}

void smooth(TriangleMesh& mesh, const Umbrella& u, const geometry::DistanceField& field,
            const RimPlace& onRim) {
  std::vector<Double3> moved(mesh.vertex.size());
  stage::parallelFor(moved.size(), [&](std::size_t k) {
    const auto v = static_cast<std::uint32_t>(k);
    const auto rim = rimNeighbours(mesh, u, v);
    moved[k] = rim ? alongRim(mesh, onRim, v, *rim) : alongSurface(mesh, u, field, v);
  });
  mesh.vertex = std::move(moved);
}

double angleAt(const Double3& apex, const Double3& a, const Double3& b) {
  const Double3 toA = a - apex;
  const Double3 toB = b - apex;
  return std::atan2(length(cross(toA, toB)), dot(toA, toB));
}

// One sweep; a triangle takes part in one flip a sweep, so that the umbrellas stay valid for it.
void flipEdges(TriangleMesh& mesh, const Umbrella& u) {
  std::vector<bool> touched(mesh.triangle.size(), false);
  std::vector<bool> busy(mesh.vertex.size(), false);
  for (std::uint32_t t = 0; t < mesh.triangle.size(); ++t)
    for (std::size_t c = 0; c < 3 && !touched[t]; ++c) {
      const std::uint32_t a = mesh.triangle[t][c];
      const std::uint32_t b = mesh.triangle[t][(c + 1) % 3];
      const std::uint32_t top = mesh.triangle[t][(c + 2) % 3];
      if (a > b || busy[a] || busy[b]) continue;
      const std::uint32_t other = across(mesh, u, t, a, b);
      if (other == noTriangle || touched[other]) continue;
      const std::uint32_t bottom =
          mesh.triangle[other][(cornerOf(mesh.triangle[other], a) + 1) % 3];
      if (busy[top] || busy[bottom] || adjacent(mesh, u, top, bottom)) continue;
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
           const RimPlace& onRim) {
  for (int round = 0; round < rounds; ++round) {
    flipEdges(mesh, umbrellas(mesh));
    smooth(mesh, umbrellas(mesh), field, onRim);
  }
}

}  // namespace tessera::preprocess::mesher
