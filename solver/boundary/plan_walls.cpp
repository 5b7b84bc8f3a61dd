// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/boundary/plan_walls.hpp"

#include <algorithm>
#include <cmath>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/cli/progress.hpp"
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

// A wall link of one node and its condition.
struct Candidate {
  WallLink link{};
  double push = 0.0;
  double pushHalfway = 0.0;  // the same of a wall halfway
  bool symmetric = false;
  bool needed = false;
};

class Planner {
 public:
  Planner(const tiles::TileOrder& order, const tiler::TiledGeometry& geometry,
          const WallPlanInput& walls, const model::LatticeInfo& info, comm::Ranks& ranks)
      : order_(order),
        geometry_(geometry),
        input_(walls),
        info_(info),
        ranks_(ranks),
        symmetric_(symmetryLabels(walls.conditions, geometry)),
        planes_(order, geometry, symmetric_, info),
        motion_{geometry, walls.conditions, walls.scheme == WallScheme::Halfway},
        moving_(
            std::any_of(walls.conditions.begin(), walls.conditions.end(),
                        [](const WallCondition& wall) { return wall.kind == WallKind::Moving; })),
        outflow_(geometry.wallNames.size(), 0.0) {}

  Walls plan() {
    checkSymmetryPlanes(symmetric_, geometry_);
    addTiles(0, order_.tiles, own_);
    Walls& walls = own_.walls;
    walls.remembers = input_.scheme == WallScheme::SingleNode && !walls.links.empty();
    if (input_.scheme != WallScheme::Halfway) {
      WallPart near;
      if (!walls.remembers) addTiles(order_.tiles, order_.slotsOfTiles(), near);
      planWallMass(geometry_, info_, near, !walls.remembers, own_);
    }
    if (std::all_of(walls.push.begin(), walls.push.end(), [](double push) { return push == 0.0; }))
      walls.push.clear();
    warnAboutOutflow();
    return std::move(walls);
  }

 private:
  // Links of the tiles with slots from first to before end.
  void addTiles(std::uint32_t first, std::uint32_t end, WallPart& part) {
    part_ = &part;
    for (std::size_t t = 0; t < geometry_.tiles(); ++t) {
      if (order_.slotOfTile[t] < first || order_.slotOfTile[t] >= end) continue;
      tiler::forBoundaryNodes(geometry_, t,
                              [&](std::uint8_t local, std::uint32_t mask, std::uint64_t link) {
                                addNode(t, local, mask, candidates(t, local, mask, link));
                              });
    }
  }

  [[nodiscard]] const WallCondition* conditionOf(preprocess::geometry::Patch patch) const {
    return patch < input_.conditions.size() ? &input_.conditions[patch] : nullptr;
  }

  // By lattice direction; those that do not end on a wall are not needed.
  std::vector<Candidate> candidates(std::size_t t, std::uint8_t local, std::uint32_t mask,
                                    std::uint64_t first) {
    std::vector<Candidate> all(info_.velocities.size());
    for (std::size_t i = 1; i < all.size(); ++i) {
      const auto& c = info_.velocities[i];
      const int direction = preprocess::geometry::directionOf(c[0], c[1], c[2]);
      if ((mask >> direction & 1U) == 0) continue;
      const std::uint64_t link = tiler::linkIndex(first, mask, direction);
      if (!preprocess::geometry::isOpening(geometry_.linkPatch[link]))
        all[i] = candidate(t, local, i, {mask, first}, link);
    }
    return all;
  }

  // links: of the node; link: the one in direction i.
  Candidate candidate(std::size_t t, std::uint8_t local, std::size_t i,
                      const tiler::NodeLinks& links, std::uint64_t link) {
    Candidate out;
    out.link.slot = order_.slotOfTile[t];
    out.link.local = local;
    out.link.direction = static_cast<std::uint8_t>(i);
    out.link.distance =
        input_.scheme == WallScheme::Halfway ? halfway : geometry_.linkDistance[link];
    const preprocess::geometry::Patch patch = geometry_.linkPatch[link];
    out.symmetric = symmetric_[patch];
    if (moving_ && !out.symmetric) {
      const Int3 node = geometry_.nodeOf(t, local);
      out.push = pushOf(i, motion_.velocityAlong(node, links, info_.velocities[i]));
      out.pushHalfway = pushOf(i, motion_.velocityAlong(node, links, info_.velocities[i], 0.5));
      if (part_ == &own_) outflow_[patch] -= out.push;
    }
    out.needed = !out.symmetric && (out.link.distance != halfway || out.push != 0.0);
    return out;
  }

  // -6 w_i c_i . u_w.
  [[nodiscard]] double pushOf(std::size_t i, double velocityAlong) const {
    return -6.0 * info_.weights[i] / input_.scales.velocity() * velocityAlong;
  }

  void addNode(std::size_t t, int local, std::uint32_t mask, std::vector<Candidate> all) {
    PlannedWallNode node;
    node.tile = static_cast<std::uint32_t>(t);
    node.mask = mask;
    node.node.slot = order_.slotOfTile[t];
    node.node.local = static_cast<std::uint8_t>(local);
    node.node.firstLink = static_cast<std::uint32_t>(part_->walls.links.size());
    for (std::size_t i = 1; i < all.size(); i += 2) addPair(node, all[i], all[i + 1]);
    node.node.links = static_cast<std::uint8_t>(part_->walls.links.size() - node.node.firstLink);
    for (std::size_t i = 1; i < all.size(); ++i) {
      if (!all[i].symmetric) node.expected += all[i].pushHalfway;
      if (all[i].symmetric && part_ == &own_) addMirrored(t, local, all[i].link);
    }
    if (node.node.links > 0) part_->nodes.push_back(node);
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
      if (input_.scheme == WallScheme::Multireflection && !other.symmetric)
        part_->walls.depths.back() = depthOf(node, candidate->link.direction);
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
      return planes_.partner(node.tile, node.node.local, back)
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
    Walls& walls = part_->walls;
    walls.links.push_back(candidate.link);
    walls.push.push_back(candidate.push);
    if (input_.scheme == WallScheme::Multireflection) walls.depths.push_back(WallDepth{});
  }

  // Nodes behind a node along link i; unknown unless fluid follows them. A population that comes
  // through an opening there would need the stencils of openings beyond a rank's reach.
  [[nodiscard]] WallDepth depthOf(const PlannedWallNode& node, int i) const {
    const int back = model::opposite(i);
    if (leaves(node.mask, back)) return {};
    const NodeInTile behind = nodeBehind(node.tile, node.node.local, i);
    if (behind.tile < 0) return {};
    const auto tile = static_cast<std::size_t>(behind.tile);
    if (leaves(tiler::linkMaskOf(geometry_, tile, behind.local), back)) return {};
    const NodeInTile farther = nodeBehind(tile, behind.local, i);
    if (farther.tile < 0) return {};
    const tiles::PopulationLocation far = locationOf(farther, i);
    return {order_.slotOfTile[tile],
            far.slot,
            static_cast<std::uint8_t>(behind.local),
            far.local,
            1,
            0};
  }

  void addMirrored(std::size_t t, int local, const WallLink& link) {
    const auto partner = planes_.partner(t, local, link.direction);
    if (!partner) return;
    const tiles::PopulationLocation own{link.slot, link.local, link.direction};
    const PopulationPair pair{tiles::indexOfPopulation(own, info_),
                              tiles::indexOfPopulation(*partner, info_)};
    if (pair.a < pair.b) part_->walls.mirrored.push_back(pair);
  }

  // Warns of walls that move along their normal.
  void warnAboutOutflow() const {
    constexpr double unit = 0x1p-40;
    std::vector<std::int64_t> outflow;
    for (const double flow : outflow_) outflow.push_back(std::llround(flow / unit));
    ranks_.sum(outflow);
    const double slide = comm::largestOf(ranks_, fastestWall(input_.conditions, geometry_));
    for (std::size_t k = 0; k < outflow_.size(); ++k) {
      const WallCondition* condition = conditionOf(static_cast<preprocess::geometry::Patch>(k));
      if (condition == nullptr || condition->kind != WallKind::Moving) continue;
      const double flow = static_cast<double>(outflow[k]) * unit * input_.scales.flowRate();
      const double area = std::pow(input_.scales.spacing, 2);
      if (std::abs(flow) <= slide * area) continue;
      stage::logWarning(fmt::format(
          "wall {} ({}) moves along its normal: it takes {} out of the fluid", k,
          geometry_.wallNames[k], stage::formatQuantity(flow, stage::Dimension::FlowRate)));
    }
  }

  const tiles::TileOrder& order_;
  const tiler::TiledGeometry& geometry_;
  const WallPlanInput& input_;
  const model::LatticeInfo& info_;
  comm::Ranks& ranks_;
  std::vector<bool> symmetric_;
  SymmetryPlanes planes_;
  MovingWalls motion_;
  bool moving_;                  // some wall
  std::vector<double> outflow_;  // by label, lattice units
  WallPart own_;
  WallPart* part_ = nullptr;  // that is being filled
};

}  // namespace

Walls planWalls(const tiles::TileOrder& order, const tiler::TiledGeometry& geometry,
                const WallPlanInput& walls, const model::LatticeInfo& info, comm::Ranks& ranks) {
  if (!needWallLinks(walls.scheme, walls.conditions)) return {};
  return Planner(order, geometry, walls, info, ranks).plan();
}

}  // namespace tessera::solver::boundary
