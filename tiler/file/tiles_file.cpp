// SPDX-License-Identifier: GPL-3.0-or-later
// geom.tiles: TiledGeometry to and from the container.
#include "tiler/file/tiles_file.hpp"

#include <algorithm>
#include <array>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/atomic_file.hpp"
#include "pipelines/stage/io/container.hpp"
#include "pipelines/stage/io/json.hpp"
#include "preprocess/file/meta_json.hpp"
#include "tiler/file/check_symmetry.hpp"
#include "tiler/file/check_tiles.hpp"
#include "tiler/file/tiles_meta.hpp"

namespace tessera::tiler::file {

using stage::Json;

namespace {

constexpr std::uint16_t minorVersion = 0;

// Tiles by how many of their 64 nodes are fluid, in eighths: for a person, no reader needs it.
Json fullness(const TiledGeometry& tiled) {
  std::array<std::uint64_t, 8> tiles{};
  for (std::size_t t = 0; t < tiled.tiles(); ++t) {
    const auto first = tiled.nodeType.begin() + static_cast<std::ptrdiff_t>(t * tileNodes);
    const auto fluid = tileNodes - std::count(first, first + tileNodes, std::uint8_t{0});
    ++tiles[static_cast<std::size_t>(fluid - 1) / 8];
  }
  Json histogram = Json::object();
  for (std::size_t k = 0; k < tiles.size(); ++k)
    histogram[std::to_string(8 * k + 1) + "-" + std::to_string(8 * k + 8)] = tiles[k];
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
               {"openings", preprocess::file::openingsToJson(tiled.openings)},
               {"walls", tiled.wallNames}});
  if (tiled.inRows()) meta.update({{"placement", "rows"}, {"row_axes", tiled.rows.axes}});
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
  stage::ContainerWriter writer("tiles", tiled.inRows() ? tilesMajorVersion : 1, minorVersion);
  writer.addText("meta", metaOf(tiled).dump(1));
  writer.addText("provenance", provenance.toJson());
  if (tiled.inRows()) {
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
