// SPDX-License-Identifier: GPL-3.0-or-later
// Reproducible random numbers; the standard library's distributions depend on the implementation.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tessera::preprocess::sample {

// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
struct Random {
  std::uint64_t state = 0;

  std::uint64_t next() {
    state += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }
  // Uniform in [0, 1).
  double unitInterval() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }
  // Mean 0, variance 1 (Box and Muller, Ann Math Stat 29:610, 1958).
  double normal() {
    const double u = 1.0 - unitInterval();
    return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * M_PI * unitInterval());
  }
};

// Random permutation (Fisher and Yates).
template <class T>
void shuffle(std::vector<T>& items, Random& random) {
  for (std::size_t k = items.size(); k > 1; --k) {
    const auto other = static_cast<std::size_t>(random.unitInterval() * static_cast<double>(k));
    std::swap(items[k - 1], items[other]);
  }
}

}  // namespace tessera::preprocess::sample
