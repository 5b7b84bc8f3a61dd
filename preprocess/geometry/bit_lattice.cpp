// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/geometry/bit_lattice.hpp"

#include <algorithm>

namespace tessera::preprocess::geometry {

BitLattice::BitLattice(const Int3& nodes)
    : size(nodes),
      blocks_{(nodes[0] + blockNodes - 1) / blockNodes, (nodes[1] + blockRows - 1) / blockRows,
              (nodes[2] + blockPlanes - 1) / blockPlanes},
      layer_(static_cast<std::size_t>(blocks_[2])) {}

std::uint64_t* BitLattice::makeBlock(int i, int j, int k) {
  Layer& layer = layer_[static_cast<std::size_t>(k)];
  if (layer.number.empty()) layer.number.resize(inLayer(0, blocks_[1]));
  std::uint32_t& number = layer.number[inLayer(i, j)];
  if (number == 0) {
    layer.words.resize(layer.words.size() + blockWords);
    number = static_cast<std::uint32_t>(layer.words.size() / blockWords);
  }
  return layer.words.data() + std::size_t{blockWords} * (number - 1);
}

std::uint64_t BitLattice::count() const {
  std::uint64_t sum = 0;
  for (const Layer& layer : layer_)
    for (const std::uint64_t word : layer.words)
      sum += static_cast<std::uint64_t>(std::popcount(word));
  return sum;
}

bool operator==(const BitLattice& a, const BitLattice& b) {
  if (a.size != b.size) return false;
  static constexpr std::array<std::uint64_t, BitLattice::blockWords> empty{};
  for (int k = 0; k < a.blocks_[2]; ++k)
    for (int j = 0; j < a.blocks_[1]; ++j)
      for (int i = 0; i < a.blocks_[0]; ++i) {
        const std::uint64_t* left = a.block(i, j, k);
        const std::uint64_t* right = b.block(i, j, k);
        if (left == nullptr && right == nullptr) continue;
        if (left == nullptr) left = empty.data();
        if (right == nullptr) right = empty.data();
        if (!std::equal(left, left + BitLattice::blockWords, right)) return false;
      }
  return true;
}

}  // namespace tessera::preprocess::geometry
