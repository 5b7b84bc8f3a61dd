// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/picture/surface.hpp"

#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <cmath>

namespace tessera::picture {

void forEachEdge(std::span<const stage::Triangle> triangle,
                 const std::function<void(const Edge& edge, std::size_t triangles)>& visit) {
  std::vector<Edge> all;
  all.reserve(3 * triangle.size());
  for (const stage::Triangle& t : triangle)
    for (std::size_t k = 0; k < 3; ++k) {
      const auto [low, high] = std::minmax(t[k], t[(k + 1) % 3]);
      all.push_back({low, high});
    }
  tbb::parallel_sort(all.begin(), all.end());
  for (std::size_t i = 0; i < all.size();) {
    std::size_t end = i + 1;
    while (end < all.size() && all[end] == all[i]) ++end;
    visit(all[i], end - i);
    i = end;
  }
}

std::vector<Edge> rimEdges(std::span<const stage::Triangle> triangle) {
  std::vector<Edge> rims;
  forEachEdge(triangle, [&](const Edge& edge, std::size_t triangles) {
    if (triangles == 1) rims.push_back(edge);
  });
  return rims;
}

std::vector<std::array<Float3, 3>> smoothNormals(std::span<const Double3> vertex,
                                                 std::span<const stage::Triangle> triangle,
                                                 double crease) {
  const double least = std::cos(crease * 3.14159265358979 / 180.0);
  std::vector<std::size_t> start(vertex.size() + 1, 0);
  for (const stage::Triangle& t : triangle)
    for (std::uint32_t v : t) ++start[v + 1];
  for (std::size_t v = 0; v < vertex.size(); ++v) start[v + 1] += start[v];
  std::vector<std::uint32_t> around(start.back());
  std::vector<std::size_t> next(start.begin(), start.end() - 1);
  std::vector<Double3> face(triangle.size());
  for (std::size_t t = 0; t < triangle.size(); ++t) {
    const stage::Triangle& c = triangle[t];
    face[t] = cross(vertex[c[1]] - vertex[c[0]], vertex[c[2]] - vertex[c[0]]);
    for (std::uint32_t v : c) around[next[v]++] = static_cast<std::uint32_t>(t);
  }
  std::vector<std::array<Float3, 3>> normals(triangle.size());
  tbb::parallel_for(std::size_t{0}, triangle.size(), [&](std::size_t t) {
    for (std::size_t k = 0; k < 3; ++k) {
      Double3 sum{};
      const std::uint32_t v = triangle[t][k];
      for (std::size_t i = start[v]; i < start[v + 1]; ++i) {
        const Double3& other = face[around[i]];
        if (dot(other, face[t]) >= least * length(other) * length(face[t])) sum = sum + other;
      }
      const double size = length(sum);
      const Double3 unit = size > 0.0 ? (1.0 / size) * sum : Double3{0.0, 0.0, 1.0};
      normals[t][k] = {static_cast<float>(unit[0]), static_cast<float>(unit[1]),
                       static_cast<float>(unit[2])};
    }
  });
  return normals;
}

}  // namespace tessera::picture
