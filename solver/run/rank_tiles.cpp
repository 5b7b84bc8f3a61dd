// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/run/rank_tiles.hpp"

#include "solver/backend/backend.hpp"

namespace tessera::solver::run {

namespace {

// How many of these slots each owned tile has.
std::vector<std::uint32_t> countByTile(const std::vector<std::uint32_t>& slots,
                                       std::span<const std::uint32_t> slotOfOwn) {
  std::vector<std::uint32_t> bySlot(slotOfOwn.size(), 0);
  for (const std::uint32_t slot : slots) ++bySlot[slot];
  std::vector<std::uint32_t> counts;
  for (const std::uint32_t slot : slotOfOwn) counts.push_back(bySlot[slot]);
  return counts;
}

std::vector<std::uint32_t> slotsOf(const std::vector<boundary::WallLink>& links) {
  std::vector<std::uint32_t> slots;
  for (const boundary::WallLink& link : links) slots.push_back(link.slot);
  return slots;
}

std::vector<std::uint32_t> slotsOf(const std::vector<backend::WallPoint>& points) {
  std::vector<std::uint32_t> slots;
  for (const backend::WallPoint& point : points)
    slots.push_back(static_cast<std::uint32_t>(point.node[0] / backend::observedPerSlot));
  return slots;
}

}  // namespace

RankTiles::RankTiles(const tiler::TiledGeometry& geometry, const tiles::RankPart& part,
                     const tiles::TileOrder& order, const boundary::Walls& walls,
                     const backend::WallPoints& wallPoints, comm::Ranks& ranks)
    : tileOfSlot_(order.tiles), firstNode_(geometry.tiles()), shared_(!ranks.alone()) {
  std::vector<std::uint32_t> nodesOfTile;
  for (std::size_t t = 0; t < geometry.tiles(); ++t) {
    if (!part.owns(t)) continue;
    tiles_.push_back(static_cast<std::uint32_t>(t));
    tileOfSlot_[order.slotOfTile[t]] = static_cast<std::uint32_t>(t);
    firstNode_[t] = nodes_;
    nodesOfTile.push_back(tiles::nodesIn(geometry, t));
    nodes_ += nodesOfTile.back();
  }
  if (!shared_) return;
  std::vector<std::int32_t> fileTile;
  for (const std::uint32_t t : tiles_) {
    const auto types = geometry.nodeType.begin() + std::ptrdiff_t{tiler::tileNodes} * t;
    fileTile.push_back(part.fileTile[t]);
    slots_.push_back(order.slotOfTile[t]);
    types_.insert(types_.end(), types, types + tiler::tileNodes);
  }
  const auto offsets = [&](std::vector<std::uint32_t> counts) {
    return file::tileOffsetsOf(ranks, fileTile, part.tilesOfAll, std::move(counts));
  };
  tileOffsets_ = file::offsetsOfTiles(fileTile, part.tilesOfAll);
  nodeOffsets_ = offsets(std::move(nodesOfTile));
  const std::vector<boundary::WallLink> none;
  sectionOffsets_.wallLinks =
      offsets(countByTile(slotsOf(walls.remembers ? walls.links : none), slots_));
  sectionOffsets_.wallPoints = offsets(countByTile(slotsOf(wallPoints.points), slots_));
}

file::TileLayout RankTiles::layout(const tiles::TileOrder& order,
                                   const tiler::TiledGeometry& geometry, unsigned values,
                                   unsigned bytes) const {
  if (!shared_) return {order.slotOfTile, geometry.nodeType, values, bytes};
  return {slots_, types_, values, bytes, &tileOffsets_};
}

}  // namespace tessera::solver::run
