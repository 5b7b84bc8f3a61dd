// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/point_numbering.hpp"

#include <bit>

namespace tessera {

PointNumbering::PointNumbering(const Int3& nodes)
    : bits_(Int3{nodes[0] + 1, nodes[1] + 1, nodes[2] + 1}) {}

void PointNumbering::number() {
  before_.reserve(bits_.words.size());
  for (const std::uint64_t word : bits_.words) {
    before_.push_back(count_);
    count_ += static_cast<std::uint64_t>(std::popcount(word));
  }
}

std::uint64_t PointNumbering::numberOf(const Int3& corner) const {
  const std::size_t word =
      bits_.rowStart(corner[1], corner[2]) + static_cast<std::size_t>(corner[0] / 64);
  const std::uint64_t below = (std::uint64_t{1} << (corner[0] % 64)) - 1;
  return before_[word] + static_cast<std::uint64_t>(std::popcount(bits_.words[word] & below));
}

std::vector<Int3> PointNumbering::corners() const {
  std::vector<Int3> points;
  points.reserve(count_);
  for (int z = 0; z < bits_.size[2]; ++z) {
    for (int y = 0; y < bits_.size[1]; ++y) {
      const std::size_t row = bits_.rowStart(y, z);
      for (int w = 0; w < bits_.rowWords; ++w) {
        std::uint64_t rest = bits_.words[row + static_cast<std::size_t>(w)];
        for (; rest != 0; rest &= rest - 1)
          points.push_back({64 * w + std::countr_zero(rest), y, z});
      }
    }
  }
  return points;
}

}  // namespace tessera
