// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/run/load_part.hpp"

#include "solver/case/scheme.hpp"
#include "solver/case/solver_case.hpp"
#include "tiler/file/part_of_tiles.hpp"

namespace tessera::solver::run {

LoadedPart partOfTiles(tiler::file::TilesFile whole, const comm::Ranks& ranks) {
  if (ranks.alone()) return {std::move(whole), {}};
  const tiles::Partition partition = tiles::partitionTiles(whole.geometry, ranks.size());
  tiles::PartOfGeometry part = partOf(whole.geometry, partition, ranks.rank());
  whole.geometry = std::move(part.geometry);
  return {std::move(whole), std::move(part.part)};
}

tiles::TileCosts costsOfCase(const stage::CaseFile& file, const std::string& precision,
                             const std::string& state) {
  stage::CaseTable table = file.table("solver");
  const cases::SolverCase usual;
  const auto said = [&](const char* key, const std::string& otherwise) {
    return table.isText(key) ? table.text(key).value_or(otherwise) : otherwise;
  };
  const std::string lattice = said("lattice", model::nameOf(usual.lattice));
  const std::string stored =
      precision.empty() ? said("precision", model::nameOf(usual.precision)) : precision;
  const auto scheme = cases::schemeNamed(said("scheme", "auto"));
  const std::string kept = !state.empty() ? state
                           : scheme       ? std::string(model::nameOf(scheme->state))
                                          : said("state", model::nameOf(usual.state));
  const std::string walls = said("walls", "auto");
  const unsigned values = stored == "m32/16"   ? 7
                          : kept == "moments"  ? 10
                          : lattice == "D3Q27" ? 27
                          : lattice == "D2Q9"  ? 9
                                               : 19;
  const unsigned bytes = stored == "f64" ? 8 : stored == "f16" ? 2 : 4;
  return tiles::tileCosts(values, bytes, walls != "halfway");
}

LoadedPart loadPart(const std::filesystem::path& path, comm::Ranks& ranks,
                    const tiles::TileCosts& costs) {
  if (ranks.alone()) return {tiler::file::readTilesFile(path), {}};
  tiler::file::TilesIndex index = tiler::file::readTilesIndex(path, ranks);
  const tiles::Partition partition =
      tiles::partitionByCost(index.outline, ranks.size(), costsOfTiles(index, costs));
  LoadedPart loaded;
  loaded.part = chooseTiles(index.outline, partition, ranks.rank());
  index.outline.tileMap = {};
  stage::together(ranks, [&] {
    tiler::file::TilesPart read = tiler::file::readTilesPart(path, index, loaded.part.fileTile);
    loaded.tiles = std::move(read.file);
    loaded.part.firstNode = std::move(read.firstNode);
  });
  return loaded;
}

}  // namespace tessera::solver::run
