// SPDX-License-Identifier: GPL-3.0-or-later
#include "tiler/tiler_report.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "pipelines/stage/io/json.hpp"
#include "pipelines/stage/text.hpp"
#include "tiler/analysis/analyse_tiling.hpp"

namespace tessera::tiler {

using stage::bytesText;
using stage::Json;

namespace {

std::string threeNumbers(const Int3& numbers, const char* between) {
  return fmt::format("{}{}{}{}{}", numbers[0], between, numbers[1], between, numbers[2]);
}

std::string axisName(int axis) {
  return std::string(1, static_cast<char>('x' + axis));
}

std::uint64_t fewestOfOneMesh(const Covering& covering) {
  return *std::min_element(covering.offsets.tiles.begin(), covering.offsets.tiles.end());
}

// Tiles saved by a shifted tiling, as a part of the best aligned one.
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
    return fmt::format("tiles        {} of {} at offset {}, utilisation {:.4f}\n", covering.tiles,
                       size, threeNumbers(covering.offset, ","), covering.utilisation());
  const std::array<int, 3>& axes = covering.rows->rows.axes;
  return fmt::format(
      "tiles        {} of {} in rows along {}, across {}, in layers on {}, utilisation {:.4f}\n"
      "rows         {:.2f} % fewer than the {} tiles of one mesh at offset {}\n",
      covering.tiles, size, axisName(axes[0]), axisName(axes[1]), axisName(axes[2]),
      covering.utilisation(), 100.0 * savedByRows(covering), fewestOfOneMesh(covering),
      threeNumbers(covering.offsets.best(), ","));
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

// Bytes of the layer and row offsets of a shifted tiling.
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

// Everything but the arrangement and number of tiles.
Covering describeGeometry(const preprocess::geometry::LatticeGeometry& geometry,
                          preprocess::lattice::OffsetCounts offsets) {
  Covering covering;
  covering.dimensions = geometry.dimensions;
  covering.nodes = geometry.fluid.size;
  covering.offsets = std::move(offsets);
  covering.fluidNodes = geometry.fluid.count();
  covering.boundaryNodes = geometry.boundary.node.size();
  covering.links = geometry.boundary.patch.size();
  covering.wallLinks = preprocess::geometry::countWallLinks(geometry.boundary);
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
              {"wall_links", covering.wallLinks},
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
  text += fmt::format("nodes        {}, {} fluid, {} of them with {} links\n",
                      threeNumbers(covering.nodes, " x "), covering.fluidNodes,
                      covering.boundaryNodes, covering.links);
  text += placementText(covering);
  text += fmt::format("64 offsets   {} to {} tiles, mean utilisation {:.4f}\n", *fewest, *most,
                      utilisation / 64.0);
  text += fmt::format(
      "populations  two copies of {}: {} in f64, {} in f32, {} in f16\n",
      covering.dimensions == 2 ? "D2Q9" : "D3Q19", bytesText(covering.populationBytes(8)),
      bytesText(covering.populationBytes(4)), bytesText(covering.populationBytes(2)));
  text += fmt::format("file         {}\n", bytesText(covering.fileBytes()));
  return text;
}

std::string planText(const Covering& covering) {
  const double seconds = stage::tilerSeconds(covering.counts());
  return fmt::format(
      "memory       about {}\ntime         about {:.1f} s\nplan         nothing was written\n",
      bytesText(covering.memoryBytes()), std::max(0.1, seconds));
}

}  // namespace tessera::tiler
