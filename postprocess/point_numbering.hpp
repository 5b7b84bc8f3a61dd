// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers the corners that cells share, each once, in row-major order: a bit a corner and a count
// a word of the blocks that have any, and no sorting.
#pragma once

#include <cstdint>
#include <vector>

#include "preprocess/lattice/bit_lattice.hpp"

namespace tessera {

// Corner (x, y, z) is the low corner of node (x, y, z); it lies at node coordinates minus 1/2.
class PointNumbering {
 public:
  explicit PointNumbering(const Int3& nodes);
  void use(const Int3& corner) { bits_.set(corner[0], corner[1], corner[2]); }
  // Call once, after the last use().
  void number();
  [[nodiscard]] std::uint64_t numberOf(const Int3& corner) const;
  // Corners in the order of their numbers.
  [[nodiscard]] std::vector<Int3> corners() const;

 private:
  BitLattice bits_;
  // Corners in the words before each word, by layer and BitLattice::wordInLayer().
  std::vector<std::vector<std::uint64_t>> before_;
  std::uint64_t count_ = 0;
};

}  // namespace tessera
