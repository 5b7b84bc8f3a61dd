// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/boundary/plan_wall_force.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "pipelines/stage/system/parallel_for.hpp"
#include "solver/boundary/symmetry.hpp"
#include "tiler/opening_links.hpp"

namespace tessera::solver::boundary {

namespace {

// Entries of a chunk: enough for the threads of a block of a device, and some thousand chunks at
// most, whose sums go to the host at each sample.
constexpr std::size_t fewestInChunk = 1024;
constexpr std::size_t mostChunks = 4096;
constexpr std::size_t tilesOfForceBlock = 512;  // that one thread plans

// Links of a node in Walls::links, where they stand together, by direction.
struct ReflectedLinks {
  std::uint32_t first = 0;
  std::uint32_t directions = 0;
};

// Links of one node that end on one wall, by lattice direction.
struct LinksOfLabel {
  preprocess::geometry::Patch label;
  std::uint32_t links;
};

double determinant(const preprocess::geometry::Frame& frame) {
  return dot(frame.axis[0], cross(frame.axis[1], frame.axis[2]));
}

Double3 inLatticeAxes(const preprocess::geometry::Frame& frame, const Double3& world) {
  return {dot(frame.axis[0], world), dot(frame.axis[1], world), dot(frame.axis[2], world)};
}

void set(double (&to)[3], const Double3& from) {
  std::copy(from.begin(), from.end(), to);
}

WallMotion motionOf(const WallCondition& wall, const preprocess::geometry::Frame& frame,
                    const model::Scales& scales) {
  WallMotion motion{};
  if (wall.kind != WallKind::Moving) return motion;
  motion.moves = 1.0;
  set(motion.velocity, (1.0 / scales.velocity()) * inLatticeAxes(frame, wall.velocity));
  set(motion.rate, (determinant(frame) * scales.timeStep) * inLatticeAxes(frame, wall.rate));
  set(motion.centre, frame.toLattice(wall.centre));
  return motion;
}

std::array<double, 3> valuesOf(const ExactSum (&sums)[3]) {
  return {sums[0].value(), sums[1].value(), sums[2].value()};
}

[[noreturn]] void refuseOrder() {
  throw std::logic_error("the wall links are not in the order of their nodes and directions");
}

// Links of a case on the tiles of a rank.
struct LinksOfCase {
  const tiles::TileOrder& order;
  const tiler::TiledGeometry& geometry;
  const Walls& walls;
  const model::LatticeInfo& info;
  SymmetryPlanes planes;
  std::array<double, 3> about;  // of torques, lattice units
};

// Entries of some tiles by label, in their order; a thread has one of its own.
class ForceBlock {
 public:
  // first: in Walls::links, which has the same order of nodes, of the block's first node.
  ForceBlock(const LinksOfCase& input, std::uint64_t first)
      : nodes(input.geometry.wallNames.size()),
        mirrors(input.geometry.wallNames.size()),
        area(input.geometry.wallNames.size(), WallForceSum{}),
        input_(input),
        geometry_(input.geometry),
        order_(input.order),
        walls_(input.walls),
        info_(input.info),
        nextReflected_(first) {}

  void addTile(std::size_t t) {
    tiler::forBoundaryNodes(geometry_, t,
                            [&](std::uint8_t local, std::uint32_t mask, std::uint64_t first) {
                              addNode(t, local, mask, first);
                            });
  }
  [[nodiscard]] std::uint64_t nextReflected() const { return nextReflected_; }

  std::vector<std::vector<WallForceNode>> nodes;
  std::vector<std::vector<WallForceMirror>> mirrors;
  std::vector<WallForceSum> area;

 private:
  void addNode(std::size_t t, int local, std::uint32_t mask, std::uint64_t first) {
    ofNode_.clear();
    for (std::size_t i = 1; i < info_.velocities.size(); ++i) {
      const auto& c = info_.velocities[i];
      const int direction = preprocess::geometry::directionOf(c[0], c[1], c[2]);
      if ((mask >> direction & 1U) == 0) continue;
      const auto label = geometry_.linkPatch[tiler::linkIndex(first, mask, direction)];
      if (preprocess::geometry::isOpening(label)) continue;
      addArea(t, local, i, label);
      if (input_.planes.labels()[label] && addMirror(t, local, static_cast<int>(i), label))
        continue;
      linksTo(label) |= std::uint32_t{1} << i;
    }
    const std::uint32_t slot = order_.slotOfTile[t];
    const ReflectedLinks at = reflectedAt(slot, local);
    for (const LinksOfLabel& each : ofNode_)
      addLinks(slot, local, each.links, at, nodes[each.label]);
  }

  std::uint32_t& linksTo(preprocess::geometry::Patch label) {
    const auto known = std::find_if(ofNode_.begin(), ofNode_.end(),
                                    [&](const LinksOfLabel& each) { return each.label == label; });
    if (known != ofNode_.end()) return known->links;
    ofNode_.push_back({label, 0});
    return ofNode_.back().links;
  }

  ReflectedLinks reflectedAt(std::uint32_t slot, int local) {
    ReflectedLinks at{static_cast<std::uint32_t>(nextReflected_), 0};
    for (; nextReflected_ < ownLinks(walls_); ++nextReflected_) {
      const WallLink& link = walls_.links[nextReflected_];
      if (link.slot != slot || link.local != local) break;
      if (at.directions >> link.direction != 0) refuseOrder();
      at.directions |= std::uint32_t{1} << link.direction;
    }
    return at;
  }

  // Links of one label; where another label's are between them in Walls::links, one entry each.
  static void addLinks(std::uint32_t slot, int local, std::uint32_t links, const ReflectedLinks& at,
                       std::vector<WallForceNode>& nodes) {
    const std::uint32_t reflected = links & at.directions;
    WallForceNode node{slot, links & ~reflected, 0, 0, static_cast<std::uint8_t>(local), {}};
    std::uint32_t index = at.first;
    for (std::uint32_t rest = at.directions; rest != 0; rest &= rest - 1, ++index) {
      const std::uint32_t link = rest & (~rest + 1);
      if ((reflected & link) == 0) continue;
      const auto count = static_cast<std::uint32_t>(std::popcount(node.reflected));
      if (node.reflected != 0 && node.first + count != index) {
        nodes.push_back(node);
        node.links = node.reflected = 0;
      }
      if (node.reflected == 0) node.first = index;
      node.links |= link;
      node.reflected |= link;
    }
    nodes.push_back(node);
  }

  bool addMirror(std::size_t t, int local, int i, preprocess::geometry::Patch label) {
    const auto from = input_.planes.partner(t, local, i);
    if (!from) return false;
    WallForceMirror link{order_.slotOfTile[t],
                         from->slot,
                         static_cast<std::uint8_t>(local),
                         static_cast<std::uint8_t>(i),
                         from->local,
                         from->direction,
                         {},
                         0};
    const auto& c = info_.velocities[static_cast<std::size_t>(i)];
    for (std::size_t a = 0; a < 3; ++a) link.c[a] = static_cast<std::int8_t>(c[a]);
    mirrors[label].push_back(link);
    return true;
  }

  // Force of pressure 1: c_i (f_i + f_o) with f = 3 w_i.
  void addArea(std::size_t t, int local, std::size_t i, preprocess::geometry::Patch label) {
    const Int3 node = geometry_.nodeOf(t, local);
    const auto& c = info_.velocities[i];
    double at[3], force[3], torque[3] = {0.0, 0.0, 0.0};
    for (std::size_t a = 0; a < 3; ++a) {
      at[a] = node[a];
      force[a] = 6.0 * info_.weights[i] * c[a];
    }
    WallForceView view{};
    std::copy(input_.about.begin(), input_.about.end(), view.about);
    addForceAt(view, at, force, torque, area[label]);
  }

  const LinksOfCase& input_;
  const tiler::TiledGeometry& geometry_;
  const tiles::TileOrder& order_;
  const Walls& walls_;
  const model::LatticeInfo& info_;
  std::uint64_t nextReflected_;  // in Walls::links
  std::vector<LinksOfLabel> ofNode_;
};

class ForcePlanner {
 public:
  ForcePlanner(const tiles::TileOrder& order, const tiler::TiledGeometry& geometry,
               const WallForceInput& input, const model::LatticeInfo& info)
      : links_{order,
               geometry,
               input.walls,
               info,
               {order, geometry, symmetryLabels(input.conditions, geometry), info},
               geometry.frame.toLattice(input.torqueAbout)},
        nodes_(geometry.wallNames.size()),
        mirrors_(geometry.wallNames.size()),
        area_(geometry.wallNames.size(), WallForceSum{}) {
    plan_.about = links_.about;
    for (std::size_t k = 0; k < nodes_.size(); ++k)
      plan_.motions.push_back(k < input.conditions.size()
                                  ? motionOf(input.conditions[k], geometry.frame, input.scales)
                                  : WallMotion{});
  }

  WallForces plan(comm::Ranks& ranks, bool reflects) {
    plan_.corners.resize(links_.order.tiles);
    const std::vector<std::uint64_t> starts = startsOfBlocks();
    std::vector<ForceBlock> blocks;
    for (std::size_t b = 0; b + 1 < starts.size(); ++b) blocks.emplace_back(links_, starts[b]);
    const auto planBlock = [&](std::size_t b, std::size_t first, std::size_t end) {
      for (std::size_t t = first; t < end; ++t)
        if (links_.order.slotOfTile[t] < links_.order.tiles) addTile(t, blocks[b]);
      if (blocks[b].nextReflected() != starts[b + 1]) refuseOrder();
    };
    stage::parallelBlocks(links_.geometry.tiles(), tilesOfForceBlock, planBlock);
    for (ForceBlock& block : blocks) join(block);
    addChunks();
    addArea(ranks);
    plan_.reflected = comm::largestOf(ranks, reflects ? 1.0 : 0.0) > 0.0;
    return std::move(plan_);
  }

 private:
  // The first link in Walls::links of each block of tiles; then the end of own ones.
  [[nodiscard]] std::vector<std::uint64_t> startsOfBlocks() const {
    std::vector<std::uint64_t> starts;
    std::uint64_t link = 0;
    for (std::size_t t = 0; t < links_.geometry.tiles(); ++t) {
      if (t % tilesOfForceBlock == 0) starts.push_back(link);
      while (link < ownLinks(links_.walls) &&
             links_.walls.links[link].slot == links_.order.slotOfTile[t])
        ++link;
    }
    if (link != ownLinks(links_.walls)) refuseOrder();
    starts.push_back(link);
    return starts;
  }

  void addTile(std::size_t t, ForceBlock& block) {
    const Int3 corner = links_.geometry.nodeOf(t, 0);
    plan_.corners[links_.order.slotOfTile[t]] = {corner[0], corner[1], corner[2]};
    block.addTile(t);
  }

  template <class Entry>
  static void append(std::vector<Entry>& from, std::vector<Entry>& to) {
    to.insert(to.end(), from.begin(), from.end());
    from = {};
  }
  // The entries of a block follow those of the blocks before.
  void join(ForceBlock& block) {
    for (std::size_t label = 0; label < area_.size(); ++label) {
      append(block.nodes[label], nodes_[label]);
      append(block.mirrors[label], mirrors_[label]);
      area_[label].add(block.area[label]);
    }
  }

  void addArea(comm::Ranks& ranks) {
    static_assert(sizeof(WallForceSum) == 18 * sizeof(std::int64_t));
    if (!area_.empty()) ranks.sum({&area_[0].force[0].part[0], 18 * area_.size()});
    plan_.areas = forcesOf(area_);
  }

  template <class Entry>
  void addChunks(std::vector<std::vector<Entry>>& byLabel, bool mirrored, std::vector<Entry>& all) {
    std::size_t count = 0;
    for (const auto& entries : byLabel) count += entries.size();
    const std::size_t most = std::max(fewestInChunk, (count + mostChunks - 1) / mostChunks);
    all.reserve(count);
    for (std::size_t label = 0; label < byLabel.size(); ++label) {
      std::vector<Entry> entries = std::move(byLabel[label]);
      for (std::size_t done = 0; done < entries.size(); done += most)
        plan_.chunks.push_back({static_cast<std::uint32_t>(all.size() + done),
                                static_cast<std::uint32_t>(std::min(most, entries.size() - done)),
                                static_cast<std::uint16_t>(label),
                                static_cast<std::uint16_t>(mirrored ? 1 : 0)});
      all.insert(all.end(), entries.begin(), entries.end());
    }
  }
  void addChunks() {
    addChunks(nodes_, false, plan_.nodes);
    addChunks(mirrors_, true, plan_.mirrors);
  }

  LinksOfCase links_;
  std::vector<std::vector<WallForceNode>> nodes_;      // by label
  std::vector<std::vector<WallForceMirror>> mirrors_;  // by label
  std::vector<WallForceSum> area_;                     // by label
  WallForces plan_;
};

}  // namespace

WallForces planWallForces(const tiles::TileOrder& order, const tiler::TiledGeometry& geometry,
                          const WallForceInput& input, const model::LatticeInfo& info,
                          comm::Ranks& ranks) {
  return ForcePlanner(order, geometry, input, info).plan(ranks, !input.walls.links.empty());
}

std::vector<LatticeForce> forcesOf(std::span<const WallForceSum> sums) {
  std::vector<LatticeForce> forces;
  for (const WallForceSum& sum : sums)
    forces.push_back({valuesOf(sum.force), valuesOf(sum.torque)});
  return forces;
}

std::vector<ForceOnWall> inSiUnits(std::span<const LatticeForce> areas,
                                   std::span<const LatticeForce> sums, int steps,
                                   const preprocess::geometry::Frame& frame,
                                   const model::Scales& scales, double reference) {
  std::vector<ForceOnWall> forces;
  const double area = scales.spacing * scales.spacing;
  const double unit = scales.pressure() * area / steps;
  const double handed = determinant(frame);
  for (std::size_t k = 0; k < areas.size(); ++k) {
    const Double3 force = unit * Double3(sums[k].force) + (reference * area) * areas[k].force;
    const Double3 torque = unit * Double3(sums[k].torque) + (reference * area) * areas[k].torque;
    forces.push_back({frame.directionToWorld(force),
                      (handed * scales.spacing) * frame.directionToWorld(torque)});
  }
  return forces;
}

}  // namespace tessera::solver::boundary
