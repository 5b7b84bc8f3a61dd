// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/lattice/voxelise/winding_column.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tessera::preprocess::lattice {

void WindingColumn::reset(int planes, int firstRow, int lastRow) {
  firstRow_ = firstRow;
  rows_ = lastRow - firstRow + 1;
  const std::size_t places = static_cast<std::size_t>(planes) * static_cast<std::size_t>(rows_);
  if (change_.size() < places * lanes) change_.resize(places * lanes);
  touched_.assign((places + 63) / 64, 0);
}

std::size_t WindingColumn::nextTouched(std::size_t at, std::size_t end) const {
  while (at < end) {
    const std::uint64_t rest = touched_[at / 64] >> (at % 64);
    if (rest != 0) return at + static_cast<std::size_t>(std::countr_zero(rest));
    at = (at / 64 + 1) * 64;
  }
  return end;
}

WindingColumn::Positive WindingColumn::advance(std::array<std::int16_t, lanes>& winding,
                                               std::size_t at) {
  std::int16_t* change = change_.data() + at * lanes;
  std::array<std::uint8_t, lanes> isPositive;
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < lanes; ++i) {
    winding[i] = static_cast<std::int16_t>(winding[i] + change[i]);
    isPositive[i] = winding[i] > 0;
    sum += std::max(winding[i], std::int16_t{0});
  }
  std::fill_n(change, lanes, std::int16_t{0});
  Positive positive;
  positive.sum = static_cast<std::uint64_t>(sum);
  for (std::size_t i = 0; i < lanes; i += 8) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, isPositive.data() + i, 8);
    positive.bits |= (bytes * 0x0102040810204080U) >> 56U << i;
  }
  return positive;
}

}  // namespace tessera::preprocess::lattice
