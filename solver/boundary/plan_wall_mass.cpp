// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/boundary/plan_wall_mass.hpp"

#include <algorithm>

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
        numberAt_(geometry.tiles() * tiler::tileNodes, noWallNode),
        indexOf_(own.nodes.size() + near.nodes.size(), noWallNode) {
    for (std::uint32_t k = 0; k < indexOf_.size(); ++k) {
      const PlannedWallNode& at = node(k);
      numberAt_[std::size_t{at.tile} * tiler::tileNodes + at.node.local] = k;
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
    for (std::size_t n = mass.within.back(); n < mass.nodes.size(); ++n)
      mass.nodes[n].nears = static_cast<std::uint8_t>(neighbours(numbers_[n]).size());
  }

 private:
  [[nodiscard]] const PlannedWallNode& node(std::uint32_t number) const {
    const std::size_t own = own_.nodes.size();
    return number < own ? own_.nodes[number] : near_.nodes[number - own];
  }

  // The node itself, then by lattice direction.
  [[nodiscard]] std::vector<std::uint32_t> neighbours(std::uint32_t number) const {
    const PlannedWallNode& from = node(number);
    std::vector<std::uint32_t> all{number};
    for (std::size_t i = 1; from.shares && i < info_.velocities.size(); ++i) {
      const auto& c = info_.velocities[i];
      if ((from.mask >> preprocess::geometry::directionOf(c[0], c[1], c[2]) & 1U) != 0) continue;
      const NodeInTile to = nodeBeside(geometry_, from.tile, from.node.local, {c[0], c[1], c[2]});
      if (to.tile < 0 || (!acrossTiles_ && to.tile != static_cast<std::int32_t>(from.tile)))
        continue;
      const std::uint32_t other = numberAt_[static_cast<std::size_t>(to.tile) * tiler::tileNodes +
                                            static_cast<std::size_t>(to.local)];
      if (other != noWallNode && node(other).shares) all.push_back(other);
    }
    return all;
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
      walls.push.push_back(near_.walls.push[k]);
      if (!near_.walls.depths.empty()) walls.depths.push_back(near_.walls.depths[k]);
    }
    return first;
  }

  void addNear(std::uint32_t first, std::uint32_t end) {
    WallMass& mass = own_.walls.mass;
    for (std::uint32_t n = first; n < end; ++n) {
      const std::vector<std::uint32_t> all = neighbours(numbers_[n]);
      mass.nodes[n].firstNear = static_cast<std::uint32_t>(mass.near.size());
      mass.nodes[n].nears = static_cast<std::uint8_t>(all.size());
      for (const std::uint32_t number : all) mass.near.push_back(take(number));
    }
  }

  const tiler::TiledGeometry& geometry_;
  const model::LatticeInfo& info_;
  const WallPart& near_;
  WallPart& own_;
  bool acrossTiles_;
  std::vector<std::uint32_t> numberAt_;  // by node of the geometry
  std::vector<std::uint32_t> indexOf_;   // in WallMass::nodes, by number
  std::vector<std::uint32_t> numbers_;   // by index
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
