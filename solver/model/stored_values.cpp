// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/model/stored_values.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "solver/model/noise.hpp"
#include "solver/model/precision/half.hpp"

namespace tessera::solver::model {

namespace {

// body(k) for k of [0, count), none of which throws.
template <class Body>
void forAll(std::uint64_t count, const Body& body) {
  constexpr std::uint64_t grain = 1U << 15U;
  tbb::parallel_for(tbb::blocked_range<std::uint64_t>(0, count, grain),
                    [&](const tbb::blocked_range<std::uint64_t>& range) {
                      for (std::uint64_t k = range.begin(); k < range.end(); ++k) body(k);
                    });
}

}  // namespace

template <class T>
void storeValues(std::span<const double> values, T* stored) {
  forAll(values.size(), [&](std::uint64_t k) { stored[k] = T(values[k]); });
}

template <class T>
void widenValues(const T* stored, std::span<double> values) {
  forAll(values.size(), [&](std::uint64_t k) { values[k] = static_cast<double>(stored[k]); });
}

template <class T>
void storeNoise(std::uint64_t count, T* stored) {
  forAll(count, [&](std::uint64_t k) { stored[k] = T(noiseAt(k)); });
}

#define TESSERA_STORED(T)                                 \
  template void storeValues(std::span<const double>, T*); \
  template void widenValues(const T*, std::span<double>); \
  template void storeNoise(std::uint64_t, T*);
TESSERA_STORED(double)
TESSERA_STORED(float)
TESSERA_STORED(ScaledHalf)
#undef TESSERA_STORED

}  // namespace tessera::solver::model
