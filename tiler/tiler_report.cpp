// SPDX-License-Identifier: GPL-3.0-or-later
#include "tiler/tiler_report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>
#include <utility>

#include "pipelines/stage/io/json.hpp"
#include "tiler/analysis/analysis_report.hpp"
#include "tiler/analysis/text_line.hpp"

namespace tessera::tiler {

using analysis::textLine;
using stage::Json;

namespace {

std::string threeNumbers(const Int3& numbers, const char* between) {
  return std::to_string(numbers[0]) + between + std::to_string(numbers[1]) + between +
         std::to_string(numbers[2]);
}

std::string bytesText(std::uint64_t bytes) {
  const double value = static_cast<double>(bytes);
  std::array<char, 32> text{};
  if (value >= 1e9)
    std::snprintf(text.data(), text.size(), "%.2f GB", value / 1e9);
  else
    std::snprintf(text.data(), text.size(), "%.2f MB", value / 1e6);
  return text.data();
}

using Number = unsigned long long;

std::string axisName(int axis) {
  return std::string(1, static_cast<char>('x' + axis));
}

std::uint64_t fewestOfOneMesh(const Covering& covering) {
  return *std::min_element(covering.offsets.tiles.begin(), covering.offsets.tiles.end());
}

// Part of the tiles of the best single mesh that rows save.
double savedByRows(const Covering& covering) {
  return 1.0 - static_cast<double>(covering.tiles) / static_cast<double>(fewestOfOneMesh(covering));
}

Json rowsJson(const Covering& covering) {
  const std::array<int, 3>& axes = covering.rows->rows.axes;
  return {{"along", axisName(axes[0])},
          {"across", axisName(axes[1])},
          {"layers", axisName(axes[2])},
          {"tiles_global", fewestOfOneMesh(covering)},
          {"saved", savedByRows(covering)}};
}

std::string placementText(const Covering& covering) {
  const std::string size = threeNumbers(covering.offsets.tileSize, "x");
  if (!covering.rows)
    return textLine("tiles        %llu of %s at offset %s, utilisation %.4f",
                    Number{covering.tiles}, size.c_str(),
                    threeNumbers(covering.offset, ",").c_str(), covering.utilisation());
  const std::array<int, 3>& axes = covering.rows->rows.axes;
  return textLine(
             "tiles        %llu of %s in rows along %s, across %s, in layers on %s, "
             "utilisation %.4f",
             Number{covering.tiles}, size.c_str(), axisName(axes[0]).c_str(),
             axisName(axes[1]).c_str(), axisName(axes[2]).c_str(), covering.utilisation()) +
         textLine("rows         %.2f %% fewer than the %llu tiles of one mesh at offset %s",
                  100.0 * savedByRows(covering), Number{fewestOfOneMesh(covering)},
                  threeNumbers(covering.offsets.best(), ",").c_str());
}

}  // namespace

std::uint64_t Covering::populationBytes(int bytesPerNumber) const {
  return static_cast<std::uint64_t>(tessera::stage::populationBytes(
      static_cast<double>(tiles), dimensions == 2 ? 9 : 19, bytesPerNumber));
}

std::uint64_t Covering::meshPositions() const {
  if (rows) return rows->positions();
  std::uint64_t positions = 1;
  for (std::size_t a = 0; a < 3; ++a)
    positions *= static_cast<std::uint64_t>((nodes[a] + offset[a] + offsets.tileSize[a] - 1) /
                                            offsets.tileSize[a]);
  return positions;
}

stage::ChainCounts Covering::counts() const {
  stage::ChainCounts counts;
  counts.dimensions = dimensions;
  counts.fluidNodes = static_cast<double>(fluidNodes);
  counts.boundaryNodes = static_cast<double>(boundaryNodes);
  counts.links = static_cast<double>(links);
  counts.tiles = static_cast<double>(tiles);
  counts.positions = static_cast<double>(meshPositions());
  counts.triangles = static_cast<double>(surfaceTriangles);
  counts.vertices = static_cast<double>(surfaceVertices);
  return counts;
}

// Of the offsets of layers and rows, where these have their own.
std::uint64_t Covering::shiftBytes() const {
  return rows ? rows->rows.layer.size() + rows->rows.row.size() : 0;
}

std::uint64_t Covering::fileBytes() const {
  return static_cast<std::uint64_t>(stage::tilesFileBytes(counts())) + shiftBytes();
}

std::uint64_t Covering::memoryBytes() const {
  const std::uint64_t masks = rows ? 8 * meshPositions() : 0;
  return static_cast<std::uint64_t>(stage::tilerBytes(counts())) + shiftBytes() + masks;
}

namespace {

// All but where tiles lie and how many there are.
Covering describeGeometry(const preprocess::geometry::LatticeGeometry& geometry,
                          preprocess::lattice::OffsetCounts offsets) {
  Covering covering;
  covering.dimensions = geometry.dimensions;
  covering.nodes = geometry.fluid.size;
  covering.offsets = std::move(offsets);
  covering.fluidNodes = geometry.fluid.count();
  covering.boundaryNodes = geometry.boundary.node.size();
  covering.links = geometry.boundary.patch.size();
  covering.surfaceTriangles = geometry.surface.triangle.size();
  covering.surfaceVertices = geometry.surface.vertex.size();
  return covering;
}

}  // namespace

Covering describeCovering(const preprocess::geometry::LatticeGeometry& geometry,
                          preprocess::lattice::OffsetCounts offsets, const Int3& offset) {
  requireIndexable(offsets.at(offset));
  Covering covering = describeGeometry(geometry, std::move(offsets));
  covering.offset = offset;
  covering.tiles = covering.offsets.at(offset);
  return covering;
}

Covering describeCovering(const preprocess::geometry::LatticeGeometry& geometry,
                          preprocess::lattice::OffsetCounts offsets, const RowSearch& search) {
  requireIndexable(search.tiles);
  Covering covering = describeGeometry(geometry, std::move(offsets));
  covering.offset = search.mesh.offset;
  covering.rows = search.mesh;
  covering.tiles = search.tiles;
  return covering;
}

std::string reportJson(const Covering& covering, const analysis::TilingAnalysis& analysis,
                       double bandwidth) {
  Json offsets = Json::array();
  for (std::size_t i = 0; i < covering.offsets.tiles.size(); ++i)
    offsets.push_back(
        {{"offset", covering.offsets.offsetOf(i)}, {"tiles", covering.offsets.tiles[i]}});
  Json report{{"tile", covering.offsets.tileSize},
              {"offset", covering.offset},
              {"tiles", covering.tiles},
              {"nodes", covering.nodes},
              {"fluid_nodes", covering.fluidNodes},
              {"boundary_nodes", covering.boundaryNodes},
              {"links", covering.links},
              {"utilisation", covering.utilisation()},
              {"bytes",
               {{"f64", covering.populationBytes(8)},
                {"f32", covering.populationBytes(4)},
                {"f16", covering.populationBytes(2)}}},
              {"offsets", offsets},
              {"placement", covering.rows ? "rows" : "global"}};
  if (covering.rows) report["rows"] = rowsJson(covering);
  analysis::addAnalysis(report, analysis, bandwidth);
  return report.dump(1) + "\n";
}

std::string summaryText(const Covering& covering) {
  const auto& counts = covering.offsets.tiles;
  const auto [fewest, most] = std::minmax_element(counts.begin(), counts.end());
  double utilisation = 0.0;
  for (const std::uint64_t tiles : counts) utilisation += covering.utilisationOf(tiles);
  std::string text;
  text += textLine("nodes        %s, of which %llu fluid, %llu of them with %llu links",
                   threeNumbers(covering.nodes, " x ").c_str(), Number{covering.fluidNodes},
                   Number{covering.boundaryNodes}, Number{covering.links});
  text += placementText(covering);
  text += textLine("64 offsets   %llu to %llu tiles, mean utilisation %.4f", Number{*fewest},
                   Number{*most}, utilisation / 64.0);
  text += textLine("populations  two copies of %s: %s in f64, %s in f32, %s in f16",
                   covering.dimensions == 2 ? "D2Q9" : "D3Q19",
                   bytesText(covering.populationBytes(8)).c_str(),
                   bytesText(covering.populationBytes(4)).c_str(),
                   bytesText(covering.populationBytes(2)).c_str());
  text += textLine("file         %s", bytesText(covering.fileBytes()).c_str());
  return text;
}

std::string planText(const Covering& covering) {
  const double seconds = stage::tilerSeconds(covering.counts());
  return textLine("memory       about %s", bytesText(covering.memoryBytes()).c_str()) +
         textLine("time         about %.1f s", std::max(0.1, seconds)) +
         textLine("plan         nothing was written");
}

}  // namespace tessera::tiler
