// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/file/tile_offsets.hpp"

#include <numeric>

namespace tessera::solver::file {

using stage::Message;

namespace {

// Count of a tile, sent to the process that sums up its share of the tiles, and back.
struct Counted {
  std::int32_t tile = 0;
  std::uint32_t count = 0;
};

// Own tiles grouped by the share of all tiles that they fall into.
std::vector<Message> byShare(std::span<const Counted> own, std::uint64_t allTiles, int size) {
  std::vector<Message> to;
  std::size_t from = 0;
  for (int rank = 0; rank < size; ++rank) {
    const std::uint64_t end = stage::shareOf(allTiles, rank, size).end;
    std::size_t past = from;
    while (past < own.size() && static_cast<std::uint64_t>(own[past].tile) < end) ++past;
    to.push_back(stage::bytesOf(own.subspan(from, past - from)));
    from = past;
  }
  return to;
}

// Elements before each tile of this process's share, and after the last.
std::vector<std::uint64_t> addUp(stage::Processes& processes, const stage::Share& share,
                                 const std::vector<Message>& came) {
  std::vector<std::uint64_t> before(share.size() + 1, 0);
  for (const Message& message : came)
    for (const Counted& one : stage::valuesOf<Counted>(message))
      before[static_cast<std::uint64_t>(one.tile) - share.begin + 1] = one.count;
  std::partial_sum(before.begin(), before.end(), before.begin());
  const auto sums = stage::gatherValues<std::uint64_t>(processes, std::span(&before.back(), 1));
  const std::uint64_t base =
      std::accumulate(sums.begin(), sums.begin() + processes.rank(), std::uint64_t{0});
  for (std::uint64_t& value : before) value += base;
  return before;
}

}  // namespace

std::uint64_t TileOffsets::own() const {
  return std::accumulate(count.begin(), count.end(), std::uint64_t{0});
}

TileOffsets offsetsOfTiles(std::span<const std::int32_t> fileTile, std::uint64_t allTiles) {
  return {
      {fileTile.begin(), fileTile.end()}, std::vector<std::uint32_t>(fileTile.size(), 1), allTiles};
}

TileOffsets tileOffsetsOf(stage::Processes& processes, std::span<const std::int32_t> fileTile,
                          std::uint64_t allTiles, std::vector<std::uint32_t> count) {
  std::vector<Counted> own;
  for (std::size_t k = 0; k < fileTile.size(); ++k) own.push_back({fileTile[k], count[k]});
  const auto came = processes.allToAll(byShare(own, allTiles, processes.size()));
  const stage::Share share = stage::shareOf(allTiles, processes.rank(), processes.size());
  const std::vector<std::uint64_t> before = addUp(processes, share, came);
  std::vector<Message> answers;
  for (const Message& message : came) {
    std::vector<std::uint64_t> first;
    for (const Counted& one : stage::valuesOf<Counted>(message))
      first.push_back(before[static_cast<std::uint64_t>(one.tile) - share.begin]);
    answers.push_back(stage::bytesOf(std::span<const std::uint64_t>(first)));
  }
  TileOffsets out;
  out.count = std::move(count);
  for (const Message& message : processes.allToAll(std::move(answers))) {
    const auto first = stage::valuesOf<std::uint64_t>(message);
    out.first.insert(out.first.end(), first.begin(), first.end());
  }
  out.all = stage::gatherValues<std::uint64_t>(processes, std::span(&before.back(), 1)).back();
  return out;
}

std::vector<stage::ByteRun> byteRuns(const TileOffsets& offsets, std::uint64_t bytesOfOne) {
  std::vector<stage::ByteRun> runs;
  std::uint64_t local = 0;
  for (std::size_t k = 0; k < offsets.first.size(); ++k) {
    const std::uint64_t bytes = offsets.count[k] * bytesOfOne;
    stage::appendRun(runs, {offsets.first[k] * bytesOfOne, bytes, local});
    local += bytes;
  }
  return runs;
}

std::vector<stage::ElementRange> elementRanges(const TileOffsets& offsets) {
  std::vector<stage::ElementRange> ranges;
  for (const stage::ByteRun& run : byteRuns(offsets, 1)) ranges.push_back({run.at, run.bytes});
  return ranges;
}

}  // namespace tessera::solver::file
