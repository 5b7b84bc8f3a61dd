// SPDX-License-Identifier: GPL-3.0-or-later
// geom.tiles: TiledGeometry to and from the container.
#include "tiler/file/tiles_file.hpp"

#include <algorithm>
#include <array>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/atomic_file.hpp"
#include "pipelines/stage/io/container.hpp"
#include "pipelines/stage/io/json.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/file/meta.hpp"
#include "tiler/file/check_tiles.hpp"

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
  // Version 0.1 wrote none of these.
  tiled.cutLinks = meta.value("cut_links", std::uint64_t{0});
  tiled.surface.sheetTriangles = meta.value("sheet_triangles", std::uint64_t{0});
  if (const auto throats = meta.find("throats"); throats != meta.end())
    tiled.throats = preprocess::file::throatsFromJson(*throats, tiled.openings.size());
  tiled.throatsNotSearched = meta.contains("throats") ? meta.value("throats_not_searched", "")
                                                      : "files of version 0.1 have none";
  if (meta.at("layout") != tilesLayout)
    throw DefectiveTiles(fmt::format("section meta has the unknown layout {}; expected {}",
                                     meta.at("layout").dump(), tilesLayout));
  TilesCounts counts{meta.at("tiles"), meta.at("boundary_nodes"), meta.at("links"), false};
  if (const auto placement = meta.find("placement"); placement != meta.end()) {
    if (*placement != "rows")
      throw DefectiveTiles(
          fmt::format("section meta has the unknown placement {}; expected \"rows\" or none",
                      placement->dump()));
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
    throw DefectiveTiles(
        fmt::format("section meta does not describe a .tiles file ({})", error.what()));
  } catch (const DefectiveTiles&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw DefectiveTiles(fmt::format("section meta: {}", error.what()));
  }
  checkSizes(tiled, counts.tiles, counts.inRows);
  if (counts.inRows) readRows(reader, tiled);
  return counts;
}

void refuseTiles(const std::filesystem::path& path, const DefectiveTiles& defect) {
  stage::fail(
      stage::ExitCode::BadInput,
      fmt::format("{}: {}; regenerate the file with tessera-tiler.", path.string(), defect.what()));
}

using stage::Json;

namespace {

constexpr std::uint16_t minorVersion =
    2;  // 1 since 0.2: throats, sheets, cut links; 2 since 0.3: length_unit

// Histogram of tiles by fluid nodes, in eighths; informative only.
Json fullness(const TiledGeometry& tiled) {
  std::array<std::uint64_t, 8> tiles{};
  for (std::size_t t = 0; t < tiled.tiles(); ++t) {
    const auto first = tiled.nodeType.begin() + static_cast<std::ptrdiff_t>(t * tileNodes);
    const auto fluid = tileNodes - std::count(first, first + tileNodes, std::uint8_t{0});
    ++tiles[static_cast<std::size_t>(fluid - 1) / 8];
  }
  Json histogram = Json::object();
  for (std::size_t k = 0; k < tiles.size(); ++k)
    histogram[fmt::format("{}-{}", 8 * k + 1, 8 * k + 8)] = tiles[k];
  return histogram;
}

Json metaOf(const TiledGeometry& tiled) {
  Json meta{{"dimensions", tiled.dimensions}};
  preprocess::file::addFrame(meta, tiled.frame);
  meta.update({{"nodes", tiled.nodes},
               {"periodic", tiled.periodic},
               {"tile", tiled.tileSize},
               {"offset", tiled.offset},
               {"grid", tiled.grid},
               {"slowest_axis", tiled.slowestAxis},
               {"layout", tilesLayout},
               {"tiles", tiled.tiles()},
               {"fluid_nodes", tiled.fluidNodes},
               {"utilisation", tiled.utilisation()},
               {"tiles_by_fluid_nodes", fullness(tiled)},
               {"boundary_nodes", tiled.boundaryLocal.size()},
               {"links", tiled.linkPatch.size()},
               {"cut_links", tiled.cutLinks},
               {"sheet_triangles", tiled.surface.sheetTriangles},
               {"openings", preprocess::file::openingsToJson(tiled.openings)},
               {"throats", preprocess::file::throatsToJson(tiled.throats)},
               {"walls", tiled.wallNames}});
  if (!tiled.throatsNotSearched.empty()) meta["throats_not_searched"] = tiled.throatsNotSearched;
  if (tiled.isShifted()) meta.update({{"placement", "rows"}, {"row_axes", tiled.rows.axes}});
  return meta;
}

void readArrays(const stage::ContainerReader& reader, const TilesCounts& counts,
                TiledGeometry& tiled) {
  tiled.tileMap = reader.read<std::int32_t>("tileMap", gridPositions(tiled.grid));
  tiled.nonEmptyTiles = reader.read<std::array<std::int32_t, 3>>("nonEmptyTiles", counts.tiles);
  tiled.nodeType = reader.read<std::uint8_t>("nodeType", counts.tiles * tileNodes);
  tiled.tileFlags = reader.read<std::uint8_t>("tileFlags", counts.tiles);
  tiled.boundaryStart = reader.read<std::uint64_t>("boundaryStart", counts.tiles + 1);
  tiled.boundaryLocal = reader.read<std::uint8_t>("boundaryLocal", counts.boundaryNodes);
  tiled.boundaryMask = reader.read<std::uint32_t>("boundaryMask", counts.boundaryNodes);
  tiled.boundaryNormal = reader.read<std::uint32_t>("boundaryNormal", counts.boundaryNodes);
  tiled.linkStart = reader.read<std::uint64_t>("linkStart", counts.tiles + 1);
  tiled.linkDistance = reader.read<std::uint16_t>("linkDistance", counts.links);
  tiled.linkPatch = reader.read<preprocess::geometry::Patch>("linkPatch", counts.links);
  tiled.surface.vertex = reader.read<Float3>("surfaceVertex");
  tiled.surface.triangle = reader.read<std::array<std::uint32_t, 3>>("surfaceTriangle");
  tiled.surface.label =
      reader.read<preprocess::geometry::Patch>("surfaceLabel", tiled.surface.triangle.size());
}

TiledGeometry readGeometry(const stage::ContainerReader& reader) {
  TiledGeometry tiled;
  readArrays(reader, readTilesMeta(reader, tiled), tiled);
  checkIndices(tiled);
  return tiled;
}

}  // namespace

void writeTilesFile(const std::filesystem::path& path, const TiledGeometry& tiled,
                    const stage::Provenance& provenance) {
  stage::ContainerWriter writer("tiles", tiled.isShifted() ? tilesMajorVersion : 1, minorVersion);
  writer.addText("meta", metaOf(tiled).dump(1));
  writer.addText("provenance", provenance.toJson());
  if (tiled.isShifted()) {
    writer.add("layerOffset", tiled.rows.layer);
    writer.add("rowOffset", tiled.rows.row);
  }
  writer.add("tileMap", tiled.tileMap);
  writer.add("nonEmptyTiles", tiled.nonEmptyTiles);
  writer.add("nodeType", tiled.nodeType);
  writer.add("tileFlags", tiled.tileFlags);
  writer.add("boundaryStart", tiled.boundaryStart);
  writer.add("boundaryLocal", tiled.boundaryLocal);
  writer.add("boundaryMask", tiled.boundaryMask);
  writer.add("boundaryNormal", tiled.boundaryNormal);
  writer.add("linkStart", tiled.linkStart);
  writer.add("linkDistance", tiled.linkDistance);
  writer.add("linkPatch", tiled.linkPatch);
  writer.add("surfaceVertex", tiled.surface.vertex);
  writer.add("surfaceTriangle", tiled.surface.triangle);
  writer.add("surfaceLabel", tiled.surface.label);
  stage::AtomicFile file(path);
  writer.write(file);
  file.commit();
}

TilesFile readTilesFile(const std::filesystem::path& path) {
  const stage::ContainerReader reader(path, "tiles", tilesMajorVersion);
  TilesFile file;
  file.contentHash = reader.contentHash();
  file.provenance = stage::Provenance::fromJson(reader.text("provenance"));
  try {
    file.geometry = readGeometry(reader);
  } catch (const DefectiveTiles& defect) {
    refuseTiles(path, defect);
  }
  return file;
}

void checkTilesFile(const std::filesystem::path& path) {
  const TilesFile file = readTilesFile(path);
  try {
    checkSymmetry(file.geometry);
  } catch (const DefectiveTiles& defect) {
    refuseTiles(path, defect);
  }
}

}  // namespace tessera::tiler::file
