// SPDX-License-Identifier: GPL-3.0-or-later
// Edges of triangles by their vertex with the lower index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pipelines/stage/vec3.hpp"

namespace tessera::preprocess::geometry {

// Half-edge h = 3 t + c runs along triangle t from its corner c to the next.
struct EdgeTable {
  struct End {
    std::uint32_t high;  // the edge's vertex with the higher index
    std::uint32_t half;  // a half-edge on it
  };
  std::vector<std::uint32_t> start;  // vertices + 1: edges by their vertex with the lower index
  std::vector<End> end;              // within a vertex by (high, half)

  static bool precedes(const End& a, const End& b) {
    return a.high != b.high ? a.high < b.high : a.half < b.half;
  }

  // body(low, high, ends) for each edge of a vertex, ends being its half-edges.
  template <class Body>
  void forEdgesOf(std::uint32_t low, Body body) const {
    for (std::uint32_t i = start[low]; i < start[low + 1];) {
      std::uint32_t j = i + 1;
      while (j < start[low + 1] && end[j].high == end[i].high) ++j;
      body(low, end[i].high, std::span<const End>(&end[i], j - i));
      i = j;
    }
  }
};

// Parallel; independent of the number of threads.
EdgeTable edgesOf(std::size_t vertices, std::span<const stage::Triangle> triangles);

}  // namespace tessera::preprocess::geometry
