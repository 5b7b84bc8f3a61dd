// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/geometry/mesh.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <numbers>
#include <utility>

namespace tessera::preprocess::geometry {

namespace {

template <class PerTriangle>
double sumOver(const TriangleMesh& mesh, PerTriangle value) {
  using Range = tbb::blocked_range<std::size_t>;
  return tbb::parallel_deterministic_reduce(
      Range(0, mesh.triangle.size(), 1 << 13), 0.0,
      [&](const Range& range, double sum) {
        for (std::size_t t = range.begin(); t < range.end(); ++t) sum += value(t);
        return sum;
      },
      std::plus<>{});
}

template <class Visit>
void forCorners(const TriangleMesh& mesh, const Visit& visit) {
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, mesh.triangle.size(), 1 << 13),
                    [&](const auto& range) {
                      for (std::size_t t = range.begin(); t < range.end(); ++t)
                        for (const std::uint32_t v : mesh.triangle[t])
                          visit(v, static_cast<std::uint32_t>(t));
                    });
}

}  // namespace

void appendMesh(TriangleMesh& mesh, const TriangleMesh& more) {
  const auto shift = static_cast<std::uint32_t>(mesh.vertex.size());
  if (mesh.label.empty() && !more.label.empty()) mesh.label.assign(mesh.triangle.size(), Patch{0});
  mesh.vertex.insert(mesh.vertex.end(), more.vertex.begin(), more.vertex.end());
  for (const stage::Triangle& t : more.triangle)
    mesh.triangle.push_back({t[0] + shift, t[1] + shift, t[2] + shift});
  mesh.label.insert(mesh.label.end(), more.label.begin(), more.label.end());
  if (!mesh.label.empty()) mesh.label.resize(mesh.triangle.size(), Patch{0});
}

std::vector<std::uint32_t> dropUnusedVertices(TriangleMesh& mesh) {
  std::vector<std::uint32_t> newIndex(mesh.vertex.size(), unusedVertex);
  for (const stage::Triangle& t : mesh.triangle)
    for (const std::uint32_t v : t) newIndex[v] = 0;
  std::uint32_t next = 0;
  for (std::size_t v = 0; v < newIndex.size(); ++v) {
    if (newIndex[v] == unusedVertex) continue;
    mesh.vertex[next] = mesh.vertex[v];
    newIndex[v] = next++;
  }
  mesh.vertex.resize(next);
  for (stage::Triangle& t : mesh.triangle)
    for (std::uint32_t& v : t) v = newIndex[v];
  return newIndex;
}

VertexTriangles trianglesAroundVertices(const TriangleMesh& mesh) {
  VertexTriangles around;
  around.first.resize(mesh.vertex.size() + 1);
  forCorners(mesh, [&](std::uint32_t v, std::uint32_t) {
    std::atomic_ref(around.first[v]).fetch_add(1, std::memory_order_relaxed);
  });
  std::uint32_t sum = 0;
  for (std::uint32_t& first : around.first) sum += std::exchange(first, sum);
  around.triangle.resize(sum);
  // Filling moves each vertex's first entry to that of the next vertex.
  forCorners(mesh, [&](std::uint32_t v, std::uint32_t t) {
    around.triangle[std::atomic_ref(around.first[v]).fetch_add(1, std::memory_order_relaxed)] = t;
  });
  around.first.insert(around.first.begin(), 0);
  around.first.pop_back();
  // Makes the order independent of the threads.
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, mesh.vertex.size(), 1 << 12),
                    [&](const auto& range) {
                      for (std::size_t v = range.begin(); v < range.end(); ++v)
                        std::sort(around.triangle.begin() + around.first[v],
                                  around.triangle.begin() + around.first[v + 1]);
                    });
  return around;
}

Bounds boundsOf(const TriangleMesh& mesh) {
  using Range = tbb::blocked_range<std::size_t>;
  const auto extend = [](Bounds& bounds, const Double3& low, const Double3& high) {
    for (std::size_t c = 0; c < 3; ++c) {
      bounds.low[c] = std::min(bounds.low[c], low[c]);
      bounds.high[c] = std::max(bounds.high[c], high[c]);
    }
  };
  const Double3& first = mesh.vertex[mesh.triangle.front()[0]];
  return tbb::parallel_reduce(
      Range(0, mesh.triangle.size(), 1 << 13), Bounds{first, first},
      [&](const Range& range, Bounds bounds) {
        for (std::size_t t = range.begin(); t < range.end(); ++t)
          for (const std::uint32_t v : mesh.triangle[t])
            extend(bounds, mesh.vertex[v], mesh.vertex[v]);
        return bounds;
      },
      [&](Bounds bounds, const Bounds& other) {
        extend(bounds, other.low, other.high);
        return bounds;
      });
}

double surfaceArea(const TriangleMesh& mesh) {
  return sumOver(mesh, [&](std::size_t t) { return 0.5 * length(areaVector(mesh, t)); });
}

double enclosedVolume(const TriangleMesh& mesh) {
  const Double3 from = mesh.vertex[mesh.triangle.front()[0]];
  return sumOver(mesh, [&](std::size_t t) {
    return dot(areaVector(mesh, t), mesh.vertex[mesh.triangle[t][0]] - from) / 6.0;
  });
}

double windingAround(const TriangleMesh& mesh, std::span<const std::uint32_t> triangles,
                     const Double3& point) {
  double angle = 0.0;
  for (const std::uint32_t k : triangles) {
    const stage::Triangle& t = mesh.triangle[k];
    const Double3 a = mesh.vertex[t[0]] - point, b = mesh.vertex[t[1]] - point,
                  c = mesh.vertex[t[2]] - point;
    const double la = length(a), lb = length(b), lc = length(c);
    angle += 2.0 * std::atan2(dot(a, cross(b, c)),
                              la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
  }
  return angle / (4.0 * std::numbers::pi);
}

}  // namespace tessera::preprocess::geometry
