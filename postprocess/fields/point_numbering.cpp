// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/fields/point_numbering.hpp"

#include <bit>

namespace tessera::postprocess::fields {

PointNumbering::PointNumbering(const Int3& nodes)
    : bits_(Int3{nodes[0] + 1, nodes[1] + 1, nodes[2] + 1}) {}

void PointNumbering::number() {
  before_.resize(static_cast<std::size_t>(bits_.blocks()[2]));
  for (int layer = 0; layer < bits_.blocks()[2]; ++layer) {
    std::vector<std::uint64_t>& before = before_[static_cast<std::size_t>(layer)];
    bits_.forEachWord(layer, [&](int w, int y, int z, std::uint64_t word) {
      const std::size_t at = bits_.wordInLayer(w, y, z);
      if (before.size() <= at) before.resize(at + 1);
      before[at] = count_;
      count_ += static_cast<std::uint64_t>(std::popcount(word));
    });
  }
}

std::uint64_t PointNumbering::numberOf(const Int3& corner) const {
  const auto [x, y, z] = corner;
  const std::uint64_t below = (std::uint64_t{1} << (x % 64)) - 1;
  const auto layer = static_cast<std::size_t>(z / preprocess::geometry::BitLattice::blockPlanes);
  return before_[layer][bits_.wordInLayer(x / 64, y, z)] +
         static_cast<std::uint64_t>(std::popcount(bits_.word(x / 64, y, z) & below));
}

std::vector<Int3> PointNumbering::corners() const {
  std::vector<Int3> points;
  points.reserve(count_);
  forEach([&](const Int3& corner) { points.push_back(corner); });
  return points;
}

}  // namespace tessera::postprocess::fields
