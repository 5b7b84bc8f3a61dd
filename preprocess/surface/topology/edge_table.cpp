// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/topology/edge_table.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <utility>

namespace tessera::preprocess::surface {

using geometry::TriangleMesh;

namespace {

using Range = tbb::blocked_range<std::size_t>;

}  // namespace

void addEdges(const TriangleMesh& mesh, std::uint32_t first, EdgeTable& edges) {
  std::vector<std::pair<std::uint32_t, EdgeTable::End>> added;  // by lower vertex
  for (std::uint32_t half = 3 * first; half < 3 * mesh.triangle.size(); ++half) {
    const auto [low, high] = std::minmax({fromVertex(mesh, half), toVertex(mesh, half)});
    added.push_back({low, {high, half}});
  }
  std::sort(added.begin(), added.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : EdgeTable::precedes(a.second, b.second);
  });
  edges.start.resize(mesh.vertex.size() + 1, edges.start.back());
  std::size_t read = edges.end.size();
  std::size_t write = read + added.size();
  edges.end.resize(write);
  const auto at = [&](std::size_t k) { return edges.end.begin() + static_cast<std::ptrdiff_t>(k); };
  const auto moveDownTo = [&](std::size_t begin) {  // the entries from there to `read`
    write -= read - begin;
    std::move_backward(at(begin), at(read), at(write + read - begin));
    read = begin;
  };
  for (std::size_t rest = added.size(); rest > 0;) {  // from behind, vertex by vertex
    const std::uint32_t low = added[rest - 1].first;
    moveDownTo(edges.start[low + 1]);
    const std::size_t end = write;
    moveDownTo(edges.start[low]);
    const std::size_t own = write;
    for (; rest > 0 && added[rest - 1].first == low; --rest)
      edges.end[--write] = added[rest - 1].second;
    std::inplace_merge(at(write), at(own), at(end), EdgeTable::precedes);
  }
  std::uint32_t before = 0;
  for (std::size_t v = 0; v < edges.start.size(); ++v) {
    while (before < added.size() && added[before].first < v) ++before;
    edges.start[v] += before;
  }
}

std::vector<std::uint32_t> twinsOf(const TriangleMesh& mesh, const EdgeTable& edges) {
  std::vector<std::uint32_t> twin(3 * mesh.triangle.size(), noHalfEdge);
  tbb::parallel_for(Range(0, mesh.vertex.size(), 1 << 12), [&](const Range& range) {
    for (std::size_t v = range.begin(); v < range.end(); ++v)
      edges.forEdgesOf(static_cast<std::uint32_t>(v),
                       [&](std::uint32_t, std::uint32_t, std::span<const EdgeTable::End> ends) {
                         if (ends.size() != 2) return;
                         twin[ends[0].half] = ends[1].half;
                         twin[ends[1].half] = ends[0].half;
                       });
  });
  return twin;
}

EdgeCensus censusOf(const TriangleMesh& mesh, const EdgeTable& edges) {
  return tbb::parallel_reduce(
      Range(0, mesh.vertex.size(), 1 << 12), EdgeCensus{},
      [&](const Range& range, EdgeCensus sum) {
        for (std::size_t v = range.begin(); v < range.end(); ++v)
          edges.forEdgesOf(
              static_cast<std::uint32_t>(v), [&](std::uint32_t, std::uint32_t, auto ends) {
                ++sum.edges;
                sum.open += ends.size() == 1 ? 1 : 0;
                sum.nonManifold += ends.size() > 2 ? 1 : 0;
                if (ends.size() == 2 && runsUp(mesh, ends[0].half) == runsUp(mesh, ends[1].half))
                  ++sum.sameDirection;
              });
        return sum;
      },
      [](EdgeCensus a, const EdgeCensus& b) {
        a.edges += b.edges;
        a.open += b.open;
        a.sameDirection += b.sameDirection;
        a.nonManifold += b.nonManifold;
        return a;
      });
}

std::vector<std::uint32_t> verticesOfSingleEdges(const EdgeTable& edges) {
  constexpr std::size_t blocks = 64;
  std::vector<std::vector<std::uint32_t>> found(blocks);
  tbb::parallel_for(std::size_t{0}, blocks, [&](std::size_t b) {
    const std::size_t count = edges.start.size() - 1;
    for (std::size_t v = count * b / blocks; v < count * (b + 1) / blocks; ++v)
      edges.forEdgesOf(static_cast<std::uint32_t>(v),
                       [&](std::uint32_t low, std::uint32_t high, auto ends) {
                         if (ends.size() == 1) found[b].insert(found[b].end(), {low, high});
                       });
  });
  std::vector<std::uint32_t> vertices;
  for (const auto& part : found) vertices.insert(vertices.end(), part.begin(), part.end());
  std::sort(vertices.begin(), vertices.end());
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  return vertices;
}

}  // namespace tessera::preprocess::surface
