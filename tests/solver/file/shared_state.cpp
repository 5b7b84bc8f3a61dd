// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/solver/file/shared_state.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "solver/backend/cpu/accumulator.hpp"

namespace tessera::testing {

using namespace tessera::solver::backend;
using namespace tessera::solver::file;
using namespace tessera::stage;
using namespace tessera::tiler::file;

namespace {

std::vector<std::uint32_t> randomCounts(std::size_t tiles, unsigned most, std::mt19937& random) {
  std::vector<std::uint32_t> counts(tiles);
  for (std::uint32_t& count : counts)
    count = random() % 3 == 0 ? static_cast<std::uint32_t>(random() % (most + 1)) : 0;
  return counts;
}

std::size_t sum(const std::vector<std::uint32_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

template <class T>
void fill(std::vector<T>& values, std::size_t count, std::mt19937& random) {
  values.resize(count);
  for (T& value : values) value = static_cast<T>(random() % 100000);
}
template <class T, std::size_t n>
void fill(std::vector<std::array<T, n>>& values, std::size_t count, std::mt19937& random) {
  values.resize(count);
  for (auto& value : values)
    for (T& x : value) x = static_cast<T>(random() % 100000);
}

void makeMeans(WholeState& whole, std::mt19937& random) {
  MeanFields means;
  means.samples = 5;
  fill(means.pressure, sum(whole.nonSolid), random);
  fill(means.velocity, sum(whole.nonSolid), random);
  fill(means.wallNode, sum(whole.wallPoints), random);
  fill(means.wallTraction, means.wallNode.size(), random);
  fill(means.wallShear, means.wallNode.size(), random);
  whole.fields.means = std::move(means);
}

// Things of own tiles out of those of all, by how many each tile has.
template <class T>
std::vector<T> own(const std::vector<T>& all, const std::vector<std::uint32_t>& counts,
                   std::span<const std::int32_t> tiles) {
  std::vector<std::size_t> start(counts.size() + 1, 0);
  std::partial_sum(counts.begin(), counts.end(), start.begin() + 1, std::plus<std::size_t>{});
  std::vector<T> out;
  for (const std::int32_t tile : tiles) {
    const auto t = static_cast<std::size_t>(tile);
    out.insert(out.end(), all.begin() + static_cast<std::ptrdiff_t>(start[t]),
               all.begin() + static_cast<std::ptrdiff_t>(start[t + 1]));
  }
  return out;
}

// By slot here from by slot there.
template <class T>
std::vector<T> ownSlots(const std::vector<T>& all, std::size_t perTile, const WholeState& whole,
                        const StateOfProcess& part) {
  std::vector<T> out(part.fileTile.size() * perTile);
  for (std::size_t k = 0; k < part.fileTile.size(); ++k) {
    const std::size_t from = whole.slotOfTile[static_cast<std::size_t>(part.fileTile[k])];
    std::copy_n(&all[from * perTile], perTile, &out[part.slotOfTile[k] * perTile]);
  }
  return out;
}

std::vector<std::uint32_t> shuffled(std::size_t count, unsigned seed) {
  std::vector<std::uint32_t> slots(count);
  std::iota(slots.begin(), slots.end(), 0U);
  std::shuffle(slots.begin(), slots.end(), std::mt19937(seed));
  return slots;
}

}  // namespace

WholeState::WholeState(const TilesFile& tiles, unsigned stateValues, unsigned valueBytes)
    : nodeType(tiles.geometry.nodeType), values(stateValues), bytes(valueBytes) {
  std::mt19937 random(11);
  const std::size_t count = tiles.geometry.tiles();
  slotOfTile = shuffled(count, 1);
  for (std::size_t t = 0; t < count; ++t)
    nonSolid.push_back(static_cast<std::uint32_t>(
        64 - std::count(&nodeType[64 * t], &nodeType[64 * t] + 64, std::uint8_t{0})));
  wallLinks = randomCounts(count, 40, random);
  wallPoints = randomCounts(count, 20, random);
  state.resize(count * 64 * values * bytes);
  for (std::byte& byte : state) byte = static_cast<std::byte>(random());
  checkpoint = {tiles.contentHash, "made up", "physics", 0.8, 1e-5};
  checkpoint.step = 4711;
  fill(checkpoint.monitorRows, 77, random);
  fill(checkpoint.outlets, 2, random);
  fill(checkpoint.walls, sum(wallLinks), random);
  fill(checkpoint.cycles.cycles, 9, random);
  checkpoint.cycles.samples = 3;
  fill(checkpoint.cycles.nodes, count * 64 * solver::model::meanValues, random);
  fill(checkpoint.cycles.wall, sum(wallPoints), random);
  fields.tilesHash = tiles.contentHash;
  fields.caseText = "[fluid]\n";
  fill(fields.pressure, sum(nonSolid), random);
  fill(fields.velocity, sum(nonSolid), random);
  fill(fields.stress, sum(nonSolid), random);
  fields.monitorColumns = {"a", "b"};
  fill(fields.monitorRows, 2000, random);
  makeMeans(*this, random);
}

TileLayout WholeState::layout() const {
  return {slotOfTile, nodeType, values, bytes};
}

TileLayout StateOfProcess::layout(const WholeState& whole) const {
  return {slotOfTile, nodeType, whole.values, whole.bytes, &tiles};
}

StateOfProcess divide(const WholeState& whole, std::span<const int> ownerOfTile,
                      Processes& processes) {
  StateOfProcess part;
  for (std::size_t t = 0; t < ownerOfTile.size(); ++t)
    if (ownerOfTile[t] == processes.rank()) part.fileTile.push_back(static_cast<std::int32_t>(t));
  const std::vector<std::int32_t>& tiles = part.fileTile;
  const auto places = [&](const std::vector<std::uint32_t>& counts) {
    std::vector<std::uint32_t> mine;
    for (const std::int32_t t : tiles) mine.push_back(counts[static_cast<std::size_t>(t)]);
    return tileOffsetsOf(processes, tiles, ownerOfTile.size(), std::move(mine));
  };
  part.tiles = offsetsOfTiles(tiles, ownerOfTile.size());
  part.nodes = places(whole.nonSolid);
  part.own = {places(whole.wallLinks), places(whole.wallPoints)};
  part.slotOfTile = shuffled(tiles.size(), 2);
  const std::vector<std::uint32_t> full(ownerOfTile.size(), 64);
  part.nodeType = own(whole.nodeType, full, tiles);
  part.state = ownSlots(whole.state, std::size_t{64} * whole.values * whole.bytes, whole, part);
  part.checkpoint = whole.checkpoint;
  part.checkpoint.walls = own(whole.checkpoint.walls, whole.wallLinks, tiles);
  if (!whole.checkpoint.cycles.nodes.empty()) {
    part.checkpoint.cycles.nodes =
        ownSlots(whole.checkpoint.cycles.nodes, 64 * solver::model::meanValues, whole, part);
    part.checkpoint.cycles.wall = own(whole.checkpoint.cycles.wall, whole.wallPoints, tiles);
  }
  part.fields = whole.fields;
  const auto reduce = [&](auto& values, const std::vector<std::uint32_t>& counts) {
    values = own(values, counts, tiles);
  };
  reduce(part.fields.pressure, whole.nonSolid);
  reduce(part.fields.velocity, whole.nonSolid);
  reduce(part.fields.stress, whole.nonSolid);
  if (!part.fields.means) return part;
  reduce(part.fields.means->pressure, whole.nonSolid);
  reduce(part.fields.means->velocity, whole.nonSolid);
  reduce(part.fields.means->wallNode, whole.wallPoints);
  reduce(part.fields.means->wallTraction, whole.wallPoints);
  reduce(part.fields.means->wallShear, whole.wallPoints);
  return part;
}

std::vector<int> randomOwners(std::size_t tiles, int processes, unsigned longest, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int> owner;
  for (int rank = 0; rank < processes; ++rank) owner.push_back(rank);
  while (owner.size() < tiles)
    owner.insert(owner.end(), 1 + random() % longest,
                 static_cast<int>(random() % static_cast<unsigned>(processes)));
  owner.resize(tiles);
  return owner;
}

}  // namespace tessera::testing
