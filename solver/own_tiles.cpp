// SPDX-License-Identifier: GPL-3.0-or-later
// What of a run is a rank's own: its tiles, and where what it has of them lies in the files that
// all ranks write and read together, so that these are those of one rank.
#include "solver/simulation.hpp"

namespace tessera {

void Simulation::findOwnTiles() {
  for (std::size_t t = 0; t < tiles_.geometry.tiles(); ++t)
    if (setup_.part.owns(t)) ownTiles_.push_back(static_cast<std::uint32_t>(t));
  if (!ranks_.alone()) findPlaces();
}

void Simulation::findPlaces() {
  const RankPart& part = setup_.part;
  std::vector<std::int32_t> fileTile;
  for (const std::uint32_t t : ownTiles_) {
    const auto types = tiles_.geometry.nodeType.begin() + std::ptrdiff_t{tileNodes} * t;
    fileTile.push_back(part.fileTile[t]);
    ownSlots_.push_back(setup_.order.slotOfTile[t]);
    ownTypes_.insert(ownTypes_.end(), types, types + tileNodes);
  }
  const auto places = [&](std::vector<std::uint32_t> counts) {
    return placesOf(ranks_, fileTile, part.tilesOfAll, std::move(counts));
  };
  places_.tiles = placesOfTiles(fileTile, part.tilesOfAll);
  places_.nodes = places(ownNodes().ofTile);
  std::vector<std::uint32_t> links(ownTiles_.size(), 0);
  if (setup_.walls.remembers) links = wallLinksByTile();
  places_.ofCheckpoint.wallLinks = places(std::move(links));
  places_.ofCheckpoint.wallPoints = places(wallPointsByTile());
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
  for (const NumberedSample& each : gatherValues<NumberedSample>(ranks_, mine))
    all[each.link] = each.sample;
  return all;
}

TileLayout Simulation::stateLayout() const {
  const unsigned values = setup_.variant->stateValues;
  const unsigned bytes = setup_.variant->storageBytes;
  if (ranks_.alone()) return {setup_.order.slotOfTile, tiles_.geometry.nodeType, values, bytes};
  return {ownSlots_, ownTypes_, values, bytes, &places_.tiles};
}

CheckpointWriter Simulation::checkpointWriter(const std::filesystem::path& path,
                                              const Provenance& provenance) const {
  if (ranks_.alone()) return CheckpointWriter(path, stateLayout(), provenance);
  return {path, stateLayout(), places_.ofCheckpoint, provenance, ranks_};
}

std::optional<Checkpoint> Simulation::newestCheckpoint(const std::filesystem::path& path) const {
  if (ranks_.alone()) return readCheckpoint(path, checkpointOfRun(), stateLayout());
  return readCheckpoint(path, checkpointOfRun(), stateLayout(), places_.ofCheckpoint, ranks_);
}

void Simulation::writeFields(const std::filesystem::path& path, const Fields& fields) const {
  if (ranks_.alone()) return writeFieldsFile(path, fields);
  writeFieldsTogether(path, fields, places_.nodes, places_.ofCheckpoint.wallPoints, ranks_);
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
    own.first[t] = own.count;
    own.ofTile.push_back(nodesIn(geometry, t));
    own.count += own.ofTile.back();
  }
  return own;
}

}  // namespace tessera
