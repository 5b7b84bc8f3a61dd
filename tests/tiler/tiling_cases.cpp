// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/tiler/tiling_cases.hpp"

#include <numeric>

#include "preprocess/sample/spheres.hpp"
#include "tiler/tile.hpp"

namespace tessera::tilings {

using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::lattice;
using namespace tessera::preprocess::sample;
namespace {

double utilisationOf(std::uint64_t fluid, std::uint64_t tiles) {
  return static_cast<double>(fluid) / (64.0 * static_cast<double>(tiles));
}

BitLattice channel(Section section, int across) {
  BitLattice fluid({4, across, across});
  for (int z = 0; z < across; ++z)
    for (int y = 0; y < across; ++y) {
      const int a = 2 * y + 1 - across, b = 2 * z + 1 - across;  // in half nodes from the middle
      if (section == Section::Circular && a * a + b * b > across * across) continue;
      for (int x = 0; x < 4; ++x) fluid.set(x, y, z);
    }
  return fluid;
}

}  // namespace

std::vector<double> channelUtilisations(Section section, int across) {
  const BitLattice fluid = channel(section, across);
  const OffsetCounts counts = countTilesAtAllOffsets(fluid, 3);
  std::vector<double> utilisations;
  for (std::size_t i = 0; i < counts.tiles.size(); ++i)
    if (counts.offsetOf(i)[0] == 0)
      utilisations.push_back(utilisationOf(fluid.count(), counts.tiles[i]));
  return utilisations;
}

double meanOf(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

int alwaysAboveFrom(const std::vector<int>& across, const std::vector<double>& quantity,
                    double bound) {
  std::size_t from = across.size();
  while (from > 0 && quantity[from - 1] > bound) --from;
  return from < across.size() ? across[from] : across.back() + 1;
}

PackTiling randomPack(double porosity, std::uint64_t seed) {
  const int side = 192;
  SpheresShape shape;
  shape.size = {side, side, side};
  shape.diameter = 40.0;
  shape.porosity = porosity;
  shape.seed = seed;
  const SampleImage image = imageOf(randomSpheres(shape));
  BitLattice fluid(shape.size);
  for (int z = 0; z < side; ++z)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x)
        if (image.value[image.index(x, y, z)] == poreValue) fluid.set(x, y, z);
  const std::uint64_t nodes = fluid.count();
  return {static_cast<double>(nodes) / (1.0 * side * side * side),
          utilisationOf(nodes, countTilesAtAllOffsets(fluid, 3).tiles[0])};
}

PackTiling meanPack(double porosity) {
  PackTiling mean{0.0, 0.0};
  for (std::uint64_t seed = 1; seed <= packSeeds; ++seed) {
    const PackTiling pack = randomPack(porosity, seed);
    mean.porosity += pack.porosity / packSeeds;
    mean.utilisation += pack.utilisation / packSeeds;
  }
  return mean;
}

}  // namespace tessera::tilings
