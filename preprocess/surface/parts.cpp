// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/parts.hpp"

#include <algorithm>
#include <numeric>

namespace tessera {
namespace {

// The part of each vertex, named by its lowest vertex.
std::vector<std::uint32_t> partOfVertex(const TriangleMesh& mesh) {
  std::vector<std::uint32_t> parent(mesh.vertex.size());
  std::iota(parent.begin(), parent.end(), 0U);
  const auto root = [&](std::uint32_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  for (const Triangle& t : mesh.triangle)
    for (std::size_t c = 1; c < 3; ++c) {
      const std::uint32_t a = root(t[0]), b = root(t[c]);
      parent[std::max(a, b)] = std::min(a, b);
    }
  for (std::uint32_t v = 0; v < parent.size(); ++v) parent[v] = parent[parent[v]];
  return parent;
}

void add(const TriangleMesh& mesh, const Triangle& t, Part& part) {
  const Double3& from = mesh.vertex[part.vertex];
  const Double3 a = mesh.vertex[t[0]] - from, b = mesh.vertex[t[1]] - from,
                c = mesh.vertex[t[2]] - from;
  ++part.triangles;
  part.area += 0.5 * length(cross(b - a, c - a));
  part.volume += dot(a, cross(b, c)) / 6.0;
  for (const std::uint32_t v : t)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      part.low[axis] = std::min(part.low[axis], mesh.vertex[v][axis]);
      part.high[axis] = std::max(part.high[axis], mesh.vertex[v][axis]);
    }
}

}  // namespace

Parts partsOf(const TriangleMesh& mesh) {
  std::vector<std::uint32_t> partOf = partOfVertex(mesh);
  std::vector<char> used(mesh.vertex.size(), 0);
  for (const Triangle& t : mesh.triangle) used[partOf[t[0]]] = 1;
  Parts parts;
  std::vector<std::uint32_t> index(mesh.vertex.size(), 0);
  for (std::uint32_t v = 0; v < mesh.vertex.size(); ++v)
    if (used[v]) {
      index[v] = static_cast<std::uint32_t>(parts.part.size());
      parts.part.emplace_back().vertex = v;
    }
  parts.ofTriangle.resize(mesh.triangle.size());
  for (std::size_t t = 0; t < mesh.triangle.size(); ++t) {
    parts.ofTriangle[t] = index[partOf[mesh.triangle[t][0]]];
    add(mesh, mesh.triangle[t], parts.part[parts.ofTriangle[t]]);
  }
  return parts;
}

}  // namespace tessera
