// SPDX-License-Identifier: GPL-3.0-or-later
// Disjoint sets (union-find) of triangles, vertices or runs of nodes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace tessera::preprocess::geometry {

// Sets of the numbers 0 .. count - 1, initially singletons. A set's root is its lowest member, so
// roots do not depend on the order of joining. Path halving. Index must be able to hold count.
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
