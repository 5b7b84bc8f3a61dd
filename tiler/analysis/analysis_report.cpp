// SPDX-License-Identifier: GPL-3.0-or-later
#include "tiler/analysis/analysis_report.hpp"

#include <array>
#include <cstdio>
#include <string_view>

#include "pipelines/stage/io/json.hpp"
#include "tiler/analysis/text_line.hpp"

namespace tessera::tiler::analysis {

using stage::Json;

namespace {

constexpr std::array<int, 3> precisions{8, 4, 2};  // bytes of a value

std::string precisionName(int bytes) {
  return "f" + std::to_string(8 * bytes);
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
  if (analysis.inRows) return "ghost buffers are for one mesh";
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "alpha %.3f, beta %.3f", analysis.shares.alpha,
                analysis.shares.beta);
  return text.data();
}

std::string overheadTable(const TilingAnalysis& analysis, int bytes, double bandwidth) {
  const StorageSizes sizes = analysis.sizes(bytes);
  const double least = leastNodeBytes(sizes) * static_cast<double>(analysis.fluidNodes);
  std::string text =
      textLine("%s, of %.0f bytes a node  %9s %9s %9s %9s %9s %9s", precisionName(bytes).c_str(),
               leastNodeBytes(sizes), "memory", "GB", "traffic", "bursts", "MFLUPS", "bursts");
  for (const Overhead& overhead : knownOverheads(analysis, sizes))
    text +=
        textLine("  %-26s %9.3f %9.3f %9.3f %9.3f %9.0f %9.0f", overhead.title, overhead.memory,
                 least * (1.0 + overhead.memory) / 1e9, overhead.bandwidth,
                 overhead.bandwidthBursts, predictedMflups(sizes, overhead.bandwidth, bandwidth),
                 predictedMflups(sizes, overhead.bandwidthBursts, bandwidth));
  return text;
}

std::string transactionTable(const TilingAnalysis& analysis, double bandwidth) {
  std::string text = textLine("%-28s %9s %9s %9s %9s %9s", "32-byte sectors a tile", "full tile",
                              "requested", "read", "written", "MFLUPS");
  std::uint64_t tiles = 0;
  for (const std::uint64_t count : analysis.tilesByNodes) tiles += count;
  const auto perTile = [&](std::uint64_t count) {
    return static_cast<double>(count) / static_cast<double>(tiles);
  };
  for (const LayoutTraffic& traffic : analysis.traffic)
    text += textLine(
        "  %s %-22s %9llu %9.1f %9.1f %9.1f %9.0f", precisionName(traffic.valueBytes).c_str(),
        traffic.layouts->name, static_cast<unsigned long long>(traffic.fullTile.requested),
        perTile(traffic.geometry.requested), perTile(traffic.geometry.read),
        perTile(traffic.geometry.written), bandwidth / sectorBytesPerNode(analysis, traffic) / 1e6);
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
      textLine("overheads    of %s at %.4g TB/s; porosity %.4f, utilisation %.4f, %s",
               analysis.dimensions == 2 ? "D2Q9" : "D3Q19", bandwidth / 1e12,
               analysis.shares.porosity, analysis.shares.utilisation, ghostText(analysis).c_str());
  for (const int bytes : precisions) text += overheadTable(analysis, bytes, bandwidth);
  if (!analysis.traffic.empty()) text += transactionTable(analysis, bandwidth);
  return text;
}

}  // namespace tessera::tiler::analysis
