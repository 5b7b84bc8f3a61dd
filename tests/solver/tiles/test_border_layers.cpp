// SPDX-License-Identifier: GPL-3.0-or-later
// One copy of a rank's part: the border first, neighbours near, and nothing written over too soon.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "solver/model/lattice/lattice.hpp"
#include "solver/model/populations.hpp"
#include "solver/tiles/rank_part.hpp"
#include "solver/tiles/tile_order.hpp"
#include "solver/tiles/update_window.hpp"
#include "tests/fixtures/geometry/geometries.hpp"

using namespace tessera;
using namespace tessera::solver::model;
using namespace tessera::solver::tiles;
using namespace tessera::tiler::file;
using namespace tessera::testing;

namespace {

struct Part {
  PartOfGeometry of;
  TileOrder order;
};

Part partInLayers(const TilesFile& tiles, int ranks, int rank, TileSequence sequence) {
  Part part{partOf(tiles.geometry, partitionTiles(tiles.geometry, ranks), rank), {}};
  part.order =
      orderTiles(part.of.geometry, D3Q19::c, sequence, part.of.part, BorderTiles::FirstOfLayers);
  return part;
}

TilesFile box(const Int3& nodes, double porosity) {
  const auto grains = strewn(porosity);
  return imageGeometry(
      nodes, [&](int x, int y, int z) { return porosity == 1.0 || grains(x / 3, y / 3, z / 3); },
      {false, true, false}, {}, 1e-3, {0, 0, 0});
}

constexpr std::array<TileSequence, 3> sequences{TileSequence::InLayers, TileSequence::InColumns,
                                                TileSequence::InCubes};

// Number of own tiles of the largest layer, in cubes of the sequence, from the border where there
// is one.
std::uint32_t largestLayer(const tiler::TiledGeometry& geometry, TileSequence sequence,
                           const RankPart& part) {
  const unsigned log = sequence == TileSequence::InCubes ? 2 : 0;
  const std::size_t axis = layerAxis(geometry.grid, sequence);
  const bool fromBorder = std::count(part.role.begin(), part.role.end(), TileRole::Border) != 0;
  std::vector<std::uint32_t> layers;
  if (fromBorder) layers = layersFromBorder(geometry, part, log);
  std::map<std::size_t, std::uint32_t> count;
  for (std::size_t t = 0; t < geometry.tiles(); ++t)
    if (part.owns(t))
      ++count[fromBorder ? layers[t]
                         : static_cast<std::size_t>(geometry.nonEmptyTiles[t][axis] >> log)];
  std::uint32_t most = 0;
  for (const auto& [layer, tiles] : count) most = std::max(most, tiles);
  return most;
}

// Slots of chunks of a step as CudaState makes them of single tiles.
struct Chunk {
  std::uint32_t first;
  std::uint32_t end;
};

std::vector<Chunk> chunksOf(std::uint32_t tiles, const StateWindow& window) {
  std::vector<Chunk> chunks;
  for (std::uint32_t first = 0; first < tiles; first += window.chunk)
    chunks.push_back({first, std::min(first + window.chunk, tiles)});
  return chunks;
}

// Slots that a chunk reads: [lowest, highest] of own tiles.
std::pair<std::int64_t, std::int64_t> readBy(const TileOrder& order, const Chunk& chunk) {
  std::int64_t lowest = chunk.first;
  std::int64_t highest = chunk.end - 1;
  for (std::uint32_t slot = chunk.first; slot < chunk.end; ++slot)
    for (std::size_t n = 0; n < 27; ++n) {
      const std::int64_t near = order.neighbourTable[std::size_t{slot} * neighbourStride + n];
      if (near >= order.tiles) continue;
      lowest = std::min(lowest, near);
      highest = std::max(highest, near);
    }
  return {lowest, highest};
}

// Bytes of memory that goes round.
struct Stretch {
  std::uint64_t begin;
  std::uint64_t length;
};

bool apart(const Stretch& a, const Stretch& b, std::uint64_t size) {
  return (b.begin + size - a.begin) % size >= a.length &&
         (a.begin + size - b.begin) % size >= b.length;
}

// Tiles that a chunk of a step reads and writes.
struct ChunkOfStep {
  Stretch reads;
  Stretch writes;
};

// All chunks of some steps one after the other. slotBytes: of a tile.
std::vector<ChunkOfStep> chunksOfSteps(const TileOrder& order, const StateWindow& window,
                                       const RingLayout& places, std::uint64_t slotBytes) {
  constexpr int steps = 40;  // several times round
  std::vector<ChunkOfStep> all;
  std::uint64_t begin = 0;
  for (int step = 0; step < steps; ++step, begin = places.next(begin))
    for (const Chunk& chunk : chunksOf(order.tiles, window)) {
      const auto [lowest, highest] = readBy(order, chunk);
      const auto at = [&](std::uint64_t state, std::int64_t first, std::int64_t end) {
        return Stretch{(state + static_cast<std::uint64_t>(first) * slotBytes) % places.size,
                       static_cast<std::uint64_t>(end - first) * slotBytes};
      };
      all.push_back(
          {at(begin, lowest, highest + 1), at(places.next(begin), chunk.first, chunk.end)});
    }
  return all;
}

}  // namespace

TEST_CASE("Border layers: neighbours of other ranks come first", "[unit]") {
  for (const double porosity : {1.0, 0.7}) {
    const TilesFile tiles = box({48, 64, 160}, porosity);
    for (const int ranks : {2, 3, 5})
      for (int rank = 0; rank < ranks; ++rank)
        for (const TileSequence sequence : sequences) {
          CAPTURE(porosity, ranks, rank, static_cast<int>(sequence));
          const Part part = partInLayers(tiles, ranks, rank, sequence);
          const RankPart& roles = part.of.part;
          std::uint32_t own = 0;
          bool first = true;
          for (std::size_t t = 0; t < roles.role.size(); ++t) {
            own += roles.owns(t) ? 1 : 0;
            if (roles.role[t] == TileRole::Border)
              first = first && part.order.slotOfTile[t] < part.order.border;
          }
          CHECK(first);
          CHECK(part.order.tiles == own);
          CHECK(part.order.border <= own);
          // At most the next layers, and the first not larger than necessary.
          const std::uint32_t most = largestLayer(part.of.geometry, sequence, roles);
          CHECK(part.order.border <= most);
          CHECK(farthestNeighbour(part.order.neighbourTable, own) < 2 * most);
        }
  }
}

TEST_CASE("Border layers: each layer is at the distance of its number from the border", "[unit]") {
  const TilesFile tiles = box({32, 32, 160}, 1.0);
  const Partition partition = partitionTiles(tiles.geometry, 2);
  for (const int rank : {0, 1}) {
    const PartOfGeometry part = partOf(tiles.geometry, partition, rank);
    const std::vector<std::uint32_t> layers = layersFromBorder(part.geometry, part.part, 0);
    for (std::size_t t = 0; t < layers.size(); ++t) {
      if (!part.part.owns(t)) continue;
      int least = 1000;
      for (std::size_t b = 0; b < layers.size(); ++b) {
        if (part.part.role[b] != TileRole::Border) continue;
        const Int3& one = part.geometry.nonEmptyTiles[t];
        const Int3& other = part.geometry.nonEmptyTiles[b];
        int far = std::max(std::abs(one[0] - other[0]), std::abs(one[2] - other[2]));
        const int across = std::abs(one[1] - other[1]);
        far = std::max(far, std::min(across, part.geometry.grid[1] - across));
        least = std::min(least, far);
      }
      CHECK(layers[t] == static_cast<std::uint32_t>(least));
    }
  }
}

// Old slots are numbered from 0; new ones are `shift` lower. Chunk k may run concurrently with the
// one before, and the tiles of other ranks, which are written at the end, with the last two.
TEST_CASE("Border layers: the in-place update overwrites nothing that is still read", "[unit]") {
  for (const int ranks : {2, 3}) {
    const TilesFile tiles = box({64, 64, 320}, 1.0);
    for (int rank = 0; rank < ranks; ++rank) {
      const Part part = partInLayers(tiles, ranks, rank, TileSequence::InLayers);
      const TileOrder& order = part.order;
      const std::uint32_t behind = order.remote + order.ghosts;
      const StateWindow window = windowOf(order, StateId::Populations, 8, false);
      REQUIRE(window.shift > 0);
      const std::int64_t shift = window.shift;
      const std::vector<Chunk> chunks = chunksOf(order.tiles, window);
      REQUIRE(chunks.size() > 4);
      for (std::size_t k = 1; k < chunks.size(); ++k) {
        CHECK(std::int64_t{chunks[k].end} - shift <= readBy(order, chunks[k - 1]).first);
        CHECK(std::int64_t{chunks[k].end} - shift <= readBy(order, chunks[k]).first);
      }
      const std::int64_t end = std::int64_t{order.tiles} + behind - shift;  // of what is put there
      for (std::size_t k = chunks.size() - 2; k < chunks.size(); ++k)
        CHECK(end <= readBy(order, chunks[k]).first);
      CHECK(end <= order.tiles);  // nor over what others' tiles are read from
    }
  }
}

// Memory comes in pages of 2 MB. In f64 populations of this box, that of test_copies, need 161
// tiles less than their pages hold, which is more than there is to spare between the end of a step,
// whose last chunk is a short one, and the beginning of the next.
TEST_CASE("Border layers: concurrent chunks leave each other's tiles alone, round the window too",
          "[unit]") {
  const std::uint64_t page = std::uint64_t{2} << 20U;
  const auto porous = strewn(0.8);
  const TilesFile tiles = imageGeometry(
      {40, 24, 160}, [&](int x, int y, int z) { return x < 2 || porous(x / 2, y / 3, z / 2); }, {},
      {}, 1e-3, {1, 2, 0});
  for (const int ranks : {1, 2})
    for (const std::uint64_t valuesOfSlot : {std::uint64_t{19 * 64}, std::uint64_t{10 * 64}})
      for (const unsigned storage : {8U, 4U, 2U}) {
        CAPTURE(ranks, valuesOfSlot, storage);
        const TileOrder order = ranks == 1
                                    ? orderTiles(tiles.geometry, D3Q19::c, TileSequence::InLayers)
                                    : partInLayers(tiles, 2, 0, TileSequence::InLayers).order;
        const std::uint32_t behind = order.remote + order.ghosts;
        const StateId state = valuesOfSlot == 10 * 64 ? StateId::Moments : StateId::Populations;
        const StateWindow window = windowOf(order, state, storage, ranks == 1);
        REQUIRE(window.shift > 0);
        const std::uint64_t slotBytes = valuesOfSlot * storage;
        const std::uint64_t copy = (order.tiles + behind) * slotBytes;
        const std::uint64_t memory = (copy + window.shift * slotBytes + page - 1) / page * page;
        const RingLayout places = ringLayout(memory, copy);
        const std::vector<ChunkOfStep> chunks = chunksOfSteps(order, window, places, slotBytes);
        bool alone = true;
        for (std::size_t k = 1; k < chunks.size(); ++k)
          alone = alone && apart(chunks[k].writes, chunks[k].reads, memory) &&
                  apart(chunks[k].writes, chunks[k - 1].reads, memory) &&
                  apart(chunks[k - 1].writes, chunks[k].reads, memory);
        CHECK(alone);
      }
}

// 937 layers of 4x4 tiles over three ranks; the middle one has neighbours at both ends.
TEST_CASE("Border layers: the window of moments holds tiles of other ranks beside its share",
          "[unit]") {
  const TilesFile tiles = box({16, 16, 3748}, 1.0);
  const TileOrder order = partInLayers(tiles, 3, 1, TileSequence::InColumns).order;
  const std::uint32_t behind = order.remote + order.ghosts;
  CHECK(behind > 0);
  const std::uint32_t shift = windowOf(order, StateId::Moments, 8, false).shift;
  CHECK(shift > behind);
  CHECK(shift - behind <= windowShareOfMoments(order.tiles) * order.tiles + 32);
}
