// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/boundary/moment_walls.hpp"

#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace tessera::solver::boundary {

namespace {

// Runs of links of the same node.
std::vector<WallNode> nodesOf(std::span<const WallLink> links) {
  std::vector<WallNode> nodes;
  for (std::uint32_t k = 0; k < links.size(); ++k) {
    if (nodes.empty() || nodes.back().slot != links[k].slot || nodes.back().local != links[k].local)
      nodes.push_back({links[k].slot, k, 0, links[k].local, 0, 0, 0});
    ++nodes.back().links;
  }
  return nodes;
}

}  // namespace

MomentWalls takeWalls(Walls walls, const MomentOpenings& openings) {
  if (walls.remembers || !walls.mirrored.empty())
    throw std::logic_error("walls of a state of moments neither remember nor mirror");
  std::unordered_map<std::uint32_t, std::uint32_t> openingAt;  // by place
  for (std::uint32_t k = 0; k < openings.stepped; ++k)
    openingAt.emplace(placeOf(openings.nodes[k].slot, openings.nodes[k].local), k);
  MomentWalls out;
  out.links.reserve(walls.links.size());
  for (std::size_t k = 0; k < walls.links.size(); ++k) {
    const WallLink& link = walls.links[k];
    MomentWallLink taken{placeOf(link.slot, link.local),
                         placeOf(link.fromSlot, link.fromLocal),
                         0,
                         link.distance,
                         link.direction,
                         static_cast<std::uint8_t>(link.pair & 3U),
                         0,
                         0};
    const auto opening = openingAt.find(taken.node);
    if (opening != openingAt.end() &&
        (openings.nodes[opening->second].incoming >> link.direction & 1U) != 0) {
      taken.arrival = static_cast<std::uint8_t>(ArrivalAtLink::ThroughOpening);
      taken.behind = opening->second;
    }
    if (!walls.farSlots.empty() && walls.farSlots[k] != notDeep) {
      taken.deep = 1;
      taken.far = placeOf(walls.farSlots[k], link.farLocal);
    }
    out.links.push_back(taken);
  }
  out.push = std::move(walls.push);
  out.mass = std::move(walls.mass);
  const bool corrected = !out.mass.nodes.empty();
  out.own = corrected ? out.mass.own() : 0;
  out.nodes = corrected ? std::exchange(out.mass.nodes, {}) : nodesOf(walls.links);
  if (!corrected) out.own = static_cast<std::uint32_t>(out.nodes.size());
  return out;
}

}  // namespace tessera::solver::boundary
