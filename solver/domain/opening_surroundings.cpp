// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/domain/opening_surroundings.hpp"

#include <unordered_map>

#include "solver/model/populations.hpp"

namespace tessera::solver::domain {

namespace {

using boundary::OpeningNodeLocation;

// Nodes without repetition, in the order in which they were added.
class NodeList {
 public:
  // Its index in the list.
  std::size_t add(const OpeningNodeLocation& node) {
    const auto [found, added] =
        indexOf_.emplace(std::uint64_t{node.slot} * 64U + node.local, nodes.size());
    if (added) nodes.push_back(node);
    return found->second;
  }
  std::vector<OpeningNodeLocation> nodes;

 private:
  std::unordered_map<std::uint64_t, std::size_t> indexOf_;
};

class Surroundings {
 public:
  Surroundings(const Domain& domain, std::span<const std::array<int, 3>> velocities)
      : domain_(domain), velocities_(velocities) {}

  // Adds the fluid nodes that the first `count` nodes of the list are next to. A tile that has no
  // neighbour stands in its place, which at most adds nodes of the tile itself.
  void addNeighbours(NodeList& list, std::size_t count) const {
    for (std::size_t k = 0; k < count; ++k) {
      const OpeningNodeLocation node = list.nodes[k];
      for (const auto& c : velocities_) {
        const int x = (node.local & 3) + c[0];
        const int y = (node.local >> 2 & 3) + c[1];
        const int z = (node.local >> 4) + c[2];
        const int n = 13 + (x >> 2) + 3 * (y >> 2) + 9 * (z >> 2);
        const auto slot = static_cast<std::uint32_t>(entry(node.slot, n));
        const auto local = static_cast<std::uint8_t>((x & 3) + 4 * (y & 3) + 16 * (z & 3));
        if (slot < domain_.tiles && !isSolid(slot, local)) list.add({slot, local, 0, 0, 0});
      }
    }
  }
  [[nodiscard]] std::int32_t entry(std::uint32_t slot, int n) const {
    return domain_.neighbourTable[static_cast<std::size_t>(slot) * model::neighbourStride +
                                  static_cast<std::size_t>(n)];
  }

 private:
  [[nodiscard]] bool isSolid(std::uint32_t slot, std::uint8_t local) const {
    const std::int32_t masks = entry(slot, model::maskEntry);
    return masks >= 0 &&
           (domain_.masks[static_cast<std::size_t>(masks) * 64 + local] >> model::solidBit & 1U) !=
               0;
  }

  const Domain& domain_;
  std::span<const std::array<int, 3>> velocities_;
};

// Tiles of the scratch state, by their slots in the domain.
class ScratchTiles {
 public:
  OpeningNodeLocation moved(OpeningNodeLocation node) {
    node.slot = of_.emplace(node.slot, static_cast<std::uint32_t>(of_.size())).first->second;
    return node;
  }
  [[nodiscard]] std::vector<std::int32_t> neighbourTable(const Surroundings& around) const {
    std::vector<std::int32_t> table(of_.size() * model::neighbourStride);
    for (const auto& [slot, scratch] : of_) {
      std::int32_t* row = &table[std::size_t{scratch} * model::neighbourStride];
      for (int n = 0; n < model::maskEntry; ++n) {
        const auto found = of_.find(static_cast<std::uint32_t>(around.entry(slot, n)));
        row[n] = static_cast<std::int32_t>(found == of_.end() ? scratch : found->second);
      }
      row[model::maskEntry] = around.entry(slot, model::maskEntry);
    }
    return table;
  }

 private:
  std::unordered_map<std::uint32_t, std::uint32_t> of_;
};

}  // namespace

OpeningSurroundings openingSurroundings(const Domain& domain,
                                        std::span<const std::array<int, 3>> velocities,
                                        const boundary::MomentOpenings& openings) {
  const Surroundings around(domain, velocities);
  NodeList list;
  for (std::size_t k = 0; k < openings.stepped; ++k) list.add(openings.nodes[k]);
  around.addNeighbours(list, openings.stepped);
  OpeningSurroundings out;
  out.again = list.nodes.size();
  around.addNeighbours(list, out.again);
  // Conditions of the second step read nodes of the stencils after the first.
  for (std::size_t k = 0; k < openings.nodes.size(); ++k) {
    const std::size_t index = list.add(openings.nodes[k]);
    out.openingOf.resize(list.nodes.size(), -1);
    out.openingOf[index] = static_cast<std::int32_t>(k);
  }
  out.nodes = std::move(list.nodes);
  ScratchTiles tiles;
  for (const OpeningNodeLocation& node : out.nodes) out.scratchNodes.push_back(tiles.moved(node));
  out.neighbourTable = tiles.neighbourTable(around);
  return out;
}

}  // namespace tessera::solver::domain
