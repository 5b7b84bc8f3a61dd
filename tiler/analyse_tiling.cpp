// SPDX-License-Identifier: GPL-3.0-or-later
#include "tiler/analyse_tiling.hpp"

#include <bit>
#include <map>

namespace tessera {

namespace {

double ratio(std::uint64_t part, std::uint64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

GeometryShares sharesOf(const TiledGeometry& tiled, const TileNeighbourhood& around,
                        std::span<const int> directions) {
  std::uint64_t boxNodes = 1;
  for (const int n : tiled.nodes) boxNodes *= static_cast<std::uint64_t>(n);
  const GhostShares ghosts = tiled.inRows() ? GhostShares{} : ghostShares(around, directions);
  return {ratio(tiled.fluidNodes, boxNodes), tiled.utilisation(), ghosts.alpha, ghosts.beta,
          ratio(tiled.tileMap.size(), tiled.tiles())};
}

// A population in the same layout counts once, however many assignments share it.
class SectorsOnce {
 public:
  explicit SectorsOnce(const TileNeighbourhood& around) : around_(around) {}
  SectorCounts of(int layout, int direction, int bytes) {
    const auto [at, isNew] = known_.try_emplace({layout, direction, bytes});
    if (isNew)
      at->second = sectorsOfGeometry(around_, tileLayouts()[static_cast<std::size_t>(layout)],
                                     direction, bytes);
    return at->second;
  }

 private:
  const TileNeighbourhood& around_;
  std::map<std::array<int, 3>, SectorCounts> known_;
};

std::vector<LayoutTraffic> trafficOf(const TileNeighbourhood& around, int populations) {
  SectorsOnce sectors(around);
  std::vector<LayoutTraffic> all;
  for (const int bytes : {8, 4, 2})
    for (const LayoutAssignment& layouts : layoutAssignments()) {
      LayoutTraffic traffic{&layouts, bytes, sectorsOfFullTile(layouts, populations, bytes), {}};
      for (const int n : populationDirections(populations))
        traffic.geometry += sectors.of(layouts.layoutOf[static_cast<std::size_t>(n)], n, bytes);
      all.push_back(traffic);
    }
  return all;
}

}  // namespace

TilingAnalysis analyseTiling(const TiledGeometry& tiled) {
  TilingAnalysis analysis;
  analysis.dimensions = tiled.dimensions;
  analysis.fluidNodes = tiled.fluidNodes;
  const TileNeighbourhood around = neighboursOfTiles(tiled);
  for (std::size_t t = 0; t < tiled.tiles(); ++t) {
    ++analysis.tilesByNodes[static_cast<std::size_t>(std::popcount(around.mask[t])) - 1];
    analysis.allFluidTiles += (tiled.tileFlags[t] & tileAllFluid) != 0;
  }
  analysis.shares = sharesOf(tiled, around, populationDirections(analysis.populations()));
  analysis.inRows = tiled.inRows();
  if (tiled.dimensions == 3 && !tiled.inRows())
    analysis.traffic = trafficOf(around, analysis.populations());
  return analysis;
}

double sectorBytesPerNode(const TilingAnalysis& analysis, const LayoutTraffic& traffic) {
  return static_cast<double>(sectorBytes * (traffic.geometry.read + traffic.geometry.written)) /
         static_cast<double>(analysis.fluidNodes);
}

}  // namespace tessera
