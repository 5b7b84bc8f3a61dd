// SPDX-License-Identifier: GPL-3.0-or-later
// One bit a node over a box: set means non-solid. Rows along x, padded to 64-bit words, bit x % 64
// of word x / 64; then y, then z. Bits beyond the row's end are zero.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "preprocess/lattice/frame.hpp"

namespace tessera {

struct BitLattice {
  Int3 size{0, 0, 0};  // nodes on x, y, z
  int rowWords = 0;
  std::vector<std::uint64_t> words;

  BitLattice() = default;
  explicit BitLattice(const Int3& nodes)
      : size(nodes),
        rowWords((nodes[0] + 63) / 64),
        words(static_cast<std::size_t>(rowWords) * static_cast<std::size_t>(nodes[1]) *
              static_cast<std::size_t>(nodes[2])) {}

  [[nodiscard]] std::size_t rowStart(int y, int z) const {
    return static_cast<std::size_t>(rowWords) *
           (static_cast<std::size_t>(y) +
            static_cast<std::size_t>(size[1]) * static_cast<std::size_t>(z));
  }
  // x + nx * (y + ny * z).
  [[nodiscard]] std::uint64_t nodeIndex(int x, int y, int z) const {
    return static_cast<std::uint64_t>(x) +
           static_cast<std::uint64_t>(size[0]) *
               (static_cast<std::uint64_t>(y) +
                static_cast<std::uint64_t>(size[1]) * static_cast<std::uint64_t>(z));
  }
  // The node must lie in the box.
  [[nodiscard]] bool at(int x, int y, int z) const {
    return (words[rowStart(y, z) + static_cast<std::size_t>(x / 64)] >> (x % 64)) & 1U;
  }
  void set(int x, int y, int z) {
    words[rowStart(y, z) + static_cast<std::size_t>(x / 64)] |= std::uint64_t{1} << (x % 64);
  }
  [[nodiscard]] bool inside(int x, int y, int z) const {
    return x >= 0 && y >= 0 && z >= 0 && x < size[0] && y < size[1] && z < size[2];
  }
  [[nodiscard]] std::uint64_t count() const {
    std::uint64_t sum = 0;
    for (std::uint64_t word : words) sum += static_cast<std::uint64_t>(std::popcount(word));
    return sum;
  }
};

}  // namespace tessera
