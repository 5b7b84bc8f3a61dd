// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/domain/opening_surroundings.hpp"

#include <unordered_map>

#include "pipelines/stage/error.hpp"
#include "solver/model/populations.hpp"

namespace tessera::solver::domain {

namespace {

using boundary::OpeningNodeLocation;

// Nodes without repetition, in the order in which they were added.
class NodeList {
 public:
  static std::uint32_t placeOf(const OpeningNodeLocation& node) {
    return node.slot * 64U + node.local;
  }
  // Its index in the list.
  std::size_t add(const OpeningNodeLocation& node) {
    const auto [found, added] = indexOf_.emplace(placeOf(node), nodes.size());
    if (added) nodes.push_back(node);
    return found->second;
  }
  [[nodiscard]] std::size_t indexOf(std::uint32_t place) const { return indexOf_.at(place); }

  std::vector<OpeningNodeLocation> nodes;

 private:
  std::unordered_map<std::uint32_t, std::size_t> indexOf_;
};

class Neighbours {
 public:
  explicit Neighbours(const Domain& domain) : domain_(domain) {}

  // The node at a displacement of up to one node along each axis. A tile that has no neighbour
  // stands in its place.
  [[nodiscard]] OpeningNodeLocation at(const OpeningNodeLocation& node,
                                       const std::array<int, 3>& step) const {
    const int x = (node.local & 3) + step[0];
    const int y = (node.local >> 2 & 3) + step[1];
    const int z = (node.local >> 4) + step[2];
    const int n = 13 + (x >> 2) + 3 * (y >> 2) + 9 * (z >> 2);
    return {static_cast<std::uint32_t>(entry(node.slot, n)),
            static_cast<std::uint8_t>((x & 3) + 4 * (y & 3) + 16 * (z & 3)), 0, 0, 0};
  }
  [[nodiscard]] bool isFluid(const OpeningNodeLocation& node) const {
    return node.slot < domain_.tiles && (mask(node) >> model::solidBit & 1U) == 0;
  }
  // Whether what would arrive along c comes from a wall.
  [[nodiscard]] bool fromWall(const OpeningNodeLocation& node, const std::array<int, 3>& c) const {
    return (mask(node) >> (model::solidBit - c[0] - 3 * c[1] - 9 * c[2]) & 1U) != 0;
  }

 private:
  [[nodiscard]] std::int32_t entry(std::uint32_t slot, int n) const {
    return domain_.neighbourTable[static_cast<std::size_t>(slot) * model::neighbourStride +
                                  static_cast<std::size_t>(n)];
  }
  [[nodiscard]] std::uint32_t mask(const OpeningNodeLocation& node) const {
    const std::int32_t masks = entry(node.slot, model::maskEntry);
    return masks < 0 ? 0 : domain_.masks[static_cast<std::size_t>(masks) * 64 + node.local];
  }

  const Domain& domain_;
};

// Adds the fluid nodes next to the first `count` nodes of a list.
void addNeighbours(const Neighbours& neighbours, std::span<const std::array<int, 3>> velocities,
                   std::size_t count, NodeList& list) {
  for (std::size_t k = 0; k < count; ++k)
    for (const auto& c : velocities) {
      const OpeningNodeLocation near = neighbours.at(list.nodes[k], c);
      if (neighbours.isFluid(near)) list.add(near);
    }
}

}  // namespace

OpeningSurroundings openingSurroundings(const Domain& domain,
                                        std::span<const std::array<int, 3>> velocities,
                                        const boundary::MomentOpenings& openings, bool twice) {
  if (openings.stepped != 0 && domain.slots > (std::uint32_t{1} << 26U))
    stage::fail(
        stage::ExitCode::NoResource,
        "moments with openings have room for 67,108,864 tiles on a device; use more devices");
  const Neighbours neighbours(domain);
  OpeningSurroundings out;
  NodeList list;
  for (std::size_t k = 0; k < openings.stepped; ++k) list.add(openings.nodes[k]);
  if (twice) {
    addNeighbours(neighbours, velocities, openings.stepped, list);
    out.again = list.nodes.size();
    addNeighbours(neighbours, velocities, out.again, list);
    // Conditions of the second step read nodes of the stencils after the first.
    for (std::size_t k = 0; k < openings.nodes.size(); ++k) {
      const std::size_t index = list.add(openings.nodes[k]);
      out.openingOf.resize(list.nodes.size(), -1);
      out.openingOf[index] = static_cast<std::int32_t>(k);
    }
  }
  for (std::size_t i = 1; i < velocities.size(); ++i) {
    const std::array<int, 3>& c = velocities[i];
    for (std::size_t k = 0; k < list.nodes.size(); ++k) {
      const OpeningNodeLocation& node = list.nodes[k];
      const bool stays = (node.incoming >> i & 1U) != 0 || neighbours.fromWall(node, c);
      const std::uint32_t source =
          NodeList::placeOf(stays ? node : neighbours.at(node, {-c[0], -c[1], -c[2]}));
      out.sources.push_back(source);
      if (k < out.again)
        out.sourcesAgain.push_back(static_cast<std::uint32_t>(list.indexOf(source)));
    }
  }
  out.nodes = std::move(list.nodes);
  return out;
}

}  // namespace tessera::solver::domain
