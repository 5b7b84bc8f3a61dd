// SPDX-License-Identifier: GPL-3.0-or-later
// Nodes of a state of moments that are stepped separately from their tiles, whose step knows
// halfway walls at rest and no openings: the nodes at openings and at other walls and, for two
// steps in a pass, those around them. After the first step of the tiles the former are wrong, after
// the second also the nodes that gather from these. Both make the first step with all nodes that
// they gather from, and the second from there. Between the two steps ranks exchange the moments of
// such nodes at their borders.
#pragma once

#include <cstdint>
#include <vector>

#include "solver/boundary/moment_openings.hpp"
#include "solver/boundary/moment_walls.hpp"
#include "solver/domain/domain.hpp"

namespace tessera::solver::domain {

// A set of nodes of the tiles of a domain (boundary::NodeSetView).
class NodeSet {
 public:
  NodeSet() = default;
  explicit NodeSet(std::vector<std::uint64_t> bits);

  [[nodiscard]] const std::vector<std::uint64_t>& bits() const { return bits_; }
  [[nodiscard]] const std::vector<std::uint32_t>& earlier() const { return earlier_; }
  [[nodiscard]] std::uint32_t size() const { return size_; }
  // Its nodes in slots before this one.
  [[nodiscard]] std::uint32_t before(std::size_t slot) const {
    return slot < earlier_.size() ? earlier_[slot] : size_;
  }
  // Places of its nodes, in their order.
  [[nodiscard]] std::vector<std::uint32_t> places() const;
  [[nodiscard]] boundary::NodeSetView view() const { return {bits_.data(), earlier_.data()}; }

 private:
  std::vector<std::uint64_t> bits_;
  std::vector<std::uint32_t> earlier_;
  std::uint32_t size_ = 0;
};

struct SeparateNodes {
  NodeSet known;                              // at openings, of their stencils, at walls
  std::vector<boundary::SeparateNode> nodes;  // of `known`
  NodeSet atBoundaries;                       // at openings or walls: make every step
  // For two steps in a pass, else empty.
  NodeSet again;  // own nodes at boundaries or that gather from any: make the second step
  NodeSet all;    // with those that they gather from: make the first step
  // Own nodes come first in `all`. The rest are of other ranks, whose moments after the first step
  // are exchanged: indices into the list of `all`, 64 nodes to a tile.
  std::uint32_t ownOfAll = 0;
  HaloPlan between;
};

struct SeparateCounts {
  double atBoundaries = 0.0;  // nodes at openings and walls
  double fluid = 0.0;         // nodes
  double tiles = 0.0;
  bool twice = false;    // passes of two steps are tried
  bool inPlace = false;  // results wait for the end of the tiles' step
};
// Bytes of their records, sets and moments, of bytesPerNode each. Nodes around those at boundaries
// are estimated from smooth walls.
double separateNodeBytes(const SeparateCounts& counts, double bytesPerNode);

// words: stored for a node where passes may make two steps, otherwise 0; with two steps no copies
// across periodic faces, the lattice D3Q19, and, on several ranks, collective. Throws
// StageError(NoResource) where places do not fit 32 bits.
SeparateNodes separateNodes(const Domain& domain, const boundary::MomentOpenings& openings,
                            const boundary::MomentWalls& walls, unsigned words);

}  // namespace tessera::solver::domain
