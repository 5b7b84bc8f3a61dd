// SPDX-License-Identifier: GPL-3.0-or-later
// Occupancy of a box, one bit per node: set means fluid. Stored as blocks of 64 x 32 x 8 nodes,
// only where a block has a fluid node: a vessel that winds through a box of 8192^3 nodes takes a
// few megabytes instead of 69 GB.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "preprocess/geometry/frame.hpp"

namespace tessera::preprocess::geometry {

// Nodes lie in 64-bit words along x: node x is bit x % 64 of word x / 64. A block has one word on
// x, blockRows rows on y and blockPlanes planes on z. The blocks of blockPlanes planes are a layer.
// Threads that write to different layers do not interfere.
class BitLattice {
 public:
  static constexpr int blockNodes = 64;  // on x
  static constexpr int blockRows = 32;
  static constexpr int blockPlanes = 8;
  static constexpr int blockWords = blockRows * blockPlanes;

  Int3 size{0, 0, 0};  // nodes on x, y, z

  BitLattice() = default;
  explicit BitLattice(const Int3& nodes);

  // x + nx * (y + ny * z).
  [[nodiscard]] std::uint64_t nodeIndex(int x, int y, int z) const {
    return static_cast<std::uint64_t>(x) +
           static_cast<std::uint64_t>(size[0]) *
               (static_cast<std::uint64_t>(y) +
                static_cast<std::uint64_t>(size[1]) * static_cast<std::uint64_t>(z));
  }
  [[nodiscard]] Int3 nodeAt(std::uint64_t index) const {
    const auto nx = static_cast<std::uint64_t>(size[0]);
    const auto ny = static_cast<std::uint64_t>(size[1]);
    return {static_cast<int>(index % nx), static_cast<int>(index / nx % ny),
            static_cast<int>(index / nx / ny)};
  }
  [[nodiscard]] bool inside(int x, int y, int z) const {
    return x >= 0 && y >= 0 && z >= 0 && x < size[0] && y < size[1] && z < size[2];
  }
  // The node must lie in the box.
  [[nodiscard]] bool at(int x, int y, int z) const { return word(x / 64, y, z) >> (x % 64) & 1U; }
  void set(int x, int y, int z) { setWord(x / 64, y, z, std::uint64_t{1} << (x % 64)); }
  // Sets the nodes 64 w + i of a row whose bit i is set.
  void setWord(int w, int y, int z, std::uint64_t bits) {
    if (bits != 0) makeBlock(w, y / blockRows, z / blockPlanes)[wordInBlock(y, z)] |= bits;
  }
  [[nodiscard]] std::uint64_t count() const;
  // The same nodes in the same box.
  friend bool operator==(const BitLattice& a, const BitLattice& b);

  [[nodiscard]] int rowWords() const { return blocks_[0]; }
  // Nodes 64 w .. 64 w + 63 of a row in the box.
  [[nodiscard]] std::uint64_t word(int w, int y, int z) const {
    const std::uint64_t* words = knownBlock(w, y / blockRows, z / blockPlanes);
    return words == nullptr ? 0 : words[wordInBlock(y, z)];
  }

  [[nodiscard]] const Int3& blocks() const { return blocks_; }  // on x, y, z
  // Offset of a row's word in its block.
  static constexpr std::size_t wordInBlock(int y, int z) {
    return static_cast<unsigned>(y) % unsigned{blockRows} +
           unsigned{blockRows} * (static_cast<unsigned>(z) % unsigned{blockPlanes});
  }
  // blockWords words by wordInBlock(); nullptr where no node is set or beyond the last block.
  [[nodiscard]] const std::uint64_t* block(int i, int j, int k) const {
    if (i < 0 || j < 0 || k < 0 || i >= blocks_[0] || j >= blocks_[1] || k >= blocks_[2])
      return nullptr;
    return knownBlock(i, j, k);
  }
  // Index of a non-zero word among the words of its layer's blocks, for arrays parallel to them.
  [[nodiscard]] std::size_t wordInLayer(int w, int y, int z) const {
    const Layer& layer = layer_[static_cast<std::size_t>(z / blockPlanes)];
    return std::size_t{blockWords} * (layer.number[inLayer(w, y / blockRows)] - 1) +
           wordInBlock(y, z);
  }
  // Block for writing; nodes beyond the box must stay 0. Valid until the next makeBlock() in the
  // same layer.
  std::uint64_t* makeBlock(int i, int j, int k);
  [[nodiscard]] bool layerIsEmpty(int k) const {
    return layer_[static_cast<std::size_t>(k)].words.empty();
  }
  // Frees spare memory of a layer once it is written.
  void finishLayer(int k) { layer_[static_cast<std::size_t>(k)].words.shrink_to_fit(); }
  // visit(i, j) for the non-empty blocks of a layer, by j, then i.
  template <class Visit>
  void forEachBlock(int k, const Visit& visit) const {
    if (layerIsEmpty(k)) return;
    const Layer& layer = layer_[static_cast<std::size_t>(k)];
    for (int j = 0; j < blocks_[1]; ++j)
      for (int i = 0; i < blocks_[0]; ++i)
        if (layer.number[inLayer(i, j)] != 0) visit(i, j);
  }
  // visit(w, y, z, word) for the non-zero words of a layer, in row-major order.
  template <class Visit>
  void forEachWord(int k, const Visit& visit) const {
    std::vector<Column> column;
    forEachBlock(k, [&](int i, int j) { column.push_back({i, j, block(i, j, k)}); });
    for (int p = 0; p < blockPlanes; ++p)
      for (std::size_t begin = 0, end = 0; begin < column.size(); begin = end) {
        while (end < column.size() && column[end].j == column[begin].j) ++end;
        for (int r = 0; r < blockRows; ++r)
          for (std::size_t c = begin; c < end; ++c) {
            const std::uint64_t word = column[c].words[wordInBlock(r, p)];
            if (word != 0)
              visit(column[c].i, column[c].j * blockRows + r, k * blockPlanes + p, word);
          }
      }
  }

 private:
  struct Layer {
    std::vector<std::uint32_t> number;  // 1-based, of each block; 0: empty; no entries if all are
    std::vector<std::uint64_t> words;   // of block 1, then 2, ...
  };
  struct Column {
    int i, j;
    const std::uint64_t* words;
  };
  [[nodiscard]] std::size_t inLayer(int i, int j) const {
    return static_cast<std::size_t>(i) +
           static_cast<std::size_t>(blocks_[0]) * static_cast<std::size_t>(j);
  }
  [[nodiscard]] const std::uint64_t* knownBlock(int i, int j, int k) const {
    const Layer& layer = layer_[static_cast<std::size_t>(k)];
    if (layer.number.empty()) return nullptr;
    const std::uint32_t number = layer.number[inLayer(i, j)];
    return number == 0 ? nullptr : layer.words.data() + std::size_t{blockWords} * (number - 1);
  }

  Int3 blocks_{0, 0, 0};
  std::vector<Layer> layer_;
};

}  // namespace tessera::preprocess::geometry
