// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/ranks/gather_by_tile.hpp"

#include <algorithm>

namespace tessera {

namespace {

struct TileCount {
  std::uint32_t tile = 0;  // of the file
  std::uint32_t count = 0;
};

std::vector<TileCount> ownCounts(const RankPart& part, std::span<const std::uint32_t> counts) {
  std::vector<TileCount> own;
  for (std::size_t t = 0; t < part.fileTile.size(); ++t)
    if (part.owns(t)) own.push_back({part.fileTile[t], counts[own.size()]});
  return own;
}

// Where each tile's begin; tiles + 1.
std::vector<std::uint64_t> startsOf(const std::vector<std::uint32_t>& countOfTile) {
  std::vector<std::uint64_t> first(countOfTile.size() + 1, 0);
  for (std::size_t t = 0; t < countOfTile.size(); ++t) first[t + 1] = first[t] + countOfTile[t];
  return first;
}

}  // namespace

Bytes gatherBytesByTile(Ranks& ranks, const RankPart& part, std::span<const std::uint32_t> counts,
                        std::span<const std::byte> values, std::size_t valueBytes) {
  const std::vector<TileCount> mine = ownCounts(part, counts);
  std::vector<std::vector<TileCount>> of(static_cast<std::size_t>(ranks.size()));
  std::vector<std::uint32_t> countOfTile(ranks.isRoot() ? part.tilesOfAll : 0, 0);
  ranks.gather(std::as_bytes(std::span(mine)), [&](int rank, const Bytes& bytes) {
    auto& list = of[static_cast<std::size_t>(rank)];
    list = valuesOf<TileCount>(bytes);
    for (const TileCount& tile : list) countOfTile[tile.tile] = tile.count;
  });
  const std::vector<std::uint64_t> first = startsOf(countOfTile);
  Bytes all(first.back() * valueBytes);
  ranks.gather(values, [&](int rank, const Bytes& bytes) {
    std::size_t at = 0;
    for (const TileCount& tile : of[static_cast<std::size_t>(rank)]) {
      const std::size_t size = tile.count * valueBytes;
      std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), size,
                  all.begin() + static_cast<std::ptrdiff_t>(first[tile.tile] * valueBytes));
      at += size;
    }
  });
  return all;
}

std::vector<std::uint64_t> firstOfOwnTiles(Ranks& ranks, const RankPart& part,
                                           std::span<const std::uint32_t> counts) {
  if (part.isWhole()) return startsOf({counts.begin(), counts.end()});
  const std::vector<TileCount> mine = ownCounts(part, counts);
  std::vector<std::uint32_t> countOfTile(part.tilesOfAll, 0);
  for (const Bytes& bytes : allGather(ranks, mine))
    for (const TileCount& tile : valuesOf<TileCount>(bytes)) countOfTile[tile.tile] = tile.count;
  const std::vector<std::uint64_t> first = startsOf(countOfTile);
  std::vector<std::uint64_t> own;
  for (const TileCount& tile : mine) own.push_back(first[tile.tile]);
  own.push_back(first.back());
  return own;
}

}  // namespace tessera
