// SPDX-License-Identifier: GPL-3.0-or-later
// Overhead models against the papers' figures. [A] arXiv:1703.08015, [B] arXiv:1611.02445, [C]
// Suffa et al. 2024.
#include <catch2/catch.hpp>

#include "tests/fixtures/geometry/plain_tiling.hpp"
#include "tiler/analysis/layouts.hpp"
#include "tiler/analysis/overhead.hpp"
#include "tiler/tile.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::tiler;
using namespace tessera::tiler::analysis;

namespace {

// [A]'s: two bytes a node type, tiles of 16 x 16 in 2D.
constexpr StorageSizes d2q9{2, 9, 8, 2, 4, 16};
constexpr StorageSizes d3q19{3, 19, 8, 2, 4, 4};
constexpr StorageSizes d3q27{3, 27, 8, 2, 4, 4};

StorageSizes single(StorageSizes sizes) {
  sizes.valueBytes = 4;
  return sizes;
}

GeometryShares withUtilisation(double utilisation, double alpha = 1.0) {
  GeometryShares shares;
  shares.utilisation = utilisation;
  shares.alpha = shares.beta = alpha;
  return shares;
}

GeometryShares withPorosity(double porosity) {
  GeometryShares shares;
  shares.porosity = porosity;
  return shares;
}

GhostShares sharesOf(const BitLattice& fluid, const std::array<bool, 3>& periodic, int populations,
                     int dimensions = 3) {
  const TiledGeometry tiled =
      coverWithTiles(plain::geometryOf(fluid, periodic, dimensions), {0, 0, 0});
  return ghostShares(neighboursOfTiles(tiled), populationDirections(populations));
}

}  // namespace

TEST_CASE("Overhead models: a node moves at least 304 bytes in D3Q19, 144 in D2Q9", "[unit]") {
  CHECK(leastNodeTraffic(d3q19) == 304.0);
  CHECK(leastNodeTraffic(d2q9) == 144.0);
  CHECK(64 * leastNodeBytes(d3q19) == 9728.0);  // "about 9800" in [B]
}

TEST_CASE("Overhead models: bandwidth and speed are related as in arXiv:1611.02445", "[unit]") {
  // 234.4, 211.6 and 0.717 * 288.384 GB/s of the GTX Titan.
  CHECK(predictedMflups(d3q19, 0.0, 234.4e9) == Approx(771.0).margin(0.5));
  CHECK(predictedMflups(d3q19, 0.0, 211.6e9) == Approx(696.0).margin(0.5));
  CHECK(predictedMflups(d3q19, 0.0, 0.717 * 288.384e9) == Approx(680.0).margin(0.5));
  // [C], Figure 4: the index list at 1361 GB/s.
  CHECK(predictedMflups(d3q19, connectivityMatrix(d3q19, {}).bandwidth, 1361e9) ==
        Approx(1361e3 / 376.0));
}

TEST_CASE("Overhead models: half-empty tiles have 0.2 already at a utilisation of 0.83", "[unit]") {
  CHECK(solidOverhead(0.83) == Approx(0.2).margin(0.005));
  CHECK(solidOverhead(1.0) == 0.0);
}

TEST_CASE("Overhead models: two copies of tiles take (2 - eta) / eta more memory", "[unit]") {
  // Eq. 16 of [B], exact but for node types and tileMap.
  for (const double eta : {0.5, 0.807, 0.931, 1.0}) {
    const double types = 2.0 / 152.0 / eta;
    const double map = 4.0 / 9728.0 / eta;
    const Overhead found = tilesWithTwoCopies(d3q19, withUtilisation(eta));
    CHECK(found.memory == Approx((2.0 - eta) / eta + types + map));
    CHECK(found.memoryIdeal == Approx(solidOverhead(eta)));
  }
  GeometryShares sparse = withUtilisation(0.8);
  sparse.mapPerTile = 100.0;
  CHECK(tilesWithTwoCopies(d3q19, sparse).memory -
            tilesWithTwoCopies(d3q19, withUtilisation(0.8)).memory ==
        Approx(99 * 4.0 / 9728.0 / 0.8));
}

TEST_CASE(
    "Overhead models: ghost buffers have 28, 72 and 152 indices a tile, as in arXiv:1703.08015",
    "[unit]") {
  const auto total = [](const StorageSizes& sizes) {
    return ghostBuffersOf(sizes).written + ghostBuffersOf(sizes).read;
  };
  CHECK(total(d2q9) == 28);
  CHECK(total(d3q19) == 72);
  CHECK(total(d3q27) == 152);
  CHECK(ghostBuffersOf(d2q9).corners == 4);
  CHECK(ghostBuffersOf(d3q19).corners == 0);
  CHECK(ghostBuffersOf(d3q27).corners == 8);
  // The buffers of D3Q19 take almost five times what those of D2Q9 do.
  const auto buffers = [](const StorageSizes& sizes) {
    return tilesWithGhostBuffers(sizes, withUtilisation(0.9, 1.0)).memory -
           tilesWithGhostBuffers(sizes, withUtilisation(0.9, 0.0)).memory;
  };
  CHECK(buffers(d3q19) / buffers(d2q9) == Approx(4.74).margin(0.01));
}

TEST_CASE(
    "Overhead models: two copies against ghost buffers: +20 to 30 % in 3D, 2.5 to 3.4 times in 2D",
    "[unit]") {
  const auto ratio = [](const StorageSizes& sizes, double eta, double alpha) {
    return tilesWithTwoCopies(sizes, withUtilisation(eta, alpha)).memory /
           tilesWithGhostBuffers(sizes, withUtilisation(eta, alpha)).memory;
  };
  CHECK(ratio(d3q19, 0.931, 0.97) > 1.2);
  CHECK(ratio(d3q19, 0.931, 0.97) < 1.3);
  CHECK(ratio(d2q9, 0.8, 0.9) > 2.5);
  CHECK(ratio(d2q9, 0.8, 0.9) < 3.4);
}

TEST_CASE(
    "Overhead models: tiles move little more than the minimum, where the other terms are ideal",
    "[unit]") {
  // [A]: below 0.1 for all its cases, node types more than the indices; ghost buffers move
  // 72 indices against 18.
  for (const double eta : {0.5, 0.807, 0.931}) {
    const Overhead copies = tilesWithTwoCopies(d3q19, withUtilisation(eta));
    const Overhead ghosts = tilesWithGhostBuffers(d3q19, withUtilisation(eta));
    CHECK(copies.bandwidth == Approx((2.0 * 216 + 4 * 18) / (304.0 * 64 * eta)));
    CHECK(copies.bandwidth < 0.1);
    CHECK(ghosts.bandwidth < 0.1);
    CHECK(copies.bandwidth - copies.bandwidthIdeal < copies.bandwidthIdeal);
    CHECK(ghosts.bandwidth - ghosts.bandwidthIdeal ==
          Approx(4.0 * (copies.bandwidth - copies.bandwidthIdeal)));
    CHECK(copies.bandwidthBursts == Approx(copies.bandwidth + solidOverhead(eta)));
  }
  // A full tile's 72 whole buffers in 3D; in 2D 24 of 16 values and 4 transactions.
  CHECK(tilesWithGhostBuffers(d3q19, withUtilisation(1.0)).bandwidthBursts -
            tilesWithGhostBuffers(d3q19, withUtilisation(1.0)).bandwidth ==
        Approx(72.0 * 16 * 8 / (304.0 * 64)));
  CHECK(tilesWithGhostBuffers(d2q9, withUtilisation(1.0)).bandwidthBursts -
            tilesWithGhostBuffers(d2q9, withUtilisation(1.0)).bandwidth ==
        Approx((24.0 * 16 * 8 + 4 * 32) / (144.0 * 256)));
}

TEST_CASE(
    "Overhead models: the connectivity matrix takes half a copy in double, a whole one in single",
    "[unit]") {
  CHECK(connectivityMatrix(d3q19, {}).memory == Approx(1.0 + 72.0 / 152.0));
  CHECK(connectivityMatrix(d3q19, {}).memoryIdeal < 0.5);
  CHECK(connectivityMatrix(d3q19, {}).bandwidth == Approx(0.25).margin(0.03));
  CHECK(connectivityMatrix(single(d3q19), {}).bandwidth == Approx(0.5).margin(0.06));
  // [C]: 376 bytes a node; Table 2's 9.7 % less when every other step reads no index.
  const double pull = 304.0 * (1.0 + connectivityMatrix(d3q19, {}).bandwidth);
  CHECK(pull == Approx(376.0));
  CHECK((pull - 36.0) / pull == Approx(1.0 - 0.097).margin(0.002));
}

TEST_CASE("Overhead models: the fluid index array grows as geometries become sparse", "[unit]") {
  // [A]: in D2Q9 and single precision the array alone exceeds the populations at porosity 0.1.
  CHECK(fluidIndexArray(single(d2q9), withPorosity(0.1)).memoryIdeal > 1.0);
  CHECK(fluidIndexArray(single(d2q9), withPorosity(0.12)).memoryIdeal < 1.0);
  CHECK(fluidIndexArray(d2q9, withPorosity(1.0)).memoryIdeal == Approx(4.0 / 72.0));
  CHECK(fluidIndexArray(single(d2q9), withPorosity(1.0)).memoryIdeal == Approx(4.0 / 36.0));
  // As built it moves four times the matrix beyond the minimum; ideally it moves less while it has
  // fewer entries than the matrix indices.
  CHECK(fluidIndexArray(d3q19, withPorosity(0.9)).bandwidth /
            connectivityMatrix(d3q19, {}).bandwidth ==
        Approx(4.0).margin(0.5));
  const double evenPorosity = 1.0 / 18.0;
  CHECK(fluidIndexArray(d3q19, withPorosity(evenPorosity)).bandwidthIdeal ==
        Approx(connectivityMatrix(d3q19, {}).bandwidthIdeal));
}

TEST_CASE("Overhead models: dense storage takes ten times as much at a porosity of 0.1", "[unit]") {
  const Overhead dense = denseStorage(d3q19, withPorosity(0.1));
  CHECK(1.0 + dense.memoryIdeal == Approx(10.0));
  CHECK(1.0 + dense.bandwidth == Approx(10.0));
  // [A]: four to five times matrix and array; both here with their second copy.
  CHECK((1.0 + dense.memoryIdeal) / (1.0 + connectivityMatrix(d3q19, {}).memory) ==
        Approx(4.5).margin(0.5));
  CHECK((1.0 + dense.memoryIdeal) / (1.0 + fluidIndexArray(d3q19, withPorosity(0.1)).memory) ==
        Approx(4.5).margin(0.5));
  // [C], Figure 5: as much as the index list at a porosity of about 0.8.
  CHECK((1.0 + connectivityMatrix(d3q19, {}).memory) /
            (1.0 + denseStorage(d3q19, withPorosity(0.8)).memory) ==
        Approx(1.0).margin(0.02));
}

TEST_CASE("Overhead models: all five are listed, by names that differ", "[unit]") {
  const std::vector<Overhead> all = overheadsOf(d3q19, withUtilisation(0.9));
  REQUIRE(all.size() == 5);
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t j = 0; j < i; ++j)
      CHECK(std::string(all[i].structure) != std::string(all[j].structure));
}

TEST_CASE("Overhead models: alpha is 1 in an infinite geometry and 0 in a single tile", "[unit]") {
  for (const int q : {19, 27}) {
    const GhostShares torus = sharesOf(plain::fullLattice({12, 12, 12}), {true, true, true}, q);
    CHECK(torus.alpha == 1.0);
    CHECK(torus.beta == 1.0);
    const GhostShares one = sharesOf(plain::fullLattice({4, 4, 4}), {false, false, false}, q);
    CHECK(one.alpha == 0.0);
    CHECK(one.beta == 0.0);
  }
}

TEST_CASE("Overhead models: ghost buffers of two tiles equal a count by hand", "[unit]") {
  // Side by side on x: each writes the five populations that cross the face between them, one
  // buffer each, and reads those of the other.
  const GhostShares row = sharesOf(plain::fullLattice({8, 4, 4}), {false, false, false}, 19);
  CHECK(row.alpha == Approx(5.0 / 30.0));
  CHECK(row.beta == Approx(10.0 / 72.0));
  // Corner to corner in 2D: one population crosses, through the buffers of two faces, and one
  // value of it is read.
  BitLattice fluid({16, 16, 1});
  fluid.set(0, 0, 0);
  fluid.set(15, 15, 0);
  const GhostShares corner = sharesOf(fluid, {false, false, true}, 9, 2);
  CHECK(corner.alpha == Approx(2.0 / 12.0));
  CHECK(corner.beta == Approx(3.0 / 28.0));
}
