// SPDX-License-Identifier: GPL-3.0-or-later
// Disjoint sets (disjoint_sets.hpp) for several threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace tessera::preprocess::geometry {

// Sets of the numbers 0 .. count - 1 that several threads may join (Anderson & Woll, "Wait-free
// parallel algorithms for the union-find problem", STOC 1991): a root is linked below a lower one
// by compare-and-swap, so that the root of a set is again its lowest member once all joins are
// done.
class ConcurrentSets {
 public:
  explicit ConcurrentSets(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), std::uint32_t{0});
  }
  std::uint32_t root(std::uint32_t k) {
    for (std::uint32_t above = load(k); above != k; above = load(k)) {
      const std::uint32_t next = load(above);
      if (next != above) at(k).store(next, std::memory_order_relaxed);
      k = above;
    }
    return k;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    while (true) {
      a = root(a);
      b = root(b);
      if (a == b) return;
      if (a < b) std::swap(a, b);
      std::uint32_t expected = a;
      if (at(a).compare_exchange_strong(expected, b, std::memory_order_relaxed)) return;
    }
  }

 private:
  std::atomic_ref<std::uint32_t> at(std::uint32_t k) { return std::atomic_ref(parent_[k]); }
  std::uint32_t load(std::uint32_t k) { return at(k).load(std::memory_order_relaxed); }

  std::vector<std::uint32_t> parent_;
};

}  // namespace tessera::preprocess::geometry
