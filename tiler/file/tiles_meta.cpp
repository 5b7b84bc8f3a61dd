// SPDX-License-Identifier: GPL-3.0-or-later
#include "tiler/file/tiles_meta.hpp"

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/json.hpp"
#include "preprocess/file/meta_json.hpp"

namespace tessera::tiler::file {

namespace {

TilesCounts readMeta(const stage::Json& meta, TiledGeometry& tiled) {
  meta.at("dimensions").get_to(tiled.dimensions);
  tiled.frame = preprocess::file::frameOf(meta);
  meta.at("nodes").get_to(tiled.nodes);
  meta.at("periodic").get_to(tiled.periodic);
  meta.at("tile").get_to(tiled.tileSize);
  meta.at("offset").get_to(tiled.offset);
  meta.at("grid").get_to(tiled.grid);
  meta.at("slowest_axis").get_to(tiled.slowestAxis);
  meta.at("fluid_nodes").get_to(tiled.fluidNodes);
  meta.at("walls").get_to(tiled.wallNames);
  tiled.openings = preprocess::file::openingsFromJson(meta.at("openings"));
  if (meta.at("layout") != tilesLayout)
    throw DefectiveTiles("section meta has the layout " + meta.at("layout").dump() + " and only " +
                         tilesLayout + " is known");
  TilesCounts counts{meta.at("tiles"), meta.at("boundary_nodes"), meta.at("links"), false};
  if (const auto placement = meta.find("placement"); placement != meta.end()) {
    if (*placement != "rows")
      throw DefectiveTiles("section meta has the placement " + placement->dump() +
                           " and only rows is known beside one mesh");
    meta.at("row_axes").get_to(tiled.rows.axes);
    counts.inRows = true;
  }
  return counts;
}

void readRows(const stage::ContainerReader& reader, TiledGeometry& tiled) {
  const auto layers =
      static_cast<std::uint64_t>(tiled.grid[static_cast<std::size_t>(tiled.rows.axes[2])]);
  const auto across =
      static_cast<std::uint64_t>(tiled.grid[static_cast<std::size_t>(tiled.rows.axes[1])]);
  tiled.rows.layer = reader.read<std::uint8_t>("layerOffset", layers);
  tiled.rows.row = reader.read<std::uint8_t>("rowOffset", layers * across);
}

}  // namespace

TilesCounts readTilesMeta(const stage::ContainerReader& reader, TiledGeometry& tiled) {
  TilesCounts counts;
  try {
    counts = readMeta(stage::parseJson(reader.text("meta")), tiled);
  } catch (const stage::Json::exception& error) {
    throw DefectiveTiles(std::string("section meta does not hold what a .tiles file needs (") +
                         error.what() + ")");
  }
  checkSizes(tiled, counts.tiles, counts.inRows);
  if (counts.inRows) readRows(reader, tiled);
  return counts;
}

void refuseTiles(const std::filesystem::path& path, const DefectiveTiles& defect) {
  stage::fail(stage::ExitCode::BadInput,
              path.string() + ": " + defect.what() + "; make the file again with tessera-tiler.");
}

}  // namespace tessera::tiler::file
