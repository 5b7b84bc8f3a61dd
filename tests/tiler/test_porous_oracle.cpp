// SPDX-License-Identifier: GPL-3.0-or-later
// Tile counts of a public micro-CT image of Berea sandstone against an independent count.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tiler/tile.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::lattice;

namespace {

// One unsigned byte a voxel, x fastest, then y, z; 0 is pore.
BitLattice readRaw(const std::filesystem::path& path, const Int3& size) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> voxels{std::istreambuf_iterator<char>(file), {}};
  BitLattice fluid(size);
  REQUIRE(voxels.size() == static_cast<std::size_t>(size[0]) * static_cast<std::size_t>(size[1]) *
                               static_cast<std::size_t>(size[2]));
  std::size_t index = 0;
  for (int z = 0; z < size[2]; ++z)
    for (int y = 0; y < size[1]; ++y)
      for (int x = 0; x < size[0]; ++x)
        if (voxels[index++] == 0) fluid.set(x, y, z);
  return fluid;
}

}  // namespace

TEST_CASE("Berea sandstone: tiles at all offsets", "[unit]") {
  const std::filesystem::path path =
      std::filesystem::path(TESSERA_SHARED_DATA) / "porous/berea_pore.raw";
  if (!std::filesystem::exists(path)) {
    WARN("skipped: " << path << " is not there");
    return;
  }
  const BitLattice fluid = readRaw(path, {110, 110, 110});
  CHECK(fluid.count() == 236764);
  const OffsetCounts counts = countTilesAtAllOffsets(fluid, 3);
  const auto [fewest, most] = std::minmax_element(counts.tiles.begin(), counts.tiles.end());
  CHECK(*fewest == 5088);
  CHECK(*most == 5486);
  CHECK(counts.best() == Int3{0, 0, 0});
  double utilisation = 0.0;
  for (const std::uint64_t tiles : counts.tiles)
    utilisation += 236764.0 / (64.0 * static_cast<double>(tiles)) / 64.0;
  CHECK(utilisation == Approx(0.7062).margin(5e-5));
}
