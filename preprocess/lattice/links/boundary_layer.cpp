// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/lattice/links/boundary_layer.hpp"

#include <algorithm>

#include "preprocess/geometry/neighbourhood.hpp"

namespace tessera::preprocess::lattice {

using geometry::BitLattice;

namespace {

using std::size_t;

constexpr int rows = BitLattice::blockRows;
constexpr int planes = BitLattice::blockPlanes;

// Words of a block and of the adjacent rows, each also shifted by one node to both sides.
class BlockNeighbourhood {
 public:
  BlockNeighbourhood(const BitLattice& fluid, const std::array<bool, 3>& periodic, const Int3& at)
      : fluid_(fluid), wraps_(periodic[0]), w_(at[0]) {
    RowBlocks blocks;
    for (int p = -1; p <= planes; ++p) {
      const int z = geometry::wrappedPosition(at[2] * planes + p, fluid.size[2], periodic[2]);
      for (int r = -1; r <= rows; ++r) {
        const int y = geometry::wrappedPosition(at[1] * rows + r, fluid.size[1], periodic[1]);
        row_[index(r, p)] = y < 0 || z < 0 ? Shifted{} : shifted(y, z, blocks);
      }
    }
  }
  // Nodes of a row of the block with a neighbour that is not fluid.
  [[nodiscard]] std::uint64_t boundary(int r, int p) const {
    std::uint64_t all = ~std::uint64_t{0};
    for (int dz = -1; dz <= 1; ++dz)
      for (int dy = -1; dy <= 1; ++dy) all &= row_[index(r + dy, p + dz)].all;
    return row_[index(r, p)].here & ~all;
  }
  // Link mask of a node of the block.
  [[nodiscard]] std::uint32_t mask(int bit, int r, int p) const {
    std::uint32_t fluid = 0;
    int n = 0;
    for (int dz = -1; dz <= 1; ++dz)
      for (int dy = -1; dy <= 1; ++dy, n += 3) {
        const Shifted& row = row_[index(r + dy, p + dz)];
        const std::uint64_t three =
            (row.before >> bit & 1U) | (row.here >> bit & 1U) << 1U | (row.after >> bit & 1U) << 2U;
        fluid |= static_cast<std::uint32_t>(three) << n;
      }
    return ~fluid & ((1U << geometry::directionCount) - 1U);
  }

 private:
  struct Shifted {
    std::uint64_t before = 0, here = 0, after = 0;  // bit i: the node at i - 1, i, i + 1
    std::uint64_t all = 0;                          // conjunction of the three
  };
  static size_t index(int r, int p) { return static_cast<size_t>(r + 1 + (rows + 2) * (p + 1)); }
  // Blocks of a row's word and of those on both sides of it on x.
  struct RowBlocks {
    int j = -1, k = -1;
    const std::uint64_t *before = nullptr, *here = nullptr, *after = nullptr;
  };
  void find(int j, int k, RowBlocks& blocks) const {
    if (blocks.j == j && blocks.k == k) return;
    const int last = fluid_.rowWords() - 1;
    const auto at = [&](int w) { return fluid_.block(w < 0 ? last : w > last ? 0 : w, j, k); };
    blocks = {j, k, w_ > 0 || wraps_ ? at(w_ - 1) : nullptr, at(w_),
              w_ < last || wraps_ ? at(w_ + 1) : nullptr};
  }
  [[nodiscard]] Shifted shifted(int y, int z, RowBlocks& blocks) const {
    find(y / rows, z / planes, blocks);
    const size_t word = BitLattice::wordInBlock(y, z);
    const int last = fluid_.rowWords() - 1;
    const int end = (fluid_.size[0] - 1) % 64;  // bit of the row's last node
    Shifted row;
    if (blocks.here != nullptr) row.here = blocks.here[word];
    row.before = row.here << 1U;
    row.after = row.here >> 1U;
    if (blocks.before != nullptr) row.before |= blocks.before[word] >> (w_ > 0 ? 63 : end) & 1U;
    if (blocks.after != nullptr)
      row.after |= w_ < last ? blocks.after[word] << 63U : (blocks.after[word] & 1U) << end;
    row.all = row.before & row.here & row.after;
    return row;
  }

  const BitLattice& fluid_;
  bool wraps_;
  int w_;
  std::array<Shifted, static_cast<size_t>((rows + 2) * (planes + 2))> row_;
};

}  // namespace

BoundaryLayer::BoundaryLayer(const BitLattice& fluid, const std::array<bool, 3>& periodic,
                             int layer)
    : size_(fluid.size),
      layer_(layer),
      firstPlane_(layer * planes),
      endPlane_(std::min(firstPlane_ + planes, size_[2])),
      columns_(fluid.blocks()[0]) {
  std::vector<std::uint32_t> masks;
  if (!fluid.layerIsEmpty(layer))
    blockAt_.assign(static_cast<size_t>(columns_) * static_cast<size_t>(fluid.blocks()[1]), none);
  fluid.forEachBlock(layer, [&](int i, int j) { addBlock(fluid, periodic, i, j, masks); });
  order(masks);
}

// Appends the masks of a block's boundary nodes, word by word; `first` temporarily refers to masks.
void BoundaryLayer::addBlock(const BitLattice& fluid, const std::array<bool, 3>& periodic, int i,
                             int j, std::vector<std::uint32_t>& masks) {
  const BlockNeighbourhood around(fluid, periodic, {i, j, layer_});
  const size_t before = masks.size();
  const size_t words = word_.size();
  word_.resize(words + BitLattice::blockWords);
  const int endRow = std::min(rows, size_[1] - j * rows);
  for (int p = 0; p < endPlane_ - firstPlane_; ++p)
    for (int r = 0; r < endRow; ++r) {
      Word& word = word_[words + BitLattice::wordInBlock(r, p)];
      word.first = static_cast<std::uint32_t>(masks.size());
      word.bits = around.boundary(r, p);
      for (std::uint64_t rest = word.bits; rest != 0; rest &= rest - 1)
        masks.push_back(around.mask(std::countr_zero(rest), r, p));
    }
  if (masks.size() == before) {
    word_.resize(words);
    return;
  }
  blockAt_[static_cast<size_t>(i + columns_ * j)] = static_cast<std::uint32_t>(block_.size());
  block_.push_back({i, j});
}

// Reorders masks and nodes from blocks to rows.
void BoundaryLayer::order(const std::vector<std::uint32_t>& masks) {
  mask_.reserve(masks.size());
  node_.reserve(masks.size());
  for (int p = 0; p < planes; ++p)
    for (size_t begin = 0, end = 0; begin < block_.size(); begin = end) {
      while (end < block_.size() && block_[end].j == block_[begin].j) ++end;
      for (int r = 0; r < rows; ++r)
        for (size_t b = begin; b < end; ++b) {
          Word& word = word_[b * BitLattice::blockWords + BitLattice::wordInBlock(r, p)];
          const std::uint32_t* from = masks.data() + word.first;
          word.first = static_cast<std::uint32_t>(mask_.size());
          for (std::uint64_t rest = word.bits; rest != 0; rest &= rest - 1) {
            mask_.push_back(*from++);
            node_.push_back({block_[b].i * 64 + std::countr_zero(rest), block_[b].j * rows + r,
                             layer_ * planes + p});
          }
        }
    }
}

}  // namespace tessera::preprocess::lattice
