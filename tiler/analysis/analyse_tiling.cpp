// SPDX-License-Identifier: GPL-3.0-or-later
#include "tiler/analysis/analyse_tiling.hpp"

#include <array>
#include <bit>
#include <map>
#include <string_view>

#include "pipelines/stage/io/json.hpp"
#include "pipelines/stage/text.hpp"
#include "tiler/analysis/transactions.hpp"

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
  const GhostShares ghosts = tiled.isShifted() ? GhostShares{} : ghostShares(around, directions);
  return {ratio(tiled.fluidNodes, boxNodes), tiled.utilisation(), ghosts.alpha, ghosts.beta,
          ratio(tiled.tileMap.size(), tiled.tiles())};
}

// A population in one layout is counted once, even if several assignments share it.
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
  if (tiled.isShifted())
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
  analysis.inRows = tiled.isShifted();
  if (tiled.dimensions == 3) analysis.traffic = trafficOf(tiled, around, analysis.populations());
  return analysis;
}

double sectorBytesPerNode(const TilingAnalysis& analysis, const LayoutTraffic& traffic) {
  return static_cast<double>(sectorBytes * (traffic.geometry.read + traffic.geometry.written)) /
         static_cast<double>(analysis.fluidNodes);
}

using stage::Json;

namespace {

constexpr std::array<int, 3> precisions{8, 4, 2};  // bytes per value

std::string precisionName(int bytes) {
  return fmt::format("f{}", 8 * bytes);
}

Json sectorsJson(const SectorCounts& counts) {
  return {{"requested", counts.requested}, {"read", counts.read}, {"written", counts.written}};
}

Json layoutsJson(const TilingAnalysis& analysis) {
  Json layouts = Json::array();
  for (const TileLayout& layout : tileLayouts())
    layouts.push_back({{"id", layout.id}, {"name", layout.name}});
  Json assignments = Json::array();
  for (const LayoutAssignment& assignment : layoutAssignments()) {
    Json populations = Json::array();
    for (const int n : populationDirections(analysis.populations()))
      populations.push_back({{"direction", preprocess::geometry::directionStep(n)},
                             {"layout", assignment.layoutOf[static_cast<std::size_t>(n)]}});
    assignments.push_back(
        {{"id", assignment.id}, {"name", assignment.name}, {"populations", populations}});
  }
  return {{"known", layouts}, {"assignments", assignments}};
}

Json transactionsJson(const TilingAnalysis& analysis, double bandwidth) {
  Json rows = Json::array();
  for (const LayoutTraffic& traffic : analysis.traffic) {
    const double bytes = sectorBytesPerNode(analysis, traffic);
    rows.push_back({{"layouts", traffic.layouts->name},
                    {"precision", precisionName(traffic.valueBytes)},
                    {"full_tile", sectorsJson(traffic.fullTile)},
                    {"geometry", sectorsJson(traffic.geometry)},
                    {"bytes_per_node", bytes},
                    {"mflups", bandwidth / bytes / 1e6}});
  }
  return rows;
}

std::vector<Overhead> knownOverheads(const TilingAnalysis& analysis, const StorageSizes& sizes) {
  std::vector<Overhead> overheads = overheadsOf(sizes, analysis.shares);
  if (analysis.inRows)
    std::erase_if(overheads, [](const Overhead& overhead) {
      return std::string_view(overhead.structure) == ghostBuffersName;
    });
  return overheads;
}

Json overheadsJson(const TilingAnalysis& analysis, double bandwidth) {
  Json rows = Json::array();
  for (const int bytes : precisions) {
    const StorageSizes sizes = analysis.sizes(bytes);
    for (const Overhead& overhead : knownOverheads(analysis, sizes))
      rows.push_back(
          {{"structure", overhead.structure},
           {"precision", precisionName(bytes)},
           {"memory", overhead.memory},
           {"memory_ideal", overhead.memoryIdeal},
           {"bandwidth", overhead.bandwidth},
           {"bandwidth_ideal", overhead.bandwidthIdeal},
           {"bandwidth_bursts", overhead.bandwidthBursts},
           {"mflups", predictedMflups(sizes, overhead.bandwidth, bandwidth)},
           {"mflups_bursts", predictedMflups(sizes, overhead.bandwidthBursts, bandwidth)}});
  }
  return rows;
}

std::string ghostText(const TilingAnalysis& analysis) {
  if (analysis.inRows) return "ghost buffers require an aligned tiling";
  return fmt::format("alpha {:.3f}, beta {:.3f}", analysis.shares.alpha, analysis.shares.beta);
}

std::string overheadTable(const TilingAnalysis& analysis, int bytes, double bandwidth) {
  const StorageSizes sizes = analysis.sizes(bytes);
  const double least = leastNodeBytes(sizes) * static_cast<double>(analysis.fluidNodes);
  std::string text = fmt::format("{}, {:.0f} bytes per node  {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n",
                                 precisionName(bytes), leastNodeBytes(sizes), "memory", "GB",
                                 "traffic", "bursts", "MFLUPS", "bursts");
  for (const Overhead& overhead : knownOverheads(analysis, sizes))
    text +=
        fmt::format("  {:<26} {:9.3f} {:9.3f} {:9.3f} {:9.3f} {:9.0f} {:9.0f}\n", overhead.title,
                    overhead.memory, least * (1.0 + overhead.memory) / 1e9, overhead.bandwidth,
                    overhead.bandwidthBursts, predictedMflups(sizes, overhead.bandwidth, bandwidth),
                    predictedMflups(sizes, overhead.bandwidthBursts, bandwidth));
  return text;
}

std::string transactionTable(const TilingAnalysis& analysis, double bandwidth) {
  std::string text =
      fmt::format("{:<28} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "32-byte sectors per tile", "full tile",
                  "requested", "read", "written", "MFLUPS");
  std::uint64_t tiles = 0;
  for (const std::uint64_t count : analysis.tilesByNodes) tiles += count;
  const auto perTile = [&](std::uint64_t count) {
    return static_cast<double>(count) / static_cast<double>(tiles);
  };
  for (const LayoutTraffic& traffic : analysis.traffic)
    text += fmt::format("  {} {:<22} {:9} {:9.1f} {:9.1f} {:9.1f} {:9.0f}\n",
                        precisionName(traffic.valueBytes), traffic.layouts->name,
                        traffic.fullTile.requested, perTile(traffic.geometry.requested),
                        perTile(traffic.geometry.read), perTile(traffic.geometry.written),
                        bandwidth / sectorBytesPerNode(analysis, traffic) / 1e6);
  return text;
}

}  // namespace

void addAnalysis(Json& report, const TilingAnalysis& analysis, double bandwidth) {
  report["porosity"] = analysis.shares.porosity;
  report["nodes_per_tile"] = analysis.tilesByNodes;
  report["all_fluid_tiles"] = analysis.allFluidTiles;
  if (!analysis.inRows)
    report["ghost_buffers"] = {{"alpha", analysis.shares.alpha}, {"beta", analysis.shares.beta}};
  report["bandwidth_b_s"] = bandwidth;
  report["overheads"] = overheadsJson(analysis, bandwidth);
  if (analysis.traffic.empty()) return;
  report["layouts"] = layoutsJson(analysis);
  report["transactions"] = transactionsJson(analysis, bandwidth);
}

std::string analysisText(const TilingAnalysis& analysis, double bandwidth) {
  std::string text =
      fmt::format("overheads    of {} at {:.4g} TB/s; porosity {:.4f}, utilisation {:.4f}, {}\n",
                  analysis.dimensions == 2 ? "D2Q9" : "D3Q19", bandwidth / 1e12,
                  analysis.shares.porosity, analysis.shares.utilisation, ghostText(analysis));
  for (const int bytes : precisions) text += overheadTable(analysis, bytes, bandwidth);
  if (!analysis.traffic.empty()) text += transactionTable(analysis, bandwidth);
  return text;
}

}  // namespace tessera::tiler::analysis
