// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/plan/count_lattice.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <bit>

#include "preprocess/lattice/count_offsets.hpp"
#include "preprocess/lattice/links/boundary_layer.hpp"
#include "preprocess/plan/full_tiles.hpp"
#include "preprocess/plan/ghost_tiles.hpp"

namespace tessera::preprocess::plan {

using geometry::BitLattice;

namespace {

using std::size_t;

struct Sums {
  std::uint64_t boundaryNodes = 0, links = 0, blocks = 0, leaves = 0;
  Sums& operator+=(const Sums& more) {
    boundaryNodes += more.boundaryNodes;
    links += more.links;
    blocks += more.blocks;
    leaves += more.leaves;
    return *this;
  }
};

constexpr int leafNodes = 8;  // on an axis, of the grid in geom.vdb; as many as planes of a block
static_assert(BitLattice::blockPlanes == leafNodes);

// Leaves of a layer that hold solid and fluid nodes, or nodes at the boundary.
class MixedLeaves {
 public:
  explicit MixedLeaves(const BitLattice& fluid)
      : columns_((fluid.size[0] + leafNodes - 1) / leafNodes),
        isMixed_(static_cast<size_t>(columns_) *
                 static_cast<size_t>((fluid.size[1] + leafNodes - 1) / leafNodes)) {}
  void mark(int x, int y) {
    isMixed_[static_cast<size_t>(x / leafNodes + columns_ * (y / leafNodes))] = true;
  }
  void markBlock(int i, int j, const std::uint64_t* words) {
    for (int y = 0; y < BitLattice::blockRows; y += leafNodes)
      for (int x = 0; x < BitLattice::blockNodes; x += leafNodes) {
        int nodes = 0;
        for (int p = 0; p < BitLattice::blockPlanes; ++p)
          for (int r = 0; r < leafNodes; ++r)
            nodes += std::popcount(words[BitLattice::wordInBlock(y + r, p)] >> x & 0xffU);
        if (nodes > 0 && nodes < leafNodes * leafNodes * leafNodes)
          mark(i * BitLattice::blockNodes + x, j * BitLattice::blockRows + y);
      }
  }
  [[nodiscard]] std::uint64_t count() const {
    return static_cast<std::uint64_t>(std::count(isMixed_.begin(), isMixed_.end(), true));
  }

 private:
  int columns_;
  std::vector<bool> isMixed_;
};

// inner: loses its nodes at the boundary.
Sums countLayer(const BitLattice& fluid, const std::array<bool, 3>& periodic, int layer,
                std::uint32_t velocities, BitLattice& inner) {
  Sums sums;
  if (fluid.layerIsEmpty(layer)) return sums;
  const lattice::BoundaryLayer boundary(fluid, periodic, layer);
  sums.boundaryNodes = boundary.node().size();
  for (const std::uint32_t mask : boundary.mask())
    sums.links += static_cast<std::uint64_t>(std::popcount(mask));
  MixedLeaves leaves(fluid);
  for (const Int3& node : boundary.node()) leaves.mark(node[0], node[1]);
  fluid.forEachBlock(layer, [&](int i, int j) {
    ++sums.blocks;
    leaves.markBlock(i, j, fluid.block(i, j, layer));
  });
  sums.leaves = leaves.count();
  for (size_t k = 0; k < boundary.node().size(); ++k)
    if ((boundary.mask()[k] & velocities) != 0) removeNode(inner, boundary.node()[k]);
  return sums;
}

}  // namespace

LatticeCounts countLattice(const BitLattice& fluid, int dimensions,
                           const std::array<bool, 3>& periodic, const WhereOpen& open) {
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
  counts.copies = static_cast<double>(ghosts.copies());
  counts.ghostTiles = static_cast<double>(ghosts.tiles());
  counts.blocks = static_cast<double>(sums.blocks);
  counts.leaves = static_cast<double>(sums.leaves);
  counts.exact = true;
  return counts;
}

}  // namespace tessera::preprocess::plan
