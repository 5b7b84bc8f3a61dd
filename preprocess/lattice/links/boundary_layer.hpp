// SPDX-License-Identifier: GPL-3.0-or-later
// Boundary nodes of one layer of blocks, by bit operations on 64 nodes at a time.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "preprocess/geometry/lattice_geometry.hpp"

namespace tessera::preprocess::lattice {

class BoundaryLayer {
 public:
  BoundaryLayer(const geometry::BitLattice& fluid, const std::array<bool, 3>& periodic, int layer);

  // In row-major order; bit n of a mask: link n leaves the fluid.
  [[nodiscard]] const std::vector<Int3>& node() const { return node_; }
  [[nodiscard]] const std::vector<std::uint32_t>& mask() const { return mask_; }

  static constexpr std::uint32_t none = ~std::uint32_t{0};
  // Index of a node in these lists; none: not a boundary node of this layer, or outside of the box.
  [[nodiscard]] std::uint32_t numberOf(const Int3& node) const {
    if (node[2] < firstPlane_ || node[2] >= endPlane_ || node[0] < 0 || node[1] < 0 ||
        node[0] >= size_[0] || node[1] >= size_[1])
      return none;
    const std::uint32_t block =
        blockAt_[static_cast<std::size_t>(node[0] / geometry::BitLattice::blockNodes +
                                          columns_ * (node[1] / geometry::BitLattice::blockRows))];
    if (block == none) return none;
    const Word& word = word_[block * std::size_t{geometry::BitLattice::blockWords} +
                             geometry::BitLattice::wordInBlock(node[1], node[2])];
    const std::uint64_t bit = std::uint64_t{1} << (node[0] % 64);
    if ((word.bits & bit) == 0) return none;
    return word.first + static_cast<std::uint32_t>(std::popcount(word.bits & (bit - 1)));
  }

 private:
  // 64 nodes of a row.
  struct Word {
    std::uint64_t bits = 0;   // boundary nodes
    std::uint32_t first = 0;  // index of the first of them
  };
  struct Block {
    int i, j;
  };
  void addBlock(const geometry::BitLattice& fluid, const std::array<bool, 3>& periodic, int i,
                int j, std::vector<std::uint32_t>& masks);
  void order(const std::vector<std::uint32_t>& masks);

  Int3 size_;
  int layer_, firstPlane_, endPlane_, columns_;
  std::vector<std::uint32_t> blockAt_;  // of each block of the layer, in block_; or none
  std::vector<Block> block_;            // blocks with boundary nodes, by j, then i
  std::vector<Word> word_;              // of each block, by wordInBlock()
  std::vector<Int3> node_;
  std::vector<std::uint32_t> mask_;
};

}  // namespace tessera::preprocess::lattice
