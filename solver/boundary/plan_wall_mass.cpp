// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/boundary/plan_wall_mass.hpp"

#include <algorithm>
#include <bit>

#include "pipelines/stage/system/large_array.hpp"
#include "pipelines/stage/system/parallel_for.hpp"
#include "preprocess/geometry/neighbourhood.hpp"

namespace tessera::solver::boundary {

NodeInTile nodeBeside(const tiler::TiledGeometry& geometry, std::size_t tile, int local,
                      const Int3& step) {
  Int3 node = geometry.nodeOf(tile, local);
  for (std::size_t a = 0; a < 3; ++a) {
    node[a] += step[a];
    if (geometry.periodic[a]) node[a] = (node[a] + geometry.nodes[a]) % geometry.nodes[a];
    if (node[a] < 0 || node[a] >= geometry.nodes[a]) return {};
  }
  const tiler::TilePlace place = geometry.placeOf(node);
  return {geometry.tileAt(place.tile[0], place.tile[1], place.tile[2]), place.local};
}

namespace {

constexpr std::uint32_t noWallNode = 0xffffffff;
constexpr std::size_t nodesOfBlock = 2048;  // whose neighbours one thread finds
static_assert(tiler::tileNodes == 64);      // bits of NodesOfTile

// Numbers nodes of own and near together, own ones first.
class MassPlanner {
 public:
  MassPlanner(const tiler::TiledGeometry& geometry, const model::LatticeInfo& info,
              const WallPart& near, bool acrossTiles, WallPart& own)
      : geometry_(geometry),
        info_(info),
        near_(near),
        own_(own),
        acrossTiles_(acrossTiles),
        inTile_(geometry.tiles()),
        indexOf_(own.nodes.size() + near.nodes.size(), noWallNode) {
    for (std::uint32_t k = 0; k < indexOf_.size(); ++k) {
      const PlannedWallNode& at = node(k);
      NodesOfTile& tile = inTile_[at.tile];
      if (tile.nodes == 0) tile.first = k;
      tile.nodes |= std::uint64_t{1} << at.node.local;
    }
  }

  void plan() {
    WallMass& mass = own_.walls.mass;
    mass.ownLinks = own_.walls.links.size();
    for (std::uint32_t k = 0; k < own_.nodes.size(); ++k) take(k);
    mass.within.push_back(static_cast<std::uint32_t>(mass.nodes.size()));
    addNear(0, mass.own());
    for (int k = 1; k < timesShared(geometry_.dimensions); ++k) {
      mass.within.push_back(static_cast<std::uint32_t>(mass.nodes.size()));
      addNear(mass.within.end()[-2], mass.within.back());
    }
    std::size_t n = mass.within.back();
    for (const NearOfBlock& block : neighbours(n, mass.nodes.size()))
      for (const std::uint8_t count : block.counts) mass.nodes[n++].nears = count;
  }

 private:
  // Wall nodes of a tile, a bit each; their numbers follow each other.
  struct NodesOfTile {
    std::uint64_t nodes = 0;
    std::uint32_t first = 0;
  };
  // Neighbours of nodes that follow each other, and how many each has.
  struct NearOfBlock {
    std::vector<std::uint32_t> numbers;
    std::vector<std::uint8_t> counts;
  };

  [[nodiscard]] const PlannedWallNode& node(std::uint32_t number) const {
    const std::size_t own = own_.nodes.size();
    return number < own ? own_.nodes[number] : near_.nodes[number - own];
  }

  // The node itself, then by lattice direction.
  void addNeighbours(std::uint32_t number, std::vector<std::uint32_t>& all) const {
    const PlannedWallNode& from = node(number);
    all.push_back(number);
    for (std::size_t i = 1; from.shares && i < info_.velocities.size(); ++i) {
      const auto& c = info_.velocities[i];
      if ((from.mask >> preprocess::geometry::directionOf(c[0], c[1], c[2]) & 1U) != 0) continue;
      const NodeInTile to = nodeBeside(geometry_, from.tile, from.node.local, {c[0], c[1], c[2]});
      if (to.tile < 0 || (!acrossTiles_ && to.tile != static_cast<std::int32_t>(from.tile)))
        continue;
      const std::uint32_t other = numberOf(to);
      if (other != noWallNode && node(other).shares) all.push_back(other);
    }
  }

  [[nodiscard]] std::uint32_t numberOf(const NodeInTile& at) const {
    const NodesOfTile& tile = inTile_[static_cast<std::size_t>(at.tile)];
    const std::uint64_t bit = std::uint64_t{1} << at.local;
    if ((tile.nodes & bit) == 0) return noWallNode;
    return tile.first + static_cast<std::uint32_t>(std::popcount(tile.nodes & (bit - 1)));
  }

  // Neighbours of the nodes at indices from first to before end.
  [[nodiscard]] std::vector<NearOfBlock> neighbours(std::size_t first, std::size_t end) const {
    std::vector<NearOfBlock> blocks(stage::blocksOf(end - first, nodesOfBlock));
    stage::parallelBlocks(
        end - first, nodesOfBlock, [&](std::size_t b, std::size_t from, std::size_t to) {
          NearOfBlock& block = blocks[b];
          for (std::size_t n = from; n < to; ++n) {
            const std::size_t before = block.numbers.size();
            addNeighbours(numbers_[first + n], block.numbers);
            block.counts.push_back(static_cast<std::uint8_t>(block.numbers.size() - before));
          }
        });
    return blocks;
  }

  // Index in WallMass::nodes; appends the node, and the links of one of another rank, when new.
  std::uint32_t take(std::uint32_t number) {
    if (indexOf_[number] != noWallNode) return indexOf_[number];
    WallMass& mass = own_.walls.mass;
    const PlannedWallNode& planned = node(number);
    WallNode added = planned.node;
    if (number >= own_.nodes.size()) added.firstLink = takeLinks(planned.node);
    indexOf_[number] = static_cast<std::uint32_t>(mass.nodes.size());
    mass.nodes.push_back(added);
    mass.expected.push_back(planned.expected);
    numbers_.push_back(number);
    return indexOf_[number];
  }

  std::uint32_t takeLinks(const WallNode& of) {
    Walls& walls = own_.walls;
    const auto first = static_cast<std::uint32_t>(walls.links.size());
    for (std::uint32_t k = of.firstLink; k < of.firstLink + of.links; ++k) {
      walls.links.push_back(near_.walls.links[k]);
      if (!near_.walls.push.empty()) walls.push.push_back(near_.walls.push[k]);
      if (!near_.walls.farSlots.empty()) walls.farSlots.push_back(near_.walls.farSlots[k]);
    }
    return first;
  }

  void addNear(std::uint32_t first, std::uint32_t end) {
    WallMass& mass = own_.walls.mass;
    const std::vector<NearOfBlock> blocks = neighbours(first, end);
    if (mass.near.empty()) {
      std::size_t nears = 0;
      for (const NearOfBlock& block : blocks) nears += block.numbers.size();
      stage::reserveLarge(mass.near, nears);
    }
    std::uint32_t n = first;
    for (const NearOfBlock& block : blocks) {
      auto number = block.numbers.begin();
      for (const std::uint8_t count : block.counts) {
        mass.nodes[n].firstNear = static_cast<std::uint32_t>(mass.near.size());
        mass.nodes[n++].nears = count;
        for (int k = 0; k < count; ++k) mass.near.push_back(take(*number++));
      }
    }
  }

  const tiler::TiledGeometry& geometry_;
  const model::LatticeInfo& info_;
  const WallPart& near_;
  WallPart& own_;
  bool acrossTiles_;
  std::vector<NodesOfTile> inTile_;
  std::vector<std::uint32_t> indexOf_;  // in WallMass::nodes, by number
  std::vector<std::uint32_t> numbers_;  // by index
};

}  // namespace

void planWallMass(const tiler::TiledGeometry& geometry, const model::LatticeInfo& info,
                  const WallPart& near, bool acrossTiles, WallPart& own) {
  if (own.nodes.empty()) return;
  MassPlanner(geometry, info, near, acrossTiles, own).plan();
  std::vector<double>& expected = own.walls.mass.expected;
  if (std::all_of(expected.begin(), expected.end(), [](double each) { return each == 0.0; }))
    expected.clear();
}

}  // namespace tessera::solver::boundary
