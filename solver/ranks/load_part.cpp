// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/ranks/load_part.hpp"

#include "solver/solver_case.hpp"
#include "tiler/part_of_tiles.hpp"

namespace tessera {

LoadedPart partOfTiles(TilesFile whole, const Ranks& ranks) {
  if (ranks.alone()) return {std::move(whole), {}};
  const Partition partition = partitionTiles(whole.geometry, ranks.size());
  PartOfGeometry part = partOf(whole.geometry, partition, ranks.rank());
  whole.geometry = std::move(part.geometry);
  return {std::move(whole), std::move(part.part)};
}

TileCosts costsOfCase(const CaseFile& file, const std::string& precision,
                      const std::string& state) {
  CaseTable table = file.table("solver");
  const SolverCase usual;
  const auto said = [&](const char* key, const std::string& otherwise) {
    return table.isText(key) ? table.text(key).value_or(otherwise) : otherwise;
  };
  const std::string lattice = said("lattice", nameOf(usual.lattice));
  const std::string stored =
      precision.empty() ? said("precision", nameOf(usual.precision)) : precision;
  const std::string kept = state.empty() ? said("state", nameOf(usual.state)) : state;
  const std::string walls = said("walls", "halfway");
  const unsigned values = kept == "moments"    ? 10
                          : lattice == "D3Q27" ? 27
                          : lattice == "D2Q9"  ? 9
                                               : 19;
  const unsigned bytes = stored == "f64" ? 8 : stored == "f16" ? 2 : 4;
  return tileCosts(values, bytes, walls != "halfway");
}

LoadedPart loadPart(const std::filesystem::path& path, Ranks& ranks, const TileCosts& costs) {
  if (ranks.alone()) return {readTilesFile(path), {}};
  TilesIndex index = readTilesIndex(path, ranks);
  const Partition partition =
      partitionByCost(index.outline, ranks.size(), costsOfTiles(index, costs));
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
