// SPDX-License-Identifier: GPL-3.0-or-later
#include "tiler/analysis/analyse_tiling.hpp"

#include <bit>
#include <map>

#include "tiler/analysis/row_transactions.hpp"

namespace tessera::tiler::analysis {

namespace {

constexpr std::array<int, 3> valueSizes{8, 4, 2};  // bytes

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
using LayoutKey = std::array<int, 3>;  // layout, direction, bytes
using KnownSectors = std::map<LayoutKey, SectorCounts>;

LayoutKey keyOf(const LayoutAssignment& layouts, int direction, int bytes) {
  return {layouts.layoutOf[static_cast<std::size_t>(direction)], direction, bytes};
}

KnownSectors sectorsNeeded(int populations) {
  KnownSectors known;
  for (const int bytes : valueSizes)
    for (const LayoutAssignment& layouts : layoutAssignments())
      for (const int n : populationDirections(populations)) known[keyOf(layouts, n, bytes)] = {};
  return known;
}

const TileLayout& layoutOf(const LayoutKey& key) {
  return tileLayouts()[static_cast<std::size_t>(key[0])];
}

void countInRows(const TiledGeometry& tiled, KnownSectors& known) {
  std::vector<PopulationLayout> asked;
  for (const auto& [key, counts] : known) asked.push_back({&layoutOf(key), key[1], key[2]});
  const std::vector<SectorCounts> found = sectorsInRows(tiled, asked);
  std::size_t k = 0;
  for (auto& [key, counts] : known) counts = found[k++];
}

std::vector<LayoutTraffic> trafficOf(const TiledGeometry& tiled, const TileNeighbourhood& around,
                                     int populations) {
  KnownSectors known = sectorsNeeded(populations);
  if (tiled.inRows())
    countInRows(tiled, known);
  else
    for (auto& [key, counts] : known)
      counts = sectorsOfGeometry(around, layoutOf(key), key[1], key[2]);
  std::vector<LayoutTraffic> all;
  for (const int bytes : valueSizes)
    for (const LayoutAssignment& layouts : layoutAssignments()) {
      LayoutTraffic traffic{&layouts, bytes, sectorsOfFullTile(layouts, populations, bytes), {}};
      for (const int n : populationDirections(populations))
        traffic.geometry += known.at(keyOf(layouts, n, bytes));
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
  if (tiled.dimensions == 3) analysis.traffic = trafficOf(tiled, around, analysis.populations());
  return analysis;
}

double sectorBytesPerNode(const TilingAnalysis& analysis, const LayoutTraffic& traffic) {
  return static_cast<double>(sectorBytes * (traffic.geometry.read + traffic.geometry.written)) /
         static_cast<double>(analysis.fluidNodes);
}

}  // namespace tessera::tiler::analysis
