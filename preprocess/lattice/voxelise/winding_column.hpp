// SPDX-License-Identifier: GPL-3.0-or-later
// Winding numbers along 64 rays side by side: changes are noted where triangles are crossed and
// then summed up along the rays.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace tessera::preprocess::lattice {

// Rays of a few planes: lanes lie side by side in a plane, rows one after the other along the ray.
class WindingColumn {
 public:
  static constexpr std::size_t lanes = 64;

  // Makes room for planes with rows firstRow .. lastRow, all without changes.
  void reset(int planes, int firstRow, int lastRow);
  // From this row on the winding number is another one.
  void add(int plane, int row, int lane, std::int16_t change) {
    const std::size_t at = static_cast<std::size_t>(plane) * static_cast<std::size_t>(rows_) +
                           static_cast<std::size_t>(row - firstRow_);
    touched_[at / 64] |= std::uint64_t{1} << (at % 64);
    std::int16_t& entry = change_[at * lanes + static_cast<std::size_t>(lane)];
    entry = static_cast<std::int16_t>(entry + change);
  }
  // Sums the changes of a plane; visit(row, end, bits) for ranges of rows where some lanes' winding
  // numbers are positive: bit = lane. Forgets the changes on the way. False: the winding numbers do
  // not come back to zero. windingSum: the positive winding numbers are added to it.
  template <class Visit>
  bool sum(int plane, std::uint64_t& windingSum, const Visit& visit) {
    std::array<std::int16_t, lanes> winding{};
    Positive positive;
    int from = 0;
    const std::size_t start = static_cast<std::size_t>(plane) * static_cast<std::size_t>(rows_);
    const std::size_t end = start + static_cast<std::size_t>(rows_);
    for (std::size_t at = nextTouched(start, end); at < end; at = nextTouched(at + 1, end)) {
      const int row = static_cast<int>(at - start);
      if (positive.bits != 0) {
        visit(firstRow_ + from, firstRow_ + row, positive.bits);
        windingSum += positive.sum * static_cast<std::uint64_t>(row - from);
      }
      positive = advance(winding, at);
      from = row;
    }
    return winding == std::array<std::int16_t, lanes>{};
  }

 private:
  struct Positive {
    std::uint64_t bits = 0;  // lanes with a positive winding number
    std::uint64_t sum = 0;   // of these numbers
  };
  // Adds the changes at a place to the winding numbers, and forgets them.
  Positive advance(std::array<std::int16_t, lanes>& winding, std::size_t at);
  [[nodiscard]] std::size_t nextTouched(std::size_t at, std::size_t end) const;

  int firstRow_ = 0, rows_ = 0;
  std::vector<std::int16_t> change_;    // [plane][row][lane], zero between uses
  std::vector<std::uint64_t> touched_;  // bit plane * rows + row: a change lies there
};

}  // namespace tessera::preprocess::lattice
