// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/ranks/load_part.hpp"

namespace tessera {

LoadedPart loadPart(const std::filesystem::path& path, const Ranks& ranks) {
  TilesFile tiles = readTilesFile(path);
  if (ranks.alone()) return {std::move(tiles), {}};
  const Partition partition = partitionTiles(tiles.geometry, ranks.size());
  PartOfGeometry part = partOf(tiles.geometry, partition, ranks.rank());
  tiles.geometry = std::move(part.geometry);
  return {std::move(tiles), std::move(part.part)};
}

}  // namespace tessera
