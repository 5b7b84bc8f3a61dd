// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/plan/count_lattice.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "preprocess/geometry/lattice_geometry.hpp"
#include "preprocess/lattice/count_offsets.hpp"
#include "preprocess/lattice/links/boundary_layer.hpp"
#include "preprocess/plan/ghost_tiles.hpp"

namespace tessera::preprocess::plan {

using geometry::BitLattice;

namespace {

using std::size_t;

struct Sums {
  std::uint64_t boundaryNodes = 0, links = 0, blocks = 0, leaves = 0;
  std::uint64_t leavingLinks = 0, leavingNodes = 0;
  Sums& operator+=(const Sums& more) {
    boundaryNodes += more.boundaryNodes;
    links += more.links;
    blocks += more.blocks;
    leaves += more.leaves;
    leavingLinks += more.leavingLinks;
    leavingNodes += more.leavingNodes;
    return *this;
  }
};

constexpr int leafNodes = 8;  // on an axis, of the grid in geom.vdb; equals the planes of a block
static_assert(BitLattice::blockPlanes == leafNodes);

// Leaves of a block with both solid and fluid nodes.
std::uint64_t mixedLeaves(const std::uint64_t* words) {
  std::uint64_t leaves = 0;
  for (int y = 0; y < BitLattice::blockRows; y += leafNodes)
    for (int x = 0; x < BitLattice::blockNodes; x += leafNodes) {
      int nodes = 0;
      for (int p = 0; p < BitLattice::blockPlanes; ++p)
        for (int r = 0; r < leafNodes; ++r)
          nodes += std::popcount(words[BitLattice::wordInBlock(y + r, p)] >> x & 0xffU);
      leaves += nodes > 0 && nodes < leafNodes * leafNodes * leafNodes ? 1 : 0;
    }
  return leaves;
}

// inner: its boundary nodes are removed.
Sums countLayer(const BitLattice& fluid, const std::array<bool, 3>& periodic, int layer,
                std::uint32_t velocities, BitLattice& inner) {
  Sums sums;
  if (fluid.layerIsEmpty(layer)) return sums;
  const lattice::BoundaryLayer boundary(fluid, periodic, layer);
  sums.boundaryNodes = boundary.node().size();
  for (const std::uint32_t mask : boundary.mask())
    sums.links += static_cast<std::uint64_t>(std::popcount(mask));
  const Leaving leaving = leavingLinks(boundary.mask(), velocities);
  sums.leavingLinks = leaving.links;
  sums.leavingNodes = leaving.nodes;
  fluid.forEachBlock(layer, [&](int i, int j) {
    const std::uint64_t* words = fluid.block(i, j, layer);
    const bool isEmpty =
        std::all_of(words, words + BitLattice::blockWords, [](auto word) { return word == 0; });
    sums.blocks += isEmpty ? 0 : 1;
    sums.leaves += mixedLeaves(words);
  });
  for (size_t k = 0; k < boundary.node().size(); ++k)
    if ((boundary.mask()[k] & velocities) != 0) removeNode(inner, boundary.node()[k]);
  return sums;
}

}  // namespace

Leaving leavingLinks(std::span<const std::uint32_t> masks, std::uint32_t velocities) {
  Leaving leaving;
  for (const std::uint32_t mask : masks) {
    leaving.links += static_cast<std::uint64_t>(std::popcount(mask & velocities));
    leaving.nodes += (mask & velocities) != 0 ? 1 : 0;
  }
  return leaving;
}

LatticeCounts countLattice(const BitLattice& fluid, int dimensions,
                           const std::array<bool, 3>& periodic, const OpeningsOf& open,
                           std::span<const lattice::CutNode> cuts) {
  using Range = tbb::blocked_range<int>;
  BitLattice inner = fluid;
  const std::uint32_t velocities = velocityMask(dimensions);
  const Sums sums = tbb::parallel_reduce(
      Range(0, fluid.blocks()[2]), Sums{},
      [&](const Range& range, Sums sum) {
        for (int k = range.begin(); k < range.end(); ++k)
          sum += countLayer(fluid, periodic, k, velocities, inner);
        return sum;
      },
      [](Sums left, const Sums& right) { return left += right; });
  for (const lattice::CutNode& cut : cuts)
    if ((cut.links & velocities) != 0) removeNode(inner, fluid.nodeAt(cut.node));
  const lattice::OffsetCounts offsets = lattice::countTilesAtAllOffsets(fluid, dimensions);
  const Int3 offset = lattice::chooseOffset(offsets, fluid.size, periodic);
  GhostTiles ghosts(fluid, dimensions, periodic, offset);
  ghosts.addOpenings(open.faces);
  if (open.mesh != nullptr) ghosts.addOpenings(*open.mesh);
  ghosts.addPeriodicFaces();
  LatticeCounts counts;
  counts.dimensions = dimensions;
  for (size_t a = 0; a < 3; ++a) counts.nodes[a] = fluid.size[a];
  counts.fluidNodes = static_cast<double>(fluid.count());
  counts.boundaryNodes = static_cast<double>(sums.boundaryNodes);
  counts.links = static_cast<double>(sums.links);
  counts.tiles = static_cast<double>(offsets.at(offset));
  counts.fullTiles = static_cast<double>(countFullTiles(inner, offsets.tileSize, offset));
  counts.openingLinks = static_cast<double>(ghosts.openingLinks());
  counts.leavingLinks = static_cast<double>(sums.leavingLinks);
  counts.leavingNodes = static_cast<double>(sums.leavingNodes);
  counts.copies = static_cast<double>(ghosts.copies());
  counts.ghostTiles = static_cast<double>(ghosts.tiles());
  counts.blocks = static_cast<double>(sums.blocks);
  counts.leaves = static_cast<double>(sums.leaves);
  counts.exact = true;
  return counts;
}

// A tile is full if the AND over its rows has all bits set: 64 nodes along x at a time.

namespace {

// AND over the rows of a tile that begins at row y and plane z, at word w of each; 0 outside of the
// box.
std::uint64_t allRows(const BitLattice& lattice, const Int3& tileSize, int w, int y, int z) {
  if (w >= lattice.rowWords() || y + tileSize[1] > lattice.size[1] ||
      z + tileSize[2] > lattice.size[2])
    return 0;
  std::uint64_t all = ~std::uint64_t{0};
  for (int dz = 0; dz < tileSize[2] && all != 0; ++dz)
    for (int dy = 0; dy < tileSize[1]; ++dy) all &= lattice.word(w, y + dy, z + dz);
  return all;
}

// Number of full tiles whose first node lies in word w of row y and plane z.
int fullTilesIn(const BitLattice& lattice, const Int3& tileSize, int offset, int w, int y, int z) {
  std::uint64_t here = allRows(lattice, tileSize, w, y, z);
  if (here == 0) return 0;
  std::uint64_t next = allRows(lattice, tileSize, w + 1, y, z);
  for (int width = 1; width < tileSize[0]; width *= 2) {
    here &= here >> width | next << (64 - width);
    next &= next >> width;
  }
  std::uint64_t starts = 0;  // the tile's size divides 64
  for (int x = (tileSize[0] - offset) % tileSize[0]; x < 64; x += tileSize[0])
    starts |= std::uint64_t{1} << x;
  return std::popcount(here & starts);
}

std::uint64_t fullTilesInBlock(const BitLattice& lattice, const Int3& tileSize, const Int3& offset,
                               const Int3& block) {
  std::uint64_t full = 0;
  const int firstY = block[1] * BitLattice::blockRows, firstZ = block[2] * BitLattice::blockPlanes;
  for (int z = firstZ; z < firstZ + BitLattice::blockPlanes; ++z)
    for (int y = firstY; y < firstY + BitLattice::blockRows; ++y)
      if ((y + offset[1]) % tileSize[1] == 0 && (z + offset[2]) % tileSize[2] == 0)
        full +=
            static_cast<std::uint64_t>(fullTilesIn(lattice, tileSize, offset[0], block[0], y, z));
  return full;
}

}  // namespace

std::uint32_t velocityMask(int dimensions) {
  std::uint32_t mask = 0;
  for (const auto& [n, step] : geometry::stepsTo(geometry::Neighbours::Eighteen))
    if (dimensions == 3 || step[2] == 0) mask |= std::uint32_t{1} << n;
  return mask;
}

void removeNode(BitLattice& lattice, const Int3& node) {
  const auto [x, y, z] = node;
  std::uint64_t* const words = lattice.makeBlock(
      x / BitLattice::blockNodes, y / BitLattice::blockRows, z / BitLattice::blockPlanes);
  words[BitLattice::wordInBlock(y, z)] &= ~(std::uint64_t{1} << (x % 64));
}

std::uint64_t countFullTiles(const BitLattice& lattice, const Int3& tileSize, const Int3& offset) {
  using Range = tbb::blocked_range<int>;
  return tbb::parallel_reduce(
      Range(0, lattice.blocks()[2]), std::uint64_t{0},
      [&](const Range& range, std::uint64_t full) {
        for (int k = range.begin(); k < range.end(); ++k)
          lattice.forEachBlock(k, [&](int i, int j) {
            full += fullTilesInBlock(lattice, tileSize, offset, {i, j, k});
          });
        return full;
      },
      [](std::uint64_t left, std::uint64_t right) { return left + right; });
}

}  // namespace tessera::preprocess::plan
