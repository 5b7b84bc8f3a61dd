// SPDX-License-Identifier: GPL-3.0-or-later
// Parallel visit of all edges of a mesh.
#pragma once

#include <tbb/parallel_for.h>

#include "preprocess/surface/topology/edge_table.hpp"

namespace tessera::preprocess::surface {

constexpr std::size_t edgeBlocks = 64;

// body(block, ends) for each edge; the edges of a block are visited in order by one thread.
template <class Body>
void forEdgesInBlocks(const EdgeTable& edges, const Body& body) {
  tbb::parallel_for(std::size_t{0}, edgeBlocks, [&](std::size_t b) {
    const std::size_t vertices = edges.start.size() - 1;
    for (std::size_t v = vertices * b / edgeBlocks; v < vertices * (b + 1) / edgeBlocks; ++v)
      edges.forEdgesOf(static_cast<std::uint32_t>(v),
                       [&](std::uint32_t, std::uint32_t, std::span<const EdgeTable::End> ends) {
                         body(b, ends);
                       });
  });
}

}  // namespace tessera::preprocess::surface
