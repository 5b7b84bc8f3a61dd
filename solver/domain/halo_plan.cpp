// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/domain/halo_plan.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

#include "preprocess/file/node_types.hpp"
#include "solver/domain/node_growth.hpp"
#include "solver/model/lattice/lattice.hpp"
#include "solver/model/populations.hpp"
#include "solver/tiles/neighbour_table.hpp"

namespace tessera::solver::domain {

using tiler::tileNodes;
using tiles::TileOrder;

namespace {

// Index of a value by its tile in the file, equal on every rank.
std::uint64_t codeOf(std::int32_t fileTile, std::uint64_t inTile) {
  return static_cast<std::uint64_t>(fileTile) << 32U | inTile;
}

class Reads {
 public:
  Reads(const TileOrder& order, const tiler::TiledGeometry& geometry,
        const model::LatticeInfo& lattice)
      : order_(order), geometry_(geometry), q_(lattice.velocities.size()) {
    tileOfSlot_.resize(order.slotsOfTiles());
    for (std::size_t t = 0; t < geometry.tiles(); ++t)
      if (order.slotOfTile[t] < order.slotsOfTiles())
        tileOfSlot_[order.slotOfTile[t]] = static_cast<std::uint32_t>(t);
  }

  void add(const tiles::PopulationLocation& place) {
    addIndex((std::uint64_t{place.slot} * q_ + place.direction) * tileNodes + place.local);
  }
  // Solid nodes are skipped: only values that this rank writes itself are read from them.
  void addIndex(std::uint64_t index) {
    const std::uint64_t slot = index / tileNodes / q_;
    if (slot < order_.tiles || slot >= order_.slotsOfTiles()) return;
    const std::size_t node = std::size_t{tileOfSlot_[slot]} * tileNodes + index % tileNodes;
    if (geometry_.nodeType[node] != static_cast<std::uint8_t>(preprocess::file::NodeType::Solid))
      indices_.push_back(index);
  }

  void addPulls(const model::LatticeInfo& info) {
    for (std::uint32_t slot = 0; slot < order_.border; ++slot)
      for (int local = 0; local < tileNodes; ++local) {
        const std::uint32_t mask = maskOf(slot, local);
        if ((mask >> model::solidBit & 1U) != 0) continue;
        for (std::size_t i = 1; i < q_; ++i) {
          const auto& c = info.velocities[i];
          if ((mask >> preprocess::geometry::directionOf(-c[0], -c[1], -c[2]) & 1U) == 0)
            add(tiles::gatherLocation(order_, geometry_, slot, local, static_cast<int>(i), info));
        }
      }
  }

  void addWalls(const boundary::Walls& walls) {
    for (const boundary::WallLink& link : walls.links) {
      if (link.pair == 0) add({link.fromSlot, link.fromLocal, link.fromDirection});
      // Links of nodes of other ranks also read their own populations.
      add({link.slot, link.local, link.direction});
      add({link.slot, link.local, static_cast<std::uint8_t>(model::opposite(link.direction))});
    }
    for (std::size_t k = 0; k < walls.farSlots.size(); ++k) {
      if (walls.farSlots[k] == boundary::notDeep) continue;
      const boundary::WallLink& link = walls.links[k];
      const auto against = static_cast<std::uint8_t>(model::opposite(link.direction));
      add({link.fromSlot, link.fromLocal, against});
      add({walls.farSlots[k], link.farLocal, link.direction});
    }
    for (const boundary::PopulationPair& pair : walls.mirrored) {
      addIndex(pair.a);
      addIndex(pair.b);
    }
  }

  void addOpenings(const Domain& domain) {
    for (const boundary::IncomingLink& link : domain.links)
      for (std::size_t i = 0; i < q_; ++i) addIndex(link.node + tileNodes * i);
    for (const std::uint64_t source : domain.sources) addIndex(source);
    for (const std::uint64_t node : domain.stencils.nodes)
      for (std::size_t i = 0; i < q_; ++i) addIndex(node + tileNodes * i);
    for (const boundary::PopulationCopy& copy : domain.copies) addIndex(copy.from);
  }

  // Indices of populations, or, for a state of moments, of all moments of their nodes.
  std::vector<std::uint64_t> take(unsigned stateValues) {
    if (stateValues == q_) return std::move(indices_);
    std::vector<std::uint64_t> nodes;
    for (const std::uint64_t index : indices_)
      nodes.push_back(index / tileNodes / q_ * tileNodes + index % tileNodes);
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    std::vector<std::uint64_t> all;
    for (const std::uint64_t node : nodes)
      for (std::uint64_t m = 0; m < stateValues; ++m)
        all.push_back((node / tileNodes * stateValues + m) * tileNodes + node % tileNodes);
    return all;
  }

 private:
  [[nodiscard]] std::uint32_t maskOf(std::uint32_t slot, int local) const {
    const std::int32_t masks =
        order_.neighbourTable[std::size_t{slot} * model::neighbourStride + model::maskEntry];
    if (masks < 0) return 0;
    return order_
        .masks[static_cast<std::size_t>(masks) * tileNodes + static_cast<std::size_t>(local)];
  }

  const TileOrder& order_;
  const tiler::TiledGeometry& geometry_;
  std::size_t q_;
  std::vector<std::uint32_t> tileOfSlot_;
  std::vector<std::uint64_t> indices_;
};

// Values requested from one rank: code and local index.
using Wanted = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

std::vector<Wanted> byOwner(comm::Ranks& ranks, const tiles::RankPart& part, const TileOrder& order,
                            std::uint64_t perSlot, const std::vector<std::uint64_t>& wanted) {
  std::vector<std::uint32_t> tileOfSlot(order.slotsOfTiles());
  for (std::size_t t = 0; t < order.slotOfTile.size(); ++t)
    if (order.slotOfTile[t] < order.slotsOfTiles())
      tileOfSlot[order.slotOfTile[t]] = static_cast<std::uint32_t>(t);
  std::vector<Wanted> of(static_cast<std::size_t>(ranks.size()));
  for (const std::uint64_t index : wanted) {
    const std::uint64_t slot = index / perSlot;
    if (slot < order.tiles || slot >= order.slotsOfTiles()) continue;
    const std::uint32_t tile = tileOfSlot[slot];
    of[part.rank[tile]].emplace_back(codeOf(part.fileTile[tile], index % perSlot), index);
  }
  for (Wanted& list : of) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return of;
}

// Local index of a value that another rank requests.
std::uint64_t indexHere(const tiles::RankPart& part, const TileOrder& order, std::uint64_t perSlot,
                        std::uint64_t code) {
  const auto file = static_cast<std::int32_t>(code >> 32U);
  const auto found = std::lower_bound(part.fileTile.begin(), part.fileTile.end(), file);
  const auto tile = static_cast<std::size_t>(found - part.fileTile.begin());
  if (found == part.fileTile.end() || *found != file || order.slotOfTile[tile] >= order.border)
    throw std::logic_error("a halo asks for a tile that is not at this rank's border");
  return order.slotOfTile[tile] * perSlot + (code & 0xffffffffU);
}

}  // namespace

HaloPlan planHalo(comm::Ranks& ranks, const tiles::RankPart& part, const TileOrder& order,
                  unsigned valuesOfNode, std::vector<std::uint64_t> wanted) {
  HaloPlan plan;
  if (ranks.alone()) return plan;
  const std::uint64_t perSlot = std::uint64_t{valuesOfNode} * tileNodes;
  const std::vector<Wanted> of = byOwner(ranks, part, order, perSlot, wanted);
  std::vector<stage::Message> asked;
  for (const Wanted& list : of) {
    std::vector<std::uint64_t> codes;
    for (const auto& [code, index] : list) codes.push_back(code);
    asked.push_back(stage::bytesOf<std::uint64_t>(codes));
  }
  const std::vector<stage::Message> answers = ranks.allToAll(std::move(asked));
  for (std::size_t r = 0; r < of.size(); ++r) {
    HaloNeighbour other{static_cast<int>(r), plan.send.size(), 0, plan.receive.size(), 0};
    for (const std::uint64_t code : stage::valuesOf<std::uint64_t>(answers[r]))
      plan.send.push_back(indexHere(part, order, perSlot, code));
    for (const auto& [code, index] : of[r]) plan.receive.push_back(index);
    other.sent = plan.send.size() - other.firstSent;
    other.received = plan.receive.size() - other.firstReceived;
    if (other.sent + other.received > 0) plan.neighbours.push_back(other);
  }
  return plan;
}

std::vector<std::uint64_t> readInStep(const TileOrder& order, const tiler::TiledGeometry& geometry,
                                      const model::LatticeInfo& lattice, unsigned stateValues,
                                      const Domain& domain) {
  Reads reads(order, geometry, lattice);
  reads.addPulls(lattice);
  reads.addWalls(domain.walls);
  reads.addOpenings(domain);
  return reads.take(stateValues);
}

std::vector<std::uint64_t> valuesOfOthers(const Domain& domain, const NodeGrowth::Bits& nodes,
                                          unsigned valuesOfNode) {
  std::vector<std::uint64_t> indices;
  for (std::uint64_t slot = domain.tiles; slot < nodes.size(); ++slot)
    for (std::uint64_t left = nodes[slot]; left != 0; left &= left - 1)
      for (std::uint64_t v = 0; v < valuesOfNode; ++v)
        indices.push_back((slot * valuesOfNode + v) * tileNodes +
                          static_cast<unsigned>(std::countr_zero(left)));
  return indices;
}

std::vector<std::uint64_t> readInTwoSteps(const TileOrder& order, unsigned stateValues,
                                          const Domain& domain) {
  const NodeGrowth growth(domain);
  NodeGrowth::Bits bits(domain.slotsOfTiles());
  std::copy_n(growth.fluid().begin(), order.border, bits.begin());
  return valuesOfOthers(domain, growth.grown(growth.grown(bits)), stateValues);
}

}  // namespace tessera::solver::domain
