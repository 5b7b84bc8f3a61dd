// SPDX-License-Identifier: GPL-3.0-or-later
// Node index in the fields from a lattice position, by the tileMap of Tomczak & Szafran 2017: one
// look-up for the tile, one popcount within it. Whether a wall stands between two neighbouring
// nodes. Sums over the nodes, numbering of shared cell corners.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "preprocess/geometry/bit_lattice.hpp"
#include "solver/file/fields_file.hpp"
#include "tiler/opening_links.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::postprocess::fields {

// A node that is not solid.
struct FoundNode {
  std::int64_t index = -1;  // into Fields::pressure and its companions; -1: solid or outside
  std::size_t tile = 0;
  int local = 0;
};

struct NodeLookup {
  explicit NodeLookup(const tiler::TiledGeometry& covered);

  // Wraps around periodic axes.
  [[nodiscard]] FoundNode find(Int3 node) const;
  // Index into Fields::pressure and its companions; -1 for solid nodes and outside the box. Wraps
  // around periodic axes.
  [[nodiscard]] std::int64_t indexOf(const Int3& node) const { return find(node).index; }

  // A cut link joins two nodes of the fluid with a wall between them: a sheet, a solid thinner than
  // a spacing, the gap of vessels that nearly touch. For every computation that uses the values of
  // other nodes, a node behind a cut link is solid.
  [[nodiscard]] bool hasCutLinks() const { return !cutNodes.empty(); }
  // Links of a node that leave the fluid, if some of them are cut; otherwise 0.
  [[nodiscard]] std::uint32_t cutMaskOf(const FoundNode& node) const {
    if (cutNodes.empty() || node.index < 0) return 0;
    if ((cutNodes[node.tile] >> node.local & 1U) == 0) return 0;
    return tiler::linkMaskOf(geometry, node.tile, node.local);
  }
  // Whether the link from one node to another, along one of the 26 steps, is not cut.
  [[nodiscard]] bool connected(const Int3& node, const Int3& step) const;

  const tiler::TiledGeometry& geometry;  // must outlive the look-up
  std::vector<std::uint64_t> mask;       // per tile: bit l is set if local node l is not solid
  std::vector<std::uint64_t> first;      // per tile: index of its first node
  std::vector<std::uint64_t> cutNodes;   // per tile: nodes with a cut link; empty without any
};

// Calls visit(tile, local node, index in the fields) for every non-solid node in the fields' order.
template <class Visit>
void forEachNode(const NodeLookup& lookup, Visit&& visit) {
  for (std::size_t t = 0; t < lookup.mask.size(); ++t) {
    std::uint64_t index = lookup.first[t];
    for (std::uint64_t rest = lookup.mask[t]; rest != 0; rest &= rest - 1)
      visit(t, std::countr_zero(rest), index++);
  }
}

// Sums over all nodes in one pass: for kinetic energy, viscous dissipation, mean velocity,
// tortuosity.
struct NodeSums {
  std::array<double, 3> velocity{};  // m/s, lattice axes, sum
  double speed = 0.0;                // m/s, sum of magnitudes
  double speedSquared = 0.0;         // m2/s2, sum
  double fastest = 0.0;              // m/s
  double stressSquared = 0.0;        // Pa2, sum of sigma:sigma
};

NodeSums nodeSums(const solver::file::Fields& fields);

// Numbers the corners shared by cells in row-major order without sorting: one bit per corner and
// one count per word of non-empty blocks. Corner (x, y, z) is the low corner of node (x, y, z), at
// node coordinates minus 1/2.
class PointNumbering {
 public:
  explicit PointNumbering(const Int3& nodes);
  void use(const Int3& corner) { bits_.set(corner[0], corner[1], corner[2]); }
  [[nodiscard]] bool uses(const Int3& corner) const {
    return bits_.at(corner[0], corner[1], corner[2]);
  }
  // Call once, after the last use().
  void number();
  [[nodiscard]] std::uint64_t numberOf(const Int3& corner) const;
  [[nodiscard]] std::uint64_t count() const { return count_; }
  // visit(corner) in order of numbers.
  template <class Visit>
  void forEach(Visit&& visit) const {
    for (int layer = 0; layer < bits_.blocks()[2]; ++layer)
      bits_.forEachWord(layer, [&](int w, int y, int z, std::uint64_t word) {
        for (; word != 0; word &= word - 1) visit(Int3{64 * w + std::countr_zero(word), y, z});
      });
  }
  // All corners at once, for small sets.
  [[nodiscard]] std::vector<Int3> corners() const;

 private:
  preprocess::geometry::BitLattice bits_;
  // Corners in the words before each word, by layer and BitLattice::wordInLayer().
  std::vector<std::vector<std::uint64_t>> before_;
  std::uint64_t count_ = 0;
};

}  // namespace tessera::postprocess::fields
