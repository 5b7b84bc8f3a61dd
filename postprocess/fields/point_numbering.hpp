// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers the corners that cells share, each once, in row-major order: a bit a corner and a count
// a word of the blocks that have any, and no sorting.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "preprocess/geometry/bit_lattice.hpp"

namespace tessera::postprocess::fields {

// Corner (x, y, z) is the low corner of node (x, y, z); it lies at node coordinates minus 1/2.
class PointNumbering {
 public:
  explicit PointNumbering(const Int3& nodes);
  void use(const Int3& corner) { bits_.set(corner[0], corner[1], corner[2]); }
  // Call once, after the last use().
  void number();
  [[nodiscard]] std::uint64_t numberOf(const Int3& corner) const;
  [[nodiscard]] std::uint64_t count() const { return count_; }
  // visit(corner) in the order of their numbers.
  template <class Visit>
  void forEach(Visit&& visit) const {
    for (int layer = 0; layer < bits_.blocks()[2]; ++layer)
      bits_.forEachWord(layer, [&](int w, int y, int z, std::uint64_t word) {
        for (; word != 0; word &= word - 1) visit(Int3{64 * w + std::countr_zero(word), y, z});
      });
  }
  // All of them at once, for small ones.
  [[nodiscard]] std::vector<Int3> corners() const;

 private:
  preprocess::geometry::BitLattice bits_;
  // Corners in the words before each word, by layer and BitLattice::wordInLayer().
  std::vector<std::vector<std::uint64_t>> before_;
  std::uint64_t count_ = 0;
};

}  // namespace tessera::postprocess::fields
