// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/domain/separate_nodes.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/processes.hpp"
#include "solver/domain/halo_plan.hpp"
#include "solver/domain/node_growth.hpp"
#include "solver/model/populations.hpp"

namespace tessera::solver::domain {

namespace {

using Bits = std::vector<std::uint64_t>;

void add(std::uint32_t slot, int local, Bits& bits) {
  if (slot < bits.size()) bits[slot] |= std::uint64_t{1} << local;
}

std::vector<boundary::SeparateNode> nodesOf(const NodeSet& known,
                                            const boundary::MomentOpenings& openings,
                                            const boundary::MomentWalls& walls) {
  std::vector<boundary::SeparateNode> nodes(known.size(), {0, 0, 0, -1, -1});
  const boundary::NodeSetView view = known.view();
  for (std::size_t k = 0; k < openings.nodes.size(); ++k) {
    const boundary::OpeningNodeLocation& at = openings.nodes[k];
    if (at.slot >= known.bits().size()) continue;
    boundary::SeparateNode& node = nodes[view.indexOf(at.slot, at.local)];
    node.opening = static_cast<std::int32_t>(k);
    node.incoming = at.incoming;
  }
  for (std::uint32_t n = 0; n < walls.own; ++n) {
    const boundary::WallNode& at = walls.nodes[n];
    boundary::SeparateNode& node = nodes[view.indexOf(at.slot, at.local)];
    node.firstReflected = at.firstLink;
    for (std::uint32_t k = at.firstLink; k < at.firstLink + at.links; ++k)
      node.reflected |= std::uint32_t{1} << walls.links[k].direction;
    if (!walls.mass.near.empty()) node.wall = static_cast<std::int32_t>(n);
  }
  return nodes;
}

}  // namespace

NodeSet::NodeSet(Bits bits) : bits_(std::move(bits)), earlier_(bits_.size()) {
  for (std::size_t slot = 0; slot < bits_.size(); ++slot) {
    earlier_[slot] = size_;
    size_ += static_cast<std::uint32_t>(std::popcount(bits_[slot]));
  }
}

std::vector<std::uint32_t> NodeSet::places() const {
  std::vector<std::uint32_t> out;
  out.reserve(size_);
  for (std::uint32_t slot = 0; slot < bits_.size(); ++slot)
    for (std::uint64_t left = bits_[slot]; left != 0; left &= left - 1)
      out.push_back(boundary::placeOf(slot, std::countr_zero(left)));
  return out;
}

double separateNodeBytes(const SeparateCounts& n, double bytesPerNode) {
  if (n.atBoundaries == 0.0) return 0.0;
  constexpr double place = sizeof(std::uint32_t);
  constexpr double ofTile = sizeof(std::uint64_t) + sizeof(std::uint32_t);
  const double results = n.inPlace ? bytesPerNode : 0.0;
  const double one =
      n.atBoundaries * (sizeof(boundary::SeparateNode) + 2.0 * place + results) + ofTile * n.tiles;
  if (!n.twice) return one;
  // Layers of nodes as thick as the first: two make the second step, three the first. Tiles without
  // masks get some.
  constexpr double maskOfNode = sizeof(std::uint32_t);
  const double again = std::min(2.0 * n.atBoundaries, n.fluid);
  const double all = std::min(3.0 * n.atBoundaries, n.fluid);
  return one + again * (place + results + 2.0 * maskOfNode) + all * (place + bytesPerNode) +
         2.0 * ofTile * n.tiles;
}

namespace {

// Bits of own tiles, which other ranks read, to these; theirs follow. Collective.
void shareBits(const Domain& domain, Bits& bits) {
  bits.resize(domain.slotsOfTiles());
  std::vector<std::uint64_t> others;
  for (std::uint64_t slot = domain.tiles; slot < bits.size(); ++slot) others.push_back(64 * slot);
  const HaloPlan plan = planHalo(*domain.ranks, *domain.part, *domain.order, 1, std::move(others));
  std::vector<stage::Message> messages(static_cast<std::size_t>(domain.ranks->size()));
  for (const HaloNeighbour& other : plan.neighbours) {
    Bits sent;
    for (std::size_t k = other.firstSent; k < other.firstSent + other.sent; ++k)
      sent.push_back(bits[plan.send[k] / 64]);
    messages[static_cast<std::size_t>(other.rank)] = stage::bytesOf<std::uint64_t>(sent);
  }
  messages = domain.ranks->allToAll(std::move(messages));
  for (const HaloNeighbour& other : plan.neighbours) {
    std::size_t k = other.firstReceived;
    for (const std::uint64_t word :
         stage::valuesOf<std::uint64_t>(messages[static_cast<std::size_t>(other.rank)]))
      bits[plan.receive[k++] / 64] = word;
  }
}

// Nodes whose moments after the first step the conditions of the second read.
void addReadByConditions(const boundary::MomentOpenings& openings,
                         const boundary::MomentWalls& walls, Bits& bits) {
  const auto addPlace = [&](std::uint32_t place) {
    add(place >> 6U, static_cast<int>(place & 63U), bits);
  };
  for (const boundary::OpeningNodeLocation& node : openings.nodes) add(node.slot, node.local, bits);
  for (const boundary::MomentWallLink& link : walls.links) {
    addPlace(link.node);
    if (link.pair != 0) continue;
    if (link.arrival == static_cast<std::uint8_t>(boundary::ArrivalAtLink::FromBehind))
      addPlace(link.behind);
    if (link.deep != 0) addPlace(link.far);
  }
}

// Indices in a state become indices in a list of the set's nodes.
void listIndices(const NodeSet& set, unsigned words, std::vector<std::uint64_t>& indices) {
  const boundary::NodeSetView view = set.view();
  for (std::uint64_t& index : indices) {
    const std::uint64_t word = index / 64 % words;
    const std::uint64_t k =
        view.indexOf(static_cast<std::uint32_t>(index / 64 / words), static_cast<int>(index % 64));
    index = (k / 64 * words + word) * 64 + k % 64;
  }
}

// Sets of the second step of a pass. known: own nodes at openings, of their stencils, at walls.
void addSecondStep(const Domain& domain, const boundary::MomentOpenings& openings,
                   const boundary::MomentWalls& walls, const Bits& known, unsigned words,
                   SeparateNodes& out) {
  const bool several = domain.part != nullptr;
  const NodeGrowth growth(domain);
  Bits bits = out.atBoundaries.bits();
  if (several) shareBits(domain, bits);
  Bits again = growth.grown(bits);
  std::fill(again.begin() + domain.tiles, again.end(), 0);
  Bits all = growth.grown(again);
  again.resize(domain.tiles);
  out.again = NodeSet(std::move(again));
  for (std::size_t slot = 0; slot < known.size(); ++slot) all[slot] |= known[slot];
  if (several) {
    addReadByConditions(openings, walls, all);
    out.between = planHalo(*domain.ranks, *domain.part, *domain.order, words,
                           valuesOfOthers(domain, all, words));
    for (const std::uint64_t index : out.between.send)
      add(static_cast<std::uint32_t>(index / 64 / words), static_cast<int>(index % 64), all);
  }
  out.all = NodeSet(std::move(all));
  out.ownOfAll = several ? out.all.before(domain.tiles) : out.all.size();
  listIndices(out.all, words, out.between.send);
  listIndices(out.all, words, out.between.receive);
}

}  // namespace

SeparateNodes separateNodes(const Domain& domain, const boundary::MomentOpenings& openings,
                            const boundary::MomentWalls& walls, unsigned words) {
  if (openings.stepped + walls.links.size() != 0 && domain.slots > (std::uint32_t{1} << 26U))
    stage::fail(stage::ExitCode::NoResource,
                "moments with openings, or walls other than halfway, have room for 67,108,864 "
                "tiles in a process; use more processes, or --scheme tile-populations");
  Bits bits(domain.tiles);
  for (std::size_t k = 0; k < openings.stepped; ++k)
    add(openings.nodes[k].slot, openings.nodes[k].local, bits);
  for (std::uint32_t n = 0; n < walls.own; ++n)
    add(walls.nodes[n].slot, walls.nodes[n].local, bits);
  SeparateNodes out;
  out.atBoundaries = NodeSet(bits);
  for (const boundary::OpeningNodeLocation& node : openings.nodes) add(node.slot, node.local, bits);
  if (words != 0 && (out.atBoundaries.size() != 0 || domain.part != nullptr))
    addSecondStep(domain, openings, walls, bits, words, out);
  out.known = NodeSet(std::move(bits));
  out.nodes = nodesOf(out.known, openings, walls);
  return out;
}

}  // namespace tessera::solver::domain
