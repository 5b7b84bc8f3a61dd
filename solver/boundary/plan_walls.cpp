// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/boundary/plan_walls.hpp"

#include <algorithm>
#include <cmath>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/text.hpp"
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
    for (std::size_t t = 0; t < geometry_.tiles(); ++t) {
      if (order_.slotOfTile[t] >= order_.tiles) continue;
      tiler::forBoundaryNodes(geometry_, t,
                              [&](std::uint8_t local, std::uint32_t mask, std::uint64_t first) {
                                addNode(t, local, candidates(t, local, mask, first));
                              });
    }
    if (std::all_of(walls_.push.begin(), walls_.push.end(),
                    [](double push) { return push == 0.0; }))
      walls_.push.clear();
    walls_.remembers = input_.scheme == WallScheme::SingleNode && !walls_.links.empty();
    warnAboutOutflow();
    return std::move(walls_);
  }

 private:
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
      // -6 w_i c_i . u_w.
      out.push = -6.0 * info_.weights[i] / input_.scales.velocity() *
                 motion_.velocityAlong(geometry_.nodeOf(t, local), links, info_.velocities[i]);
      outflow_[patch] -= out.push;
    }
    out.needed = !out.symmetric && (out.link.distance != halfway || out.push != 0.0);
    return out;
  }

  void addNode(std::size_t t, int local, std::vector<Candidate> all) {
    for (std::size_t i = 1; i < all.size(); i += 2) addPair(t, local, all[i], all[i + 1]);
    for (std::size_t i = 1; i < all.size(); ++i)
      if (all[i].symmetric) addMirrored(t, local, all[i].link);
  }

  // The two links of a pair of opposite directions.
  void addPair(std::size_t t, int local, Candidate& one, Candidate& two) {
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
      const int back = model::opposite(candidate->link.direction);
      tiles::PopulationLocation from;
      if (other.symmetric)
        from = planes_.partner(t, local, back)
                   .value_or(tiles::PopulationLocation{candidate->link.slot, candidate->link.local,
                                                       static_cast<std::uint8_t>(back)});
      else
        from = tiles::gatherLocation(order_, geometry_, candidate->link.slot, local,
                                     candidate->link.direction, info_);
      candidate->link.fromSlot = from.slot;
      candidate->link.fromLocal = from.local;
      candidate->link.fromDirection = from.direction;
      add(*candidate);
      if (input_.scheme == WallScheme::Multireflection && !other.symmetric)
        walls_.depths.back() = depthOf(t, local, candidate->link.direction);
    }
  }

  void add(const Candidate& candidate) {
    walls_.links.push_back(candidate.link);
    walls_.push.push_back(candidate.push);
    if (input_.scheme == WallScheme::Multireflection) walls_.depths.push_back(WallDepth{});
  }

  // Nodes behind a node along link i; unknown unless fluid follows them.
  [[nodiscard]] WallDepth depthOf(std::size_t t, int local, int i) const {
    const auto& c = info_.velocities[static_cast<std::size_t>(i)];
    const int back = preprocess::geometry::directionOf(-c[0], -c[1], -c[2]);
    if ((tiler::linkMaskOf(geometry_, t, local) >> back & 1U) != 0) return {};
    Int3 node = geometry_.nodeOf(t, local);
    for (std::size_t a = 0; a < 3; ++a) {
      node[a] -= c[a];
      if (geometry_.periodic[a]) node[a] = (node[a] + geometry_.nodes[a]) % geometry_.nodes[a];
    }
    const tiler::TilePlace place = geometry_.placeOf(node);
    const auto tile =
        static_cast<std::size_t>(geometry_.tileAt(place.tile[0], place.tile[1], place.tile[2]));
    if ((tiler::linkMaskOf(geometry_, tile, place.local) >> back & 1U) != 0) return {};
    const std::uint32_t slot = order_.slotOfTile[tile];
    const tiles::PopulationLocation far =
        tiles::gatherLocation(order_, geometry_, slot, place.local, i, info_);
    return {slot, far.slot, static_cast<std::uint8_t>(place.local), far.local, 1, 0};
  }

  void addMirrored(std::size_t t, int local, const WallLink& link) {
    const auto partner = planes_.partner(t, local, link.direction);
    if (!partner) return;
    const tiles::PopulationLocation own{link.slot, link.local, link.direction};
    const PopulationPair pair{tiles::indexOfPopulation(own, info_),
                              tiles::indexOfPopulation(*partner, info_)};
    if (pair.a < pair.b) walls_.mirrored.push_back(pair);
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
  Walls walls_;
};

}  // namespace

Walls planWalls(const tiles::TileOrder& order, const tiler::TiledGeometry& geometry,
                const WallPlanInput& walls, const model::LatticeInfo& info, comm::Ranks& ranks) {
  const bool plain =
      walls.scheme == WallScheme::Halfway &&
      std::all_of(walls.conditions.begin(), walls.conditions.end(),
                  [](const WallCondition& wall) { return wall.kind == WallKind::Rest; });
  return plain ? Walls{} : Planner(order, geometry, walls, info, ranks).plan();
}

}  // namespace tessera::solver::boundary
