// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/boundary/plan_walls.hpp"

#include <algorithm>
#include <cmath>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/system/large_array.hpp"
#include "pipelines/stage/system/parallel_for.hpp"
#include "pipelines/stage/text.hpp"
#include "solver/boundary/plan_wall_mass.hpp"
#include "solver/boundary/symmetry.hpp"
#include "solver/boundary/wall_velocity.hpp"
#include "solver/model/lattice/lattice.hpp"
#include "tiler/opening_links.hpp"

namespace tessera::solver::boundary {

namespace {

constexpr std::uint16_t halfway = 32767;
static_assert(preprocess::geometry::distanceFromCode(halfway) == 0.5);
constexpr std::size_t tilesOfWallBlock = 512;  // that one thread plans

// A wall link of one node and its condition.
struct Candidate {
  WallLink link{};
  double push = 0.0;
  double pushHalfway = 0.0;  // the same of a wall halfway
  bool symmetric = false;
  bool needed = false;
};

// Walls of a case on the tiles of a rank.
struct CaseWalls {
  const tiles::TileOrder& order;
  const tiler::TiledGeometry& geometry;
  const WallPlanInput& input;
  const model::LatticeInfo& info;
  SymmetryPlanes planes;
  MovingWalls motion;
  bool moving;  // some wall
};

// Links and nodes of some tiles, in their order; a thread has one of its own.
class WallBlock {
 public:
  // own: of this rank.
  WallBlock(const CaseWalls& walls, bool own)
      : walls_(walls),
        order_(walls.order),
        geometry_(walls.geometry),
        info_(walls.info),
        own_(own),
        outflow_(walls.geometry.wallNames.size(), 0.0) {}

  void addTile(std::size_t t) {
    tiler::forBoundaryNodes(geometry_, t,
                            [&](std::uint8_t local, std::uint32_t mask, std::uint64_t link) {
                              findCandidates(t, local, mask, link);
                              addNode(t, local, mask);
                            });
  }
  [[nodiscard]] WallPart& part() { return part_; }
  // Out of the fluid by label, lattice units; of own tiles.
  [[nodiscard]] const std::vector<double>& outflow() const { return outflow_; }

 private:
  // By lattice direction; those that do not end on a wall are not needed.
  void findCandidates(std::size_t t, std::uint8_t local, std::uint32_t mask, std::uint64_t first) {
    candidates_.assign(info_.velocities.size(), {});
    for (std::size_t i = 1; i < candidates_.size(); ++i) {
      const auto& c = info_.velocities[i];
      const int direction = preprocess::geometry::directionOf(c[0], c[1], c[2]);
      if ((mask >> direction & 1U) == 0) continue;
      const std::uint64_t link = tiler::linkIndex(first, mask, direction);
      if (!preprocess::geometry::isOpening(geometry_.linkPatch[link]))
        candidates_[i] = candidate(t, local, i, {mask, first}, link);
    }
  }

  // links: of the node; link: the one in direction i.
  Candidate candidate(std::size_t t, std::uint8_t local, std::size_t i,
                      const tiler::NodeLinks& links, std::uint64_t link) {
    Candidate out;
    out.link.slot = order_.slotOfTile[t];
    out.link.local = local;
    out.link.direction = static_cast<std::uint8_t>(i);
    out.link.distance =
        walls_.input.scheme == WallScheme::Halfway ? halfway : geometry_.linkDistance[link];
    const preprocess::geometry::Patch patch = geometry_.linkPatch[link];
    out.symmetric = walls_.planes.labels()[patch];
    if (walls_.moving && !out.symmetric) {
      const Int3 node = geometry_.nodeOf(t, local);
      out.push = pushOf(i, walls_.motion.velocityAlong(node, links, info_.velocities[i]));
      out.pushHalfway =
          pushOf(i, walls_.motion.velocityAlong(node, links, info_.velocities[i], 0.5));
      if (own_) outflow_[patch] -= out.push;
    }
    out.needed = !out.symmetric && (out.link.distance != halfway || out.push != 0.0);
    return out;
  }

  // -6 w_i c_i . u_w.
  [[nodiscard]] double pushOf(std::size_t i, double velocityAlong) const {
    return -6.0 * info_.weights[i] / walls_.input.scales.velocity() * velocityAlong;
  }

  void addNode(std::size_t t, int local, std::uint32_t mask) {
    std::vector<Candidate>& all = candidates_;
    PlannedWallNode node;
    node.tile = static_cast<std::uint32_t>(t);
    node.mask = mask;
    node.node.slot = order_.slotOfTile[t];
    node.node.local = static_cast<std::uint8_t>(local);
    node.node.firstLink = static_cast<std::uint32_t>(part_.walls.links.size());
    for (std::size_t i = 1; i < all.size(); i += 2) addPair(node, all[i], all[i + 1]);
    node.node.links = static_cast<std::uint8_t>(part_.walls.links.size() - node.node.firstLink);
    for (std::size_t i = 1; i < all.size(); ++i) {
      if (!all[i].symmetric) node.expected += all[i].pushHalfway;
      if (all[i].symmetric && own_) addMirrored(t, local, all[i].link);
    }
    if (node.node.links > 0) part_.nodes.push_back(node);
  }

  // The two links of a pair of opposite directions.
  void addPair(PlannedWallNode& node, Candidate& one, Candidate& two) {
    const bool bothWalls =
        one.link.direction != 0 && two.link.direction != 0 && !one.symmetric && !two.symmetric;
    if (bothWalls && (one.needed || two.needed)) {
      one.link.pair = 1;
      two.link.pair = 2;
      add(one);
      add(two);
      return;
    }
    for (Candidate* candidate : {&one, &two}) {
      if (!candidate->needed) continue;
      const Candidate& other = candidate == &one ? two : one;
      const tiles::PopulationLocation from = arrivalAt(node, *candidate, other.symmetric);
      candidate->link.fromSlot = from.slot;
      candidate->link.fromLocal = from.local;
      candidate->link.fromDirection = from.direction;
      add(*candidate);
      if (walls_.input.scheme == WallScheme::Multireflection && !other.symmetric)
        findFar(node, candidate->link.direction);
    }
  }

  // Location of the population that arrives along a link. Inside the fluid it is that of the node
  // behind, not its copy across a periodic face, which only the node's own rank has.
  tiles::PopulationLocation arrivalAt(PlannedWallNode& node, const Candidate& candidate,
                                      bool fromPlane) {
    const int i = candidate.link.direction;
    const auto back = static_cast<std::uint8_t>(model::opposite(i));
    if (fromPlane) {
      node.shares = false;
      return walls_.planes.partner(node.tile, node.node.local, back)
          .value_or(tiles::PopulationLocation{node.node.slot, node.node.local, back});
    }
    if (leaves(node.mask, back))
      return tiles::gatherLocation(order_, geometry_, node.node.slot, node.node.local, i, info_);
    const NodeInTile behind = nodeBehind(node.tile, node.node.local, i);
    if (behind.tile < 0) return {node.node.slot, node.node.local, back};
    return locationOf(behind, i);
  }

  [[nodiscard]] tiles::PopulationLocation locationOf(const NodeInTile& node, int i) const {
    return {order_.slotOfTile[static_cast<std::size_t>(node.tile)],
            static_cast<std::uint8_t>(node.local), static_cast<std::uint8_t>(i)};
  }
  [[nodiscard]] bool leaves(std::uint32_t mask, int i) const {
    const auto& c = info_.velocities[static_cast<std::size_t>(i)];
    return (mask >> preprocess::geometry::directionOf(c[0], c[1], c[2]) & 1U) != 0;
  }
  // No tile where this rank has no slot for it, behind nodes of others that own ones do not reach.
  [[nodiscard]] NodeInTile nodeBehind(std::size_t t, int local, int i) const {
    const auto& c = info_.velocities[static_cast<std::size_t>(i)];
    const NodeInTile behind = nodeBeside(geometry_, t, local, {-c[0], -c[1], -c[2]});
    const bool stored =
        behind.tile >= 0 &&
        order_.slotOfTile[static_cast<std::size_t>(behind.tile)] < order_.slotsOfTiles();
    return stored ? behind : NodeInTile{};
  }

  void add(const Candidate& candidate) {
    Walls& walls = part_.walls;
    walls.links.push_back(candidate.link);
    if (walls_.moving) walls.push.push_back(candidate.push);
    if (walls_.input.scheme == WallScheme::Multireflection) walls.farSlots.push_back(notDeep);
  }

  // The node two behind, along link i, the last one added; unknown unless fluid follows the nodes.
  // A population that comes through an opening there would need the stencils of openings beyond a
  // rank's reach.
  void findFar(const PlannedWallNode& node, int i) {
    const int back = model::opposite(i);
    if (leaves(node.mask, back)) return;
    const NodeInTile behind = nodeBehind(node.tile, node.node.local, i);
    if (behind.tile < 0) return;
    const auto tile = static_cast<std::size_t>(behind.tile);
    if (leaves(tiler::linkMaskOf(geometry_, tile, behind.local), back)) return;
    const NodeInTile farther = nodeBehind(tile, behind.local, i);
    if (farther.tile < 0) return;
    const tiles::PopulationLocation far = locationOf(farther, i);
    part_.walls.farSlots.back() = far.slot;
    part_.walls.links.back().farLocal = far.local;
  }

  void addMirrored(std::size_t t, int local, const WallLink& link) {
    const auto partner = walls_.planes.partner(t, local, link.direction);
    if (!partner) return;
    const tiles::PopulationLocation own{link.slot, link.local, link.direction};
    const PopulationPair pair{tiles::indexOfPopulation(own, info_),
                              tiles::indexOfPopulation(*partner, info_)};
    if (pair.a < pair.b) part_.walls.mirrored.push_back(pair);
  }

  const CaseWalls& walls_;
  const tiles::TileOrder& order_;
  const tiler::TiledGeometry& geometry_;
  const model::LatticeInfo& info_;
  bool own_;
  WallPart part_;
  std::vector<double> outflow_;
  std::vector<Candidate> candidates_;  // of one node
};

void reservePart(std::vector<WallBlock>& blocks, WallPart& part) {
  std::size_t nodes = 0, links = 0, push = 0, farSlots = 0;
  for (WallBlock& block : blocks) {
    nodes += block.part().nodes.size();
    links += block.part().walls.links.size();
    push += block.part().walls.push.size();
    farSlots += block.part().walls.farSlots.size();
  }
  stage::reserveLarge(part.nodes, nodes);
  stage::reserveLarge(part.walls.links, links);
  stage::reserveLarge(part.walls.push, push);
  stage::reserveLarge(part.walls.farSlots, farSlots);
}

// The links of `from` follow those of `to`.
void appendPart(WallPart& from, WallPart& to) {
  const auto before = static_cast<std::uint32_t>(to.walls.links.size());
  for (PlannedWallNode& node : from.nodes) node.node.firstLink += before;
  const auto add = [](const auto& values, auto& all) {
    all.insert(all.end(), values.begin(), values.end());
  };
  add(from.nodes, to.nodes);
  add(from.walls.links, to.walls.links);
  add(from.walls.push, to.walls.push);
  add(from.walls.farSlots, to.walls.farSlots);
  add(from.walls.mirrored, to.walls.mirrored);
  from = {};
}

bool moves(const WallCondition& wall) {
  return wall.kind == WallKind::Moving;
}

// Links of the tiles with slots from first to before end. own: of this rank.
void addTiles(const CaseWalls& walls, std::uint32_t first, std::uint32_t end, bool own,
              WallPart& part) {
  if (first == end) return;
  const std::size_t tiles = walls.geometry.tiles();
  std::vector<WallBlock> blocks(stage::blocksOf(tiles, tilesOfWallBlock), WallBlock(walls, own));
  stage::parallelBlocks(
      tiles, tilesOfWallBlock, [&](std::size_t block, std::size_t from, std::size_t to) {
        for (std::size_t t = from; t < to; ++t)
          if (walls.order.slotOfTile[t] >= first && walls.order.slotOfTile[t] < end)
            blocks[block].addTile(t);
      });
  reservePart(blocks, part);
  for (WallBlock& block : blocks) {
    appendPart(block.part(), part);
    for (std::size_t k = 0; k < part.walls.outflow.size(); ++k)
      part.walls.outflow[k] += block.outflow()[k];
  }
}

}  // namespace

Walls planWalls(const tiles::TileOrder& order, const tiler::TiledGeometry& geometry,
                const WallPlanInput& input, const model::LatticeInfo& info) {
  if (!needWallLinks(input.scheme, input.conditions)) return {};
  const CaseWalls of{order,
                     geometry,
                     input,
                     info,
                     {order, geometry, symmetryLabels(input.conditions, geometry), info},
                     {geometry, input.conditions, input.scheme == WallScheme::Halfway},
                     std::any_of(input.conditions.begin(), input.conditions.end(), moves)};
  checkSymmetryPlanes(of.planes.labels(), geometry);
  WallPart own;
  Walls& walls = own.walls;
  walls.outflow.assign(geometry.wallNames.size(), 0.0);
  addTiles(of, 0, order.tiles, true, own);
  walls.remembers = input.scheme == WallScheme::SingleNode && !walls.links.empty();
  if (input.scheme != WallScheme::Halfway) {
    WallPart near;
    if (!walls.remembers) addTiles(of, order.tiles, order.slotsOfTiles(), false, near);
    planWallMass(geometry, info, near, !walls.remembers, own);
  }
  if (std::all_of(walls.push.begin(), walls.push.end(), [](double push) { return push == 0.0; }))
    walls.push.clear();
  return std::move(walls);
}

void warnAboutOutflow(const Walls& walls, const tiler::TiledGeometry& geometry,
                      const WallPlanInput& input, comm::Ranks& ranks) {
  if (!needWallLinks(input.scheme, input.conditions)) return;
  constexpr double unit = 0x1p-40;
  std::vector<std::int64_t> outflow;
  for (const double flow : walls.outflow) outflow.push_back(std::llround(flow / unit));
  ranks.sum(outflow);
  const double slide = comm::largestOf(ranks, fastestWall(input.conditions, geometry));
  for (std::size_t k = 0; k < std::min(outflow.size(), input.conditions.size()); ++k) {
    if (!moves(input.conditions[k])) continue;
    const double flow = static_cast<double>(outflow[k]) * unit * input.scales.flowRate();
    const double area = std::pow(input.scales.spacing, 2);
    if (std::abs(flow) <= slide * area) continue;
    stage::logWarning(fmt::format(
        "wall {} ({}) moves along its normal: it takes {} out of the fluid", k,
        geometry.wallNames[k], stage::formatQuantity(flow, stage::Dimension::FlowRate)));
  }
}

}  // namespace tessera::solver::boundary
