// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/ranks/load_part.hpp"

#include "tiler/part_of_tiles.hpp"

namespace tessera {

LoadedPart partOfTiles(TilesFile whole, const Ranks& ranks) {
  if (ranks.alone()) return {std::move(whole), {}};
  const Partition partition = partitionTiles(whole.geometry, ranks.size());
  PartOfGeometry part = partOf(whole.geometry, partition, ranks.rank());
  whole.geometry = std::move(part.geometry);
  return {std::move(whole), std::move(part.part)};
}

LoadedPart loadPart(const std::filesystem::path& path, Ranks& ranks) {
  if (ranks.alone()) return {readTilesFile(path), {}};
  TilesIndex index = readTilesIndex(path, ranks);
  const Partition partition =
      partitionByCost(index.outline, ranks.size(), costsOfTiles(index, tileCosts(19, 4, false)));
  LoadedPart loaded;
  loaded.part = chooseTiles(index.outline, partition, ranks.rank());
  index.outline.tileMap = {};
  together(ranks, [&] {
    TilesPart read = readTilesPart(path, index, loaded.part.fileTile);
    loaded.tiles = std::move(read.file);
    loaded.part.firstNode = std::move(read.firstNode);
  });
  return loaded;
}

}  // namespace tessera
