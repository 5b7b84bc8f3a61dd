// SPDX-License-Identifier: GPL-3.0-or-later
// Memory in large pages: zeroed, of any size.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <numeric>

#include "pipelines/stage/system/large_array.hpp"
#include "tests/fixtures/sanitized.hpp"

using namespace tessera;
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
  // Sizes of bytes beyond 64 bits.
  for (const std::uint64_t size : {std::uint64_t{1} << 61U, ~std::uint64_t{0} - 10})
    CHECK_THROWS_AS(LargeArray<double>(size), std::bad_alloc);
  if (isSanitized) return;  // whose allocator ends the process
  CHECK_THROWS_AS(LargeArray<double>(std::uint64_t{1} << 58U), std::bad_alloc);
}

TEST_CASE("Large array: a vector is resized with zeros, and reserved with its room", "[unit]") {
  std::vector<double> values;
  resizeTogether(values, 2'000'001);
  CHECK(values.size() == 2'000'001);
  CHECK(std::ranges::count(values, 0.0) == 2'000'001);
  std::vector<char> room;
  reserveLarge(room, 3 * largePage);
  const char* const data = room.data();
  room.assign(3 * largePage, 'x');
  CHECK(room.data() == data);
  reserveLarge(room, 10);
  CHECK(std::ranges::count(room, 'x') == 3 * largePage);
}
