// SPDX-License-Identifier: GPL-3.0-or-later
// Memory in large pages: zeroed, of any size, also that of operator new.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <numeric>

#include "pipelines/stage/system/large_array.hpp"

using namespace tessera::stage;

namespace {

bool startsPage(const void* data) {
  return reinterpret_cast<std::uintptr_t>(data) % largePage == 0;
}

}  // namespace

TEST_CASE("Large array: elements are zero, for any size and however they are touched", "[unit]") {
  for (const std::uint64_t size : {0ULL, 1ULL, 1000ULL, 524'287ULL, 524'288ULL, 5'000'003ULL}) {
    INFO(size);
    // Memory that was used before is not zero by itself.
    {
      LargeArray<float> used(size);
      std::fill(used.begin(), used.end(), 1.0F);
    }
    const LargeArray<float> all(size);
    CHECK(all.size() == size);
    CHECK(std::ranges::all_of(all, [](float value) { return value == 0.0F; }));
    if (size * sizeof(float) >= largePage) CHECK(startsPage(all.data()));
    LargeArray<double> halves(size, [&](const auto& zero) {
      zero(0, size / 2);
      zero(size / 2, size - size / 2);
    });
    CHECK(std::ranges::all_of(halves, [](double value) { return value == 0.0; }));
    std::iota(halves.begin(), halves.end(), 0.0);
    if (size > 0) CHECK(halves[size - 1] == static_cast<double>(size - 1));
  }
}

TEST_CASE("Large array: one that does not fit is refused as other memory is", "[unit]") {
  CHECK_THROWS_AS(LargeArray<double>(std::uint64_t{1} << 58U), std::bad_alloc);
  CHECK_THROWS_AS(LargeArray<char>(~std::uint64_t{0} - 10), std::bad_alloc);
  CHECK(allocateLargePages(SIZE_MAX) == nullptr);
}

TEST_CASE("Large array: a vector is resized with zeros", "[unit]") {
  std::vector<double> values;
  resizeTogether(values, 2'000'001);
  CHECK(values.size() == 2'000'001);
  CHECK(std::ranges::count(values, 0.0) == 2'000'001);
}

TEST_CASE("Large array: operator new gives large pages to large arrays alone", "[unit]") {
  const auto large = std::make_unique_for_overwrite<char[]>(3 * 4 * largePage + 1);
  CHECK(startsPage(large.get()));
  std::fill_n(large.get(), 3 * 4 * largePage + 1, 'x');
  const auto one = std::make_unique<char>('a');
  const auto two = std::make_unique<char>('b');
  CHECK_FALSE((startsPage(one.get()) && startsPage(two.get())));
  CHECK_THROWS_AS(::operator new(SIZE_MAX), std::bad_alloc);
}
