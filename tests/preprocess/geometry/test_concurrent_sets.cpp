// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "preprocess/geometry/concurrent_sets.hpp"
#include "preprocess/geometry/disjoint_sets.hpp"

using namespace tessera::preprocess::geometry;

namespace {

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// Neighbours on closed chains of the lengths 1, 2, 3, ... over shuffled numbers, in random order.
Pairs chains(std::uint32_t count, std::mt19937& random) {
  std::vector<std::uint32_t> number(count);
  std::iota(number.begin(), number.end(), 0U);
  std::shuffle(number.begin(), number.end(), random);
  Pairs pairs;
  for (std::uint32_t first = 0, length = 1; first + length <= count; first += length++)
    for (std::uint32_t k = 0; k < length; ++k)
      pairs.emplace_back(number[first + k], number[first + (k + 1) % length]);
  std::shuffle(pairs.begin(), pairs.end(), random);
  return pairs;
}

}  // namespace

TEST_CASE("Disjoint sets: joined by four threads they have the roots that one thread finds",
          "[unit]") {
  constexpr std::uint32_t count = 50'000;
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    const Pairs pairs = chains(count, random);
    DisjointSets<> serial(count);
    for (const auto& [a, b] : pairs) serial.join(a, b);
    ConcurrentSets sets(count);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (std::size_t k = t; k < pairs.size(); k += 4)
          sets.join(pairs[k].first, pairs[k].second);
      });
    for (std::thread& thread : threads) thread.join();
    std::uint32_t wrong = 0;
    for (std::uint32_t k = 0; k < count; ++k) wrong += sets.root(k) != serial.root(k) ? 1U : 0U;
    REQUIRE(wrong == 0);
  }
}
