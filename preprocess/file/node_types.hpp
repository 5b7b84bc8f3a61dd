// SPDX-License-Identifier: GPL-3.0-or-later
// Node types, and their sections of geom.vdb: two bits a node, by blocks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "preprocess/geometry/lattice_geometry.hpp"

namespace tessera::preprocess::file {

// Also the values of nodeType in .tiles.
enum class NodeType : std::uint8_t {
  Solid = 0,
  Fluid = 1,    // all 26 neighbours are fluid
  Wall = 2,     // at least one link ends on a wall, none on an opening
  Opening = 3,  // at least one link ends on an opening
};

// Types of the nodes in the blocks of a BitLattice (64 x 32 x 8 nodes, or as many planes as a
// thinner lattice has) that have a fluid node.
struct NodeTypes {
  std::vector<std::uint64_t> block;  // i + blocks_x * (j + blocks_y * k), ascending
  // Low bits of a block's nodes, then their high bits, block by block: wordsPerBlock() words of 64
  // nodes along x each, by wordInBlock().
  std::vector<std::uint64_t> bits;

  static std::size_t wordsPerBlock(const Int3& nodes) {
    using geometry::BitLattice;
    return std::size_t{BitLattice::blockRows} *
           static_cast<std::size_t>(std::min(nodes[2], BitLattice::blockPlanes));
  }

  friend bool operator==(const NodeTypes&, const NodeTypes&) = default;
};

// Types from the fluid and the links.
NodeTypes nodeTypesOf(const geometry::LatticeGeometry& geometry);

// Nodes that are not solid, in a lattice of this size. Throws std::runtime_error: too few or too
// many bits, a block beyond it, out of order or without nodes, a node outside of it.
geometry::BitLattice nonSolidNodes(const NodeTypes& types, const Int3& nodes);

}  // namespace tessera::preprocess::file
