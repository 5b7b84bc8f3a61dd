// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/image/threshold.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace tessera::preprocess::image {

using geometry::BitLattice;

namespace {

constexpr std::size_t wordBits = 64;
using Flags = std::array<std::uint8_t, wordBits>;  // 1: fluid

// Eight flags at a time: the product moves byte i's lowest bit to bit 56 + i.
std::uint64_t packed(const Flags& flags) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < wordBits; i += 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, &flags[i], sizeof eight);
    word |= (eight * 0x0102040810204080U >> 56U) << i;
  }
  return word;
}

template <class Stored, class IsFluid>
void fillFluid(const read::Image& image, const IsFluid& isFluid, BitLattice& fluid) {
  const auto width = static_cast<std::size_t>(image.size[0]);
  const auto fillRow = [&](int y, int z) {
    const std::size_t start = fluid.nodeIndex(0, y, z);
    std::array<Stored, wordBits> values{};
    for (std::size_t x = 0; x < width; x += wordBits) {
      const std::size_t count = std::min(wordBits, width - x);
      read::copyStored(image, start + x, std::span<Stored>(values.data(), count));
      Flags flags{};
      for (std::size_t i = 0; i < wordBits; ++i) flags[i] = isFluid(values[i]);
      fluid.setWord(static_cast<int>(x / wordBits), y, z,
                    packed(flags) & (~std::uint64_t{0} >> (wordBits - count)));
    }
  };
  tbb::parallel_for(0, fluid.blocks()[2], [&](int layer) {  // they share no words
    const int end = std::min((layer + 1) * BitLattice::blockPlanes, image.size[2]);
    for (int z = layer * BitLattice::blockPlanes; z < end; ++z)
      for (int y = 0; y < image.size[1]; ++y) fillRow(y, z);
    fluid.finishLayer(layer);
  });
}

// Compared as they are stored.
template <class Stored>
void fillUnscaled(const read::Image& image, double low, double high, BitLattice& fluid) {
  constexpr double least = std::numeric_limits<Stored>::min();
  constexpr double most = std::numeric_limits<Stored>::max();
  low = std::ceil(low);
  high = std::floor(high);
  if (!(low <= high) || low > most || high < least) return;
  const auto first = static_cast<Stored>(std::max(low, least));
  const auto last = static_cast<Stored>(std::min(high, most));
  fillFluid<Stored>(
      image, [=](Stored v) { return v >= first && v <= last; }, fluid);
}

}  // namespace

BitLattice fluidOf(const read::Image& image, double low, double high) {
  BitLattice fluid(image.size);
  const double slope = image.slope, intercept = image.intercept;
  read::withVoxelType(image.type, [&]<class Stored>(std::type_identity<Stored>) {
    if constexpr (std::is_integral_v<Stored> && sizeof(Stored) <= 4)
      if (slope == 1.0 && intercept == 0.0) return fillUnscaled<Stored>(image, low, high, fluid);
    const auto isFluid = [=](Stored stored) {
      const double value = slope * static_cast<double>(stored) + intercept;
      return value >= low && value <= high;
    };
    fillFluid<Stored>(image, isFluid, fluid);
  });
  return fluid;
}

}  // namespace tessera::preprocess::image
