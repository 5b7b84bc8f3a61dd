// SPDX-License-Identifier: GPL-3.0-or-later
// Which of many things hang together: triangles, vertices, runs of nodes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace tessera::preprocess::geometry {

// Sets of the numbers 0 .. count - 1, each alone at first and named by its lowest member, so that
// names do not depend on the order of joining. Paths are halved on the way. Index must count that
// far.
template <class Index = std::uint32_t>
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), Index{0});
  }
  Index root(std::size_t k) {
    while (parent_[k] != k) k = parent_[k] = parent_[parent_[k]];
    return static_cast<Index>(k);
  }
  void join(std::size_t a, std::size_t b) {
    const Index rootA = root(a), rootB = root(b);
    parent_[std::max(rootA, rootB)] = std::min(rootA, rootB);
  }

 private:
  std::vector<Index> parent_;
};

}  // namespace tessera::preprocess::geometry
