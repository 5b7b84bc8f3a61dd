// SPDX-License-Identifier: GPL-3.0-or-later
#include "tiler/file/part_of_tiles.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/container.hpp"
#include "pipelines/stage/system/parallel_for.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/file/node_types.hpp"
#include "tiler/file/check_tiles.hpp"
#include "tiler/file/tiles_file.hpp"

namespace tessera::tiler::file {

using stage::ContainerReader;

namespace {

using Ranges = std::vector<stage::ElementRange>;

// Appends a range, merged with the last one if contiguous.
void append(Ranges& ranges, std::uint64_t first, std::uint64_t count) {
  if (!ranges.empty() && ranges.back().first + ranges.back().count == first)
    ranges.back().count += count;
  else
    ranges.push_back({first, count});
}

template <class Tile>
Ranges nodesOf(std::span<const Tile> tiles) {
  Ranges ranges;
  for (const Tile tile : tiles)
    append(ranges, static_cast<std::uint64_t>(tile) * tileNodes, tileNodes);
  return ranges;
}

// Ranges in an array where tile t has the elements start[t] .. start[t + 1].
template <class Tile>
Ranges rangesOf(std::span<const Tile> tiles, const std::vector<std::uint64_t>& start) {
  Ranges ranges;
  for (const Tile tile : tiles) {
    const auto t = static_cast<std::size_t>(tile);
    append(ranges, start[t], start[t + 1] - start[t]);
  }
  return ranges;
}

void orRefuse(const std::filesystem::path& path, const std::function<void()>& body) {
  try {
    body();
  } catch (const DefectiveTiles& defect) {
    refuseTiles(path, defect);
  }
}

// Reads the index; of all other sections only the sizes are checked.
void readIndex(const ContainerReader& reader, TilesIndex& index) {
  TiledGeometry& outline = index.outline;
  index.contentHash = reader.contentHash();
  index.provenance = stage::Provenance::fromJson(reader.text("provenance"));
  const TilesCounts counts = readTilesMeta(reader, outline);
  reader.require<std::int32_t>("tileMap", gridPositions(outline.grid));
  reader.require<std::uint8_t>("nodeType", counts.tiles * tileNodes);
  reader.require<std::uint8_t>("boundaryLocal", counts.boundaryNodes);
  reader.require<std::uint32_t>("boundaryMask", counts.boundaryNodes);
  reader.require<std::uint32_t>("boundaryNormal", counts.boundaryNodes);
  reader.require<std::uint16_t>("linkDistance", counts.links);
  reader.require<preprocess::geometry::Patch>("linkPatch", counts.links);
  outline.nonEmptyTiles = reader.read<std::array<std::int32_t, 3>>("nonEmptyTiles", counts.tiles);
  outline.tileFlags = reader.read<std::uint8_t>("tileFlags", counts.tiles);
  outline.boundaryStart = reader.read<std::uint64_t>("boundaryStart", counts.tiles + 1);
  outline.linkStart = reader.read<std::uint64_t>("linkStart", counts.tiles + 1);
  checkIndex(outline, counts.boundaryNodes, counts.links);
  // As expected in the file; the processes verify it together.
  outline.tileMap.assign(gridPositions(outline.grid), -1);
  for (std::size_t t = 0; t < outline.tiles(); ++t) {
    const auto& at = outline.nonEmptyTiles[t];
    outline.tileMap[outline.position(at[0], at[1], at[2])] = static_cast<std::int32_t>(t);
  }
}

// Counts of one process in its share of tiles and grid positions.
struct Counts {
  std::vector<std::uint8_t> nonSolid;
  std::vector<std::uint16_t> openingLinks;
  std::uint64_t named = 0;
};

Counts countShare(const ContainerReader& reader, const TiledGeometry& outline,
                  const stage::Processes& processes) {
  const stage::Share tiles = stage::shareOf(outline.tiles(), processes.rank(), processes.size());
  Counts counts;
  counts.nonSolid.resize(tiles.size());
  counts.openingLinks.resize(tiles.size());
  const auto types =
      reader.readRange<std::uint8_t>("nodeType", tiles.begin * tileNodes, tiles.size() * tileNodes);
  std::vector<std::uint64_t> withOpenings;
  for (std::uint64_t t = 0; t < tiles.size(); ++t) {
    const auto first = types.begin() + static_cast<std::ptrdiff_t>(t * tileNodes);
    counts.nonSolid[t] = static_cast<std::uint8_t>(
        tileNodes - std::count(first, first + tileNodes, std::uint8_t{0}));
    if ((outline.tileFlags[tiles.begin + t] & tileHasOpening) != 0)
      withOpenings.push_back(tiles.begin + t);
  }
  const auto patches = reader.readRanges<preprocess::geometry::Patch>(
      "linkPatch", rangesOf(std::span<const std::uint64_t>(withOpenings), outline.linkStart));
  auto patch = patches.begin();
  for (const std::uint64_t t : withOpenings) {
    const auto end =
        patch + static_cast<std::ptrdiff_t>(outline.linkStart[t + 1] - outline.linkStart[t]);
    counts.openingLinks[t - tiles.begin] =
        static_cast<std::uint16_t>(std::count_if(patch, end, preprocess::geometry::isOpening));
    patch = end;
  }
  const stage::Share positions =
      stage::shareOf(gridPositions(outline.grid), processes.rank(), processes.size());
  const auto map = reader.readRange<std::int32_t>("tileMap", positions.begin, positions.size());
  counts.named = namedTiles(outline, map, positions.begin);
  return counts;
}

// Arrays of the chosen tiles, in their order; starts from 0.
void readArrays(const ContainerReader& reader, const TiledGeometry& outline,
                std::span<const std::int32_t> tiles, TiledGeometry& part) {
  part.tileMap.assign(gridPositions(outline.grid), -1);
  part.boundaryStart.assign(1, 0);
  part.linkStart.assign(1, 0);
  for (const std::int32_t tile : tiles) {
    const auto t = static_cast<std::size_t>(tile);
    const auto& at = outline.nonEmptyTiles[t];
    part.tileMap[part.position(at[0], at[1], at[2])] =
        static_cast<std::int32_t>(part.nonEmptyTiles.size());
    part.nonEmptyTiles.push_back(at);
    part.tileFlags.push_back(outline.tileFlags[t]);
    part.boundaryStart.push_back(part.boundaryStart.back() + outline.boundaryStart[t + 1] -
                                 outline.boundaryStart[t]);
    part.linkStart.push_back(part.linkStart.back() + outline.linkStart[t + 1] -
                             outline.linkStart[t]);
  }
  part.nodeType = reader.readRanges<std::uint8_t>("nodeType", nodesOf(tiles));
  const Ranges boundary = rangesOf(tiles, outline.boundaryStart);
  part.boundaryLocal = reader.readRanges<std::uint8_t>("boundaryLocal", boundary);
  part.boundaryMask = reader.readRanges<std::uint32_t>("boundaryMask", boundary);
  part.boundaryNormal = reader.readRanges<std::uint32_t>("boundaryNormal", boundary);
  const Ranges links = rangesOf(tiles, outline.linkStart);
  part.linkDistance = reader.readRanges<std::uint16_t>("linkDistance", links);
  part.linkPatch = reader.readRanges<preprocess::geometry::Patch>("linkPatch", links);
}

// The outline without its per-tile arrays.
TiledGeometry frameOf(const TiledGeometry& outline) {
  TiledGeometry part;
  static_cast<TileMesh&>(part) = outline;
  part.dimensions = outline.dimensions;
  part.frame = outline.frame;
  part.periodic = outline.periodic;
  part.slowestAxis = outline.slowestAxis;
  part.cutLinks = outline.cutLinks;
  part.openings = outline.openings;
  part.throats = outline.throats;
  part.throatsNotSearched = outline.throatsNotSearched;
  part.wallNames = outline.wallNames;
  part.fluidNodes = outline.fluidNodes;
  return part;
}

std::vector<std::uint64_t> firstNodesOf(const TilesIndex& index,
                                        std::span<const std::int32_t> tiles) {
  std::vector<std::uint64_t> first;
  std::uint64_t node = 0;
  std::size_t t = 0;
  for (const std::int32_t tile : tiles) {
    for (; t < static_cast<std::size_t>(tile); ++t) node += index.nonSolid[t];
    first.push_back(node);
  }
  return first;
}

}  // namespace

TilesIndex readTilesIndex(const std::filesystem::path& path, stage::Processes& processes) {
  TilesIndex index;
  std::optional<ContainerReader> reader;
  stage::together(processes, [&] {
    orRefuse(path, [&] {
      reader.emplace(path, "tiles", tilesMajorVersion);
      readIndex(*reader, index);
    });
  });
  stage::requireSameFile(processes, path, index.contentHash);
  Counts counts;
  stage::together(processes, [&] {
    orRefuse(path, [&] { counts = countShare(*reader, index.outline, processes); });
  });
  index.nonSolid = stage::gatherValues<std::uint8_t>(processes, counts.nonSolid);
  index.openingLinks = stage::gatherValues<std::uint16_t>(processes, counts.openingLinks);
  const std::uint64_t named = stage::sumOf(processes, counts.named);
  orRefuse(path, [&] {
    checkAllNamed(index.outline, named);
    checkFluidNodes(index.outline, index.nonSolid);
  });
  return index;
}

TilesPart readTilesPart(const std::filesystem::path& path, const TilesIndex& index,
                        std::span<const std::int32_t> tiles) {
  const ContainerReader reader(path, "tiles", tilesMajorVersion);
  if (reader.contentHash() != index.contentHash)
    stage::fail(stage::ExitCode::BadInput,
                fmt::format("{} was replaced while it was read; run again when it is complete",
                            path.string()));
  TilesPart part{{frameOf(index.outline), index.provenance, index.contentHash},
                 {tiles.begin(), tiles.end()},
                 firstNodesOf(index, tiles)};
  TiledGeometry& geometry = part.file.geometry;
  orRefuse(path, [&] {
    readArrays(reader, index.outline, tiles, geometry);
    stage::parallelFor(geometry.tiles(), [&](std::size_t t) { (void)checkTile(geometry, t); });
  });
  return part;
}

}  // namespace tessera::tiler::file
