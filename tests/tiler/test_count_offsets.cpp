// SPDX-License-Identifier: GPL-3.0-or-later
#include <tbb/global_control.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/fixtures/geometry/plain_tiling.hpp"
#include "tiler/tile.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::lattice;

namespace {
void requireSameAsPlain(const BitLattice& fluid, int dimensions) {
  const OffsetCounts counts = countTilesAtAllOffsets(fluid, dimensions);
  REQUIRE(counts.tiles.size() == 64);
  for (std::size_t i = 0; i < 64; ++i) {
    INFO("offset index " << i);
    REQUIRE(counts.tiles[i] ==
            plain::countTiles(fluid, tileSizeFor(dimensions), counts.offsetOf(i)));
  }
}
}  // namespace

TEST_CASE("Tile offsets: all 64 counts equal a plain tiling at each offset", "[unit]") {
  // Lengths around one, the tile and the word, some of them beyond a word only with the window.
  const std::vector<Int3> sizes{{1, 1, 1},    {3, 5, 2},   {4, 4, 4},   {61, 7, 6},  {62, 3, 9},
                                {64, 10, 11}, {67, 9, 21}, {125, 6, 5}, {129, 4, 7}, {200, 13, 10}};
  unsigned seed = 1;
  for (const Int3& size : sizes)
    for (const double fill : {0.02, 0.4, 1.0}) {
      INFO(size[0] << " x " << size[1] << " x " << size[2] << ", fill " << fill);
      requireSameAsPlain(plain::randomLattice(size, fill, 1 + static_cast<int>(seed % 5), seed), 3);
      ++seed;
    }
}

TEST_CASE("Tile offsets: in two dimensions there are 8 x 8 tiles at 64 offsets", "[unit]") {
  unsigned seed = 100;
  for (const Int3& size : {Int3{1, 1, 1}, Int3{7, 9, 1}, Int3{57, 64, 1}, Int3{130, 77, 1}})
    for (const double fill : {0.05, 0.5, 1.0}) {
      INFO(size[0] << " x " << size[1] << ", fill " << fill);
      requireSameAsPlain(plain::randomLattice(size, fill, 3, seed++), 2);
    }
}

TEST_CASE(
    "Tile offsets: a square channel of 8 x 8 nodes has the paper's three levels of utilisation",
    "[unit]") {
  // Tomczak & Szafran 2017: of the 16 offsets across the channel 9 need 9 tiles a layer (0.444), 6
  // need 6 (0.667), 1 needs 4 (1.0); their mean is 0.5625.
  const OffsetCounts counts = countTilesAtAllOffsets(plain::fullLattice({8, 8, 4}), 3);
  std::vector<double> utilisation;
  for (std::size_t i = 0; i < 16; ++i)  // offset 0 along the channel
    utilisation.push_back(8 * 8 * 4 / (64.0 * static_cast<double>(counts.tiles[i])));
  const auto at = [&](double value) {
    return std::count_if(utilisation.begin(), utilisation.end(),
                         [&](double u) { return std::abs(u - value) < 1e-12; });
  };
  CHECK(at(4.0 / 9.0) == 9);
  CHECK(at(4.0 / 6.0) == 6);
  CHECK(at(1.0) == 1);
  double sum = 0.0;
  for (const double u : utilisation) sum += u;
  CHECK(sum / 16.0 == Approx(0.5625));
  CHECK(counts.best() == Int3{0, 0, 0});
}

TEST_CASE("Tile offsets: equal counts are ordered by lowest z, then y, then x", "[unit]") {
  OffsetCounts counts{{4, 4, 4}, std::vector<std::uint64_t>(64, 9)};
  CHECK(counts.best() == Int3{0, 0, 0});
  counts.tiles[3 + 4 * (0 + 4 * 2)] = 5;
  counts.tiles[0 + 4 * (2 + 4 * 1)] = 5;
  counts.tiles[3 + 4 * (1 + 4 * 1)] = 5;
  counts.tiles[2 + 4 * (1 + 4 * 1)] = 5;
  CHECK(counts.best() == Int3{2, 1, 1});
}

TEST_CASE("Tile offsets: a block that lies across tiles is found by the search", "[unit]") {
  BitLattice fluid({40, 40, 40});
  for (int z = 7; z < 15; ++z)
    for (int y = 10; y < 14; ++y)
      for (int x = 1; x < 13; ++x) fluid.set(x, y, z);
  const OffsetCounts counts = countTilesAtAllOffsets(fluid, 3);
  CHECK(counts.best() == Int3{3, 2, 1});
  CHECK(*std::min_element(counts.tiles.begin(), counts.tiles.end()) == 3 * 1 * 2);
}

TEST_CASE("Tile offsets: a periodic axis filled by whole tiles keeps offset 0", "[unit]") {
  BitLattice fluid({8, 10, 12});
  for (int z = 3; z < 11; ++z)
    for (int y = 2; y < 10; ++y)
      for (int x = 1; x < 5; ++x) fluid.set(x, y, z);
  const OffsetCounts counts = countTilesAtAllOffsets(fluid, 3);
  const auto chosen = [&](const std::array<bool, 3>& periodic) {
    return chooseOffset(counts, plain::geometryOf(fluid, periodic));
  };
  CHECK(chosen({false, false, false}) == counts.best());
  CHECK(counts.best() == Int3{3, 2, 1});
  CHECK(chosen({true, true, false}) == Int3{0, 2, 1});  // 10 nodes on y do not fill tiles
  CHECK(chosen({true, true, true}) == Int3{0, 2, 0});
}

TEST_CASE("Tile offsets: the counts do not depend on the number of threads", "[unit]") {
  const BitLattice fluid = plain::randomLattice({101, 50, 70}, 0.3, 3, 5);
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  const OffsetCounts serial = countTilesAtAllOffsets(fluid, 3);
  const tbb::global_control many(tbb::global_control::max_allowed_parallelism, 2);
  CHECK(countTilesAtAllOffsets(fluid, 3).tiles == serial.tiles);
}
