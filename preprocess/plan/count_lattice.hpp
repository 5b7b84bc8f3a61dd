// SPDX-License-Identifier: GPL-3.0-or-later
// Counts of a lattice: nodes, links, tiles and files.
#pragma once

#include <cstdint>
#include <span>

#include "preprocess/geometry/bit_lattice.hpp"
#include "preprocess/geometry/frame.hpp"
#include "preprocess/lattice/links/links.hpp"

namespace tessera::preprocess::plan {

// Numbers of the parts of a lattice and of the tiles over it; as double, since those of a large
// lattice are extrapolated.
struct LatticeCounts {
  int dimensions = 3;
  Double3 nodes{};          // of the box
  double fluidNodes = 0.0;  // non-solid
  double boundaryNodes = 0.0;
  double links = 0.0;         // of the 26 directions, leaving the fluid
  double tiles = 0.0;         // with a fluid node, at the offset with the fewest
  double fullTiles = 0.0;     // tiles without solid nodes and leaving links
  double openingLinks = 0.0;  // of D3Q19, in 2D D2Q9, ending on openings
  double leavingLinks = 0.0;  // of the same, leaving the fluid
  double leavingNodes = 0.0;  // with such links
  double copies = 0.0;        // of populations across periodic sides where tiles do not match
  double ghostTiles = 0.0;    // outside of openings and such sides
  double blocks = 0.0;        // of BitLattice with a fluid node
  double leaves = 0.0;        // of geom.vdb, without entirely fluid ones
  double triangles = 0.0;     // of the surface in the files
  double vertices = 0.0;
  bool exact = false;         // counted, not extrapolated
  bool betweenNodes = false;  // walls, which the solver then interpolates

  [[nodiscard]] double box() const { return nodes[0] * nodes[1] * nodes[2]; }
};

// Openings as sides of the box, or as triangles of a labelled mesh in lattice coordinates.
struct OpeningsOf {
  std::span<const lattice::BoxFace> faces;
  const geometry::TriangleMesh* mesh = nullptr;
};

// Counts of a known lattice, without triangles and vertices. cuts: nodes with wall links to other
// fluid nodes, which count for full tiles only. Parallel.
LatticeCounts countLattice(const geometry::BitLattice& fluid, int dimensions,
                           const std::array<bool, 3>& periodic, const OpeningsOf& open,
                           std::span<const lattice::CutNode> cuts = {});

// Links of some nodes, by their link masks, in the directions of velocityMask(), and the nodes that
// have any.
struct Leaving {
  std::uint64_t links = 0;
  std::uint64_t nodes = 0;
};
Leaving leavingLinks(std::span<const std::uint32_t> masks, std::uint32_t velocities);

// Bit mask of the directions of D3Q19, in 2D of D2Q9.
std::uint32_t velocityMask(int dimensions);

void removeNode(geometry::BitLattice& lattice, const Int3& node);

// Number of tiles with all nodes set, at an offset of the tiling. Parallel.
std::uint64_t countFullTiles(const geometry::BitLattice& lattice, const Int3& tileSize,
                             const Int3& offset);

}  // namespace tessera::preprocess::plan
