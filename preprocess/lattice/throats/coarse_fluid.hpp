// SPDX-License-Identifier: GPL-3.0-or-later
// Fluid on a coarser lattice, with the distance of every cell to the wall.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "preprocess/geometry/lattice_geometry.hpp"
#include "preprocess/lattice/connectivity/components.hpp"

namespace tessera::preprocess::lattice {

// Walls between fluid nodes, thinner than a link.
struct ThinWalls {
  geometry::BitLattice at;        // nodes along them, on both sides; without nodes if there is none
  std::span<const CutNode> cuts;  // of the geometry, ascending
  Int3 low{1, 1, 1}, high{};      // of these nodes, which are mostly few
  void add(const Int3& node);
  [[nodiscard]] bool isAt(const Int3& node) const {
    for (std::size_t a = 0; a < 3; ++a)
      if (node[a] < low[a] || node[a] > high[a]) return false;
    return at.at(node[0], node[1], node[2]);
  }
  // A node whose walls face along a direction lies in front of them; along other walls the fluid
  // reaches up to them.
  [[nodiscard]] bool face(const Int3& node, const Double3& direction) const;
  // Mean direction of the cut links of a node, signed along a direction; 0 where none face it.
  [[nodiscard]] Double3 normalFacing(const Int3& node, const Double3& direction) const;
  // Between neighbouring nodes.
  [[nodiscard]] bool areBetween(const Int3& node, const Int3& neighbour) const;
  // On the straight line between two nodes.
  [[nodiscard]] bool areAlong(const Int3& from, const Int3& to) const;

 private:
  [[nodiscard]] std::uint32_t linksOf(const Int3& node) const;
  [[nodiscard]] Double3 towards(const Int3& node) const;
};

// Walls at all nodes with cut links; those of a CoarseFluid leave out the edges of concave corners.
ThinWalls allThinWalls(const geometry::BitLattice& fluid, std::span<const CutNode> cuts);

// visit(each node after the first) of the straight line between two nodes, link by link, while it
// returns true.
template <class Visit>
void alongLine(const Int3& from, const Int3& to, const Visit& visit) {
  const Int3 apart = to - from;
  const int links = std::max({std::abs(apart[0]), std::abs(apart[1]), std::abs(apart[2])});
  for (int k = 1; k <= links; ++k) {
    Int3 node{};
    for (std::size_t a = 0; a < 3; ++a) node[a] = from[a] + apart[a] * k / links;
    if (!visit(node)) return;
  }
}

// Cells of step^3 nodes, each by the node at its centre, and a layer of wall around them.
struct CoarseFluid {
  int step = 1;  // nodes of a cell on an axis
  Int3 size{};   // cells, with the layer
  // Squared distance to the nearest wall in cells (Euclidean); 0 where a cell is no fluid. Openings
  // are not walls: a vessel that ends at one is as wide there as before.
  std::vector<std::int32_t> square;
  // Sum of the squares of a fluid cell and its 26 neighbours: among cells equally far from the
  // wall, those in a junction or a bulge come before those in a vessel.
  std::vector<std::int64_t> width;
  struct End {
    Double3 centre{}, normal{};  // nodes; unit, out of the fluid
    double radius = 0.0;
  };
  std::vector<End> end;        // of the openings
  std::vector<char> isBeyond;  // wall cells beyond an opening, to the depth of its radius
  ThinWalls thin;
  // Cells next to each opening that no wall parts from it, ascending: of fluid, and those that a
  // sheet just before the opening makes wall.
  std::vector<std::vector<std::uint32_t>> atOpening, blockedAtOpening;

  [[nodiscard]] std::uint32_t cell(int x, int y, int z) const {
    return static_cast<std::uint32_t>(x + size[0] * (y + size[1] * z));
  }
  [[nodiscard]] std::uint32_t cell(const Int3& at) const { return cell(at[0], at[1], at[2]); }
  [[nodiscard]] Int3 cellAt(std::uint32_t cell) const {
    const int c = static_cast<int>(cell);
    return {c % size[0], c / size[0] % size[1], c / size[0] / size[1]};
  }
  [[nodiscard]] bool contains(const Int3& cell) const;
  // The node at its centre, which may lie out of the lattice.
  [[nodiscard]] Int3 centreNode(const Int3& cell) const {
    return step * (cell - Int3{1, 1, 1}) + Int3{step / 2, step / 2, step / 2};
  }
  // Lattice position of the node at its centre.
  [[nodiscard]] Double3 centreOf(std::uint32_t cell) const;
  [[nodiscard]] Int3 cellOfNode(const Int3& node) const;
  // Cell of a position.
  [[nodiscard]] Int3 cellOf(const Double3& position) const;
};

// Nearest to a lattice position.
inline Int3 nodeAt(const Double3& position) {
  Int3 node{};
  for (std::size_t a = 0; a < 3; ++a) node[a] = static_cast<int>(std::floor(position[a] + 0.5));
  return node;
}

// Smallest step with at most so many cells in the box, layer included.
int stepFor(const Int3& nodes, double cells);

// A cell with a wall between its fluid nodes, thinner than a link, is wall. cuts: of the geometry.
CoarseFluid coarseFluid(const geometry::LatticeGeometry& geometry, std::span<const CutNode> cuts,
                        int step);

}  // namespace tessera::preprocess::lattice
