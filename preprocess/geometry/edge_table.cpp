// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/geometry/edge_table.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <utility>

namespace tessera::preprocess::geometry {

namespace {

using Range = tbb::blocked_range<std::size_t>;

template <class Body>
void forHalfEdges(std::span<const stage::Triangle> triangles, Body body) {
  tbb::parallel_for(Range(0, triangles.size(), 1 << 13), [&](const Range& range) {
    for (std::size_t t = range.begin(); t < range.end(); ++t)
      for (std::uint32_t c = 0; c < 3; ++c) {
        const std::uint32_t a = triangles[t][c];
        const std::uint32_t b = triangles[t][(c + 1) % 3];
        body(std::min(a, b), std::max(a, b), static_cast<std::uint32_t>(3 * t) + c);
      }
  });
}

}  // namespace

EdgeTable edgesOf(std::size_t vertices, std::span<const stage::Triangle> triangles) {
  EdgeTable edges;
  edges.start.resize(vertices + 1);
  forHalfEdges(triangles, [&](std::uint32_t low, std::uint32_t, std::uint32_t) {
    std::atomic_ref(edges.start[low]).fetch_add(1, std::memory_order_relaxed);
  });
  std::uint32_t sum = 0;
  for (std::uint32_t& start : edges.start) sum += std::exchange(start, sum);
  edges.end.resize(sum);
  std::vector<std::uint32_t> next(edges.start.begin(), edges.start.end() - 1);
  forHalfEdges(triangles, [&](std::uint32_t low, std::uint32_t high, std::uint32_t half) {
    edges.end[std::atomic_ref(next[low]).fetch_add(1, std::memory_order_relaxed)] = {high, half};
  });
  // Makes the order independent of the threads.
  tbb::parallel_for(Range(0, vertices, 1 << 12), [&](const Range& range) {
    for (std::size_t v = range.begin(); v < range.end(); ++v)
      std::sort(edges.end.begin() + edges.start[v], edges.end.begin() + edges.start[v + 1],
                EdgeTable::precedes);
  });
  return edges;
}

}  // namespace tessera::preprocess::geometry
