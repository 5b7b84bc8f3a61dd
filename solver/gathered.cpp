// SPDX-License-Identifier: GPL-3.0-or-later
// What of a run is put together from its ranks: rank 0 gathers what is written, in the order of the
// .tiles file, so that files are those of one rank. All of it is collective.
#include <algorithm>
#include <numeric>

#include "preprocess/lattice/lattice_file.hpp"
#include "solver/ranks/gather_by_tile.hpp"
#include "solver/simulation.hpp"

namespace tessera {

void Simulation::findOwnTiles() {
  for (std::size_t t = 0; t < tiles_.geometry.tiles(); ++t)
    if (setup_.part.owns(t)) ownTiles_.push_back(static_cast<std::uint32_t>(t));
  if (ranks_.alone()) return;
  fileSlots_.assign(setup_.part.tilesOfAll, TileLayout::noSlot);
  for (const std::uint32_t t : ownTiles_)
    fileSlots_[setup_.part.fileTile[t]] = setup_.order.slotOfTile[t];
  if (!ranks_.isRoot()) return;
  fileOrder_.resize(setup_.part.tilesOfAll);
  std::iota(fileOrder_.begin(), fileOrder_.end(), 0U);
}

std::vector<LinkSample> Simulation::samplesOfAll(const std::vector<LinkSample>& own) {
  if (ranks_.alone()) return own;
  struct NumberedSample {
    std::uint64_t link;
    LinkSample sample;
  };
  const std::vector<OpeningLink>& links = setup_.order.openingLinks;
  std::vector<NumberedSample> mine;
  for (std::size_t k = 0; k < links.size(); ++k)
    if (links[k].slot < setup_.order.tiles) mine.push_back({k, own[mine.size()]});
  std::vector<LinkSample> all(links.size());
  for (const Bytes& bytes : allGather(ranks_, mine))
    for (const NumberedSample& each : valuesOf<NumberedSample>(bytes)) all[each.link] = each.sample;
  return all;
}

TileLayout Simulation::stateLayout() const {
  const unsigned values = setup_.variant->stateValues;
  const unsigned bytes = setup_.variant->storageBytes;
  if (ranks_.alone()) return {setup_.order.slotOfTile, tiles_.geometry.nodeType, values, bytes, 0};
  return {fileSlots_, {}, values, bytes, setup_.order.tiles};
}

TileLayout Simulation::writtenLayout() const {
  if (ranks_.alone()) return stateLayout();
  return {fileOrder_, {}, setup_.variant->stateValues, setup_.variant->storageBytes, 0};
}

std::vector<std::byte> Simulation::gatherTiles(std::span<const std::byte> bySlot, unsigned values,
                                               unsigned bytes) {
  std::vector<std::uint32_t> slots(tiles_.geometry.tiles(), TileLayout::noSlot);
  for (const std::uint32_t t : ownTiles_) slots[t] = setup_.order.slotOfTile[t];
  const TileLayout layout{slots, tiles_.geometry.nodeType, values, bytes, ownTiles_.size()};
  const std::vector<std::uint32_t> ones(ownTiles_.size(), 1);
  return gatherBytesByTile(ranks_, setup_.part, ones, inFileOrder(layout, bySlot),
                           layout.tileBytes());
}

std::span<const std::byte> Simulation::stateToWrite() {
  if (ranks_.alone()) return backend_->savedState();
  gathered_ = gatherTiles(backend_->savedState(), setup_.variant->stateValues,
                          setup_.variant->storageBytes);
  return gathered_;
}

std::vector<std::uint32_t> Simulation::countByTile(const std::vector<std::uint32_t>& slots) const {
  std::vector<std::uint32_t> bySlot(setup_.order.tiles, 0);
  for (const std::uint32_t slot : slots) ++bySlot[slot];
  std::vector<std::uint32_t> counts;
  for (const std::uint32_t t : ownTiles_) counts.push_back(bySlot[setup_.order.slotOfTile[t]]);
  return counts;
}

std::vector<std::uint32_t> Simulation::wallLinksByTile() const {
  std::vector<std::uint32_t> slots;
  for (const WallLink& link : setup_.walls.links) slots.push_back(link.slot);
  return countByTile(slots);
}

std::vector<std::uint32_t> Simulation::wallPointsByTile() const {
  std::vector<std::uint32_t> slots;
  for (const WallPoint& point : setup_.wallPoints.points)
    slots.push_back(static_cast<std::uint32_t>(point.node[0] / observedPerSlot));
  return countByTile(slots);
}

Simulation::OwnNodes Simulation::ownNodes() const {
  const TiledGeometry& geometry = tiles_.geometry;
  OwnNodes own;
  own.first.resize(geometry.tiles());
  for (const std::uint32_t t : ownTiles_) {
    const std::uint8_t* types = &geometry.nodeType[std::size_t{t} * tileNodes];
    const auto solid =
        std::count(types, types + tileNodes, static_cast<std::uint8_t>(NodeType::Solid));
    own.first[t] = own.count;
    own.ofTile.push_back(static_cast<std::uint32_t>(tileNodes - solid));
    own.count += own.ofTile.back();
  }
  return own;
}

void Simulation::gatherFields(const OwnNodes& own, Fields& fields) {
  fields.pressure = gatherByTile(ranks_, setup_.part, own.ofTile, fields.pressure);
  fields.velocity = gatherByTile(ranks_, setup_.part, own.ofTile, fields.velocity);
  fields.stress = gatherByTile(ranks_, setup_.part, own.ofTile, fields.stress);
}

void Simulation::gatherMeans(const OwnNodes& own, CycleMeans& means) {
  means.pressure = gatherByTile(ranks_, setup_.part, own.ofTile, means.pressure);
  means.velocity = gatherByTile(ranks_, setup_.part, own.ofTile, means.velocity);
  const std::vector<std::uint32_t> points = wallPointsByTile();
  means.wallNode = gatherByTile(ranks_, setup_.part, points, means.wallNode);
  means.wallTraction = gatherByTile(ranks_, setup_.part, points, means.wallTraction);
  means.wallShear = gatherByTile(ranks_, setup_.part, points, means.wallShear);
}

}  // namespace tessera
