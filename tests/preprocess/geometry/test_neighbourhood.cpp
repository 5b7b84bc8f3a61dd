// SPDX-License-Identifier: GPL-3.0-or-later
// Neighbours of a node against three nested loops, and where they lie in a periodic box.
#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>

#include "preprocess/geometry/neighbourhood.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;

TEST_CASE("Neighbourhood: it holds the 27 steps in the order of their numbers", "[unit]") {
  std::size_t n = 0;
  for (int dz = -1; dz <= 1; ++dz)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx, ++n) {
        CHECK(neighbourhood[n].n == static_cast<int>(n));
        CHECK(neighbourhood[n].step == Int3{dx, dy, dz});
        CHECK(directionOf(neighbourhood[n].step) == static_cast<int>(n));
        CHECK(directionStep(oppositeDirection(static_cast<int>(n))) == Int3{-dx, -dy, -dz});
      }
  CHECK(n == neighbourhood.size());
}

TEST_CASE("Neighbourhood: neighbours across faces, edges and corners are 6, 18 and 26", "[unit]") {
  const auto check = [](Neighbours neighbours, std::size_t count, int furthest) {
    const auto steps = stepsTo(neighbours);
    CHECK(steps.size() == count);
    std::uint32_t bits = 0;
    for (const auto& [n, step] : steps) {
      bits |= 1U << n;
      CHECK(dot(step, step) >= 1);
      CHECK(dot(step, step) <= furthest);
    }
    CHECK(bits == directionBits(neighbours));
    CHECK(std::popcount(bits) == static_cast<int>(count));
  };
  check(Neighbours::Six, 6, 1);
  check(Neighbours::Eighteen, 18, 2);
  check(Neighbours::TwentySix, 26, 3);
  CHECK(linkBits == 0x7ffdfffU);
}

TEST_CASE("Neighbourhood: a step out of the box comes back on periodic axes only", "[unit]") {
  const Int3 size{4, 1, 3};
  Int3 at{-1, 1, 2};
  CHECK(wrapInto(size, {true, true, true}, at));
  CHECK(at == Int3{3, 0, 2});
  at = {4, 0, 3};
  CHECK_FALSE(wrapInto(size, {true, true, false}, at));
  CHECK(at == Int3{0, 0, -1});
  at = {2, 0, 1};
  CHECK(wrapInto(size, {false, false, false}, at));
  CHECK(at == Int3{2, 0, 1});
}
