// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/orient.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <numbers>
#include <numeric>

namespace tessera {
namespace {

bool hasLikeDirections(const TriangleMesh& mesh, const EdgeTable& edges) {
  std::atomic<bool> found{false};
  tbb::parallel_for(
      tbb::blocked_range<std::size_t>(0, mesh.vertex.size(), 1 << 12),
      [&](const tbb::blocked_range<std::size_t>& range) {
        for (std::size_t v = range.begin(); v < range.end(); ++v)
          edges.forEdgesOf(
              static_cast<std::uint32_t>(v), [&](std::uint32_t, std::uint32_t, auto ends) {
                if (ends.size() == 2 && runsUp(mesh, ends[0].half) == runsUp(mesh, ends[1].half))
                  found.store(true, std::memory_order_relaxed);
              });
      });
  return found;
}

// Which triangles to turn, found by walking from neighbour to neighbour.
std::vector<char> unlikeTheirSeed(const TriangleMesh& mesh,
                                  const std::vector<std::uint32_t>& twin) {
  std::vector<char> seen(mesh.triangle.size(), 0);
  std::vector<char> turn(mesh.triangle.size(), 0);
  std::vector<std::uint32_t> stack;
  for (std::uint32_t seed = 0; seed < mesh.triangle.size(); ++seed) {
    if (seen[seed]) continue;
    seen[seed] = 1;
    stack.push_back(seed);
    std::vector<std::uint32_t> part;
    while (!stack.empty()) {
      const std::uint32_t t = stack.back();
      stack.pop_back();
      part.push_back(t);
      for (std::uint32_t half = 3 * t; half < 3 * t + 3; ++half) {
        const std::uint32_t other = twin[half];
        if (other == noHalfEdge || seen[other / 3]) continue;
        const bool alike = runsUp(mesh, half) != runsUp(mesh, other);
        turn[other / 3] = alike ? turn[t] : static_cast<char>(!turn[t]);
        seen[other / 3] = 1;
        stack.push_back(other / 3);
      }
    }
    // The majority keeps its winding.
    const auto turned = std::count_if(part.begin(), part.end(), [&](auto t) { return turn[t]; });
    if (2 * static_cast<std::size_t>(turned) > part.size())
      for (const std::uint32_t t : part) turn[t] = static_cast<char>(!turn[t]);
  }
  return turn;
}

// Connected parts by shared vertices: the part of each vertex is named by its lowest vertex.
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

struct Part {
  std::uint32_t vertex = 0;  // its lowest
  double volume = 0.0;       // m3, signed
  Double3 low{1e300, 1e300, 1e300};
  Double3 high{-1e300, -1e300, -1e300};
};

std::vector<Part> partsOf(const TriangleMesh& mesh, const std::vector<std::uint32_t>& partOf) {
  std::vector<std::uint32_t> index(mesh.vertex.size(), 0);
  std::vector<Part> parts;
  std::vector<char> used(mesh.vertex.size(), 0);
  for (const Triangle& t : mesh.triangle) used[partOf[t[0]]] = 1;
  for (std::uint32_t v = 0; v < mesh.vertex.size(); ++v)
    if (partOf[v] == v && used[v]) {
      index[v] = static_cast<std::uint32_t>(parts.size());
      parts.emplace_back().vertex = v;
    }
  for (const Triangle& t : mesh.triangle) {
    Part& part = parts[index[partOf[t[0]]]];
    const Double3& from = mesh.vertex[part.vertex];
    part.volume +=
        dot(mesh.vertex[t[0]] - from, cross(mesh.vertex[t[1]] - from, mesh.vertex[t[2]] - from)) /
        6.0;
    for (const std::uint32_t v : t)
      for (std::size_t c = 0; c < 3; ++c) {
        part.low[c] = std::min(part.low[c], mesh.vertex[v][c]);
        part.high[c] = std::max(part.high[c], mesh.vertex[v][c]);
      }
  }
  return parts;
}

// How often a part winds around a point (Van Oosterom & Strackee 1983).
double windingAround(const TriangleMesh& mesh, const std::vector<std::uint32_t>& partOf,
                     const Part& part, const Double3& point) {
  double angle = 0.0;
  for (const Triangle& t : mesh.triangle) {
    if (partOf[t[0]] != part.vertex) continue;
    const Double3 a = mesh.vertex[t[0]] - point, b = mesh.vertex[t[1]] - point,
                  c = mesh.vertex[t[2]] - point;
    const double la = length(a), lb = length(b), lc = length(c);
    angle += 2.0 * std::atan2(dot(a, cross(b, c)),
                              la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
  }
  return angle / (4.0 * std::numbers::pi);
}

bool holds(const Part& outer, const Part& inner) {
  for (std::size_t c = 0; c < 3; ++c)
    if (inner.low[c] <= outer.low[c] || inner.high[c] >= outer.high[c]) return false;
  return true;
}

bool isCavity(const TriangleMesh& mesh, const std::vector<std::uint32_t>& partOf,
              const std::vector<Part>& parts, const Part& inner) {
  return std::any_of(parts.begin(), parts.end(), [&](const Part& outer) {
    return (outer.volume > 0.0) != (inner.volume > 0.0) && holds(outer, inner) &&
           std::abs(windingAround(mesh, partOf, outer, mesh.vertex[inner.vertex])) > 0.5;
  });
}

}  // namespace

std::uint64_t windAlike(TriangleMesh& mesh, const EdgeTable& edges) {
  if (!hasLikeDirections(mesh, edges)) return 0;
  const std::vector<char> turn = unlikeTheirSeed(mesh, twinsOf(mesh, edges));
  std::uint64_t turned = 0;
  for (std::size_t t = 0; t < mesh.triangle.size(); ++t)
    if (turn[t]) {
      std::swap(mesh.triangle[t][1], mesh.triangle[t][2]);
      ++turned;
    }
  return turned;
}

OutwardTurn turnOutward(TriangleMesh& mesh) {
  const std::vector<std::uint32_t> partOf = partOfVertex(mesh);
  const std::vector<Part> parts = partsOf(mesh, partOf);
  OutwardTurn result;
  result.parts = parts.size();
  std::vector<char> turn(mesh.vertex.size(), 0);  // by a part's lowest vertex
  for (const Part& part : parts) {
    const bool cavity = isCavity(mesh, partOf, parts, part);
    result.cavities += cavity ? 1U : 0U;
    const bool turned = (part.volume < 0.0) != cavity;
    result.turned += turned ? 1U : 0U;
    turn[part.vertex] = turned ? 1 : 0;
  }
  if (result.turned > 0)
    for (Triangle& t : mesh.triangle)
      if (turn[partOf[t[0]]]) std::swap(t[1], t[2]);
  return result;
}

}  // namespace tessera
