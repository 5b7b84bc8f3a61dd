// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/domain/separate_nodes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <utility>

#include "pipelines/stage/error.hpp"
#include "solver/model/populations.hpp"

namespace tessera::solver::domain {

namespace {

using Bits = std::vector<std::uint64_t>;

// Part of a tile's nodes that a shift moves to the neighbour of an index.
struct ShiftedPart {
  int neighbour;
  std::uint64_t bits;
};

// The nodes of a tile by one step along an axis: those that stay and those that leave.
void shiftAlong(int axis, int step, std::vector<ShiftedPart>& parts) {
  constexpr std::array<std::uint64_t, 3> first{0x1111111111111111U, 0x000f000f000f000fU, 0xffffU};
  constexpr std::array<int, 3> stride{1, 4, 16};
  constexpr std::array<int, 3> ofNeighbour{1, 3, 9};
  const auto a = static_cast<std::size_t>(axis);
  const std::uint64_t edge = step > 0 ? first[a] << (3 * stride[a]) : first[a];
  const std::size_t count = parts.size();
  for (std::size_t k = 0; k < count; ++k) {
    const ShiftedPart part = parts[k];
    const std::uint64_t leave = part.bits & edge;
    const std::uint64_t stay = part.bits & ~edge;
    parts[k].bits = step > 0 ? stay << stride[a] : stay >> stride[a];
    if (leave != 0)
      parts.push_back({part.neighbour + step * ofNeighbour[a],
                       step > 0 ? leave >> (3 * stride[a]) : leave << (3 * stride[a])});
  }
}

class Growth {
 public:
  explicit Growth(const Domain& domain) : domain_(domain), fluid_(domain.tiles, ~std::uint64_t{0}) {
    for (std::uint32_t slot = 0; slot < domain.tiles; ++slot) {
      const std::int32_t masks = entry(slot, model::maskEntry);
      if (masks < 0) continue;
      for (std::size_t local = 0; local < 64; ++local)
        if ((domain.masks[static_cast<std::size_t>(masks) * 64 + local] >> model::solidBit & 1U) !=
            0)
          fluid_[slot] &= ~(std::uint64_t{1} << local);
    }
  }

  // With the fluid nodes one link away. A link that ends on a wall counts as well, as does one to a
  // tile that is not there, for which the tile itself stands.
  [[nodiscard]] Bits grown(const Bits& bits) const {
    Bits out = bits;
    std::vector<ShiftedPart> parts;
    for (std::uint32_t slot = 0; slot < domain_.tiles; ++slot) {
      if (bits[slot] == 0) continue;
      for (const auto& c : model::D3Q19::c) {
        parts.assign(1, {13, bits[slot]});
        for (int axis = 0; axis < 3; ++axis)
          if (c[static_cast<std::size_t>(axis)] != 0)
            shiftAlong(axis, c[static_cast<std::size_t>(axis)], parts);
        for (const ShiftedPart& part : parts) {
          const auto to = static_cast<std::uint32_t>(entry(slot, part.neighbour));
          if (to < domain_.tiles) out[to] |= part.bits & fluid_[to];
        }
      }
    }
    return out;
  }

 private:
  [[nodiscard]] std::int32_t entry(std::uint32_t slot, int n) const {
    return domain_
        .neighbourTable[std::size_t{slot} * model::neighbourStride + static_cast<std::size_t>(n)];
  }

  const Domain& domain_;
  Bits fluid_;
};

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

SeparateNodes separateNodes(const Domain& domain, const boundary::MomentOpenings& openings,
                            const boundary::MomentWalls& walls, bool twice) {
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
  Bits known = bits;
  for (const boundary::OpeningNodeLocation& node : openings.nodes)
    add(node.slot, node.local, known);
  if (twice && out.atBoundaries.size() != 0) {
    const Growth growth(domain);
    bits = growth.grown(bits);
    Bits all = growth.grown(bits);
    out.again = NodeSet(std::move(bits));
    // Conditions of the second step read nodes of the stencils after the first.
    for (std::size_t slot = 0; slot < all.size(); ++slot) all[slot] |= known[slot];
    out.all = NodeSet(std::move(all));
  }
  out.known = NodeSet(std::move(known));
  out.nodes = nodesOf(out.known, openings, walls);
  return out;
}

}  // namespace tessera::solver::domain
