// SPDX-License-Identifier: GPL-3.0-or-later
// Conversion between doubles and stored values, in parallel; T: float, double or ScaledHalf.
#pragma once

#include <cstdint>
#include <span>

namespace tessera::solver::model {

// As many values as there are, to and from `stored`.
template <class T>
void storeValues(std::span<const double> values, T* stored);
template <class T>
void widenValues(const T* stored, std::span<double> values);
// noiseAt(0), noiseAt(1), ... of solver/model/noise.hpp.
template <class T>
void storeNoise(std::uint64_t count, T* stored);

}  // namespace tessera::solver::model
