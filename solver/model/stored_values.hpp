// SPDX-License-Identifier: GPL-3.0-or-later
// Conversion between doubles and stored values, in parallel; T: float, double, ScaledHalf or
// MixedWord, of which seven are ten values of a node (solver/model/moment_format.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "solver/model/moment_format.hpp"
#include "solver/model/platform.hpp"

namespace tessera::solver::model {

// Values per node that are summed over a cycle and stored in checkpoints: r, u[3].
constexpr std::uint64_t meanValues = 4;

// Random state for measurements: zeros would cost a device less power than a flow does.

// Deviation k of a population, at most 5e-4 from 0; the same on every machine. Bits mixed as in
// Steele, Lea & Flood, Fast splittable pseudorandom number generators, OOPSLA 2014.
TESSERA_HOST_DEVICE constexpr double noiseAt(std::uint64_t k) {
  std::uint64_t bits = (k + 1) * 0x9e3779b97f4a7c15ULL;
  bits = (bits ^ bits >> 30U) * 0xbf58476d1ce4e5b9ULL;
  bits = (bits ^ bits >> 27U) * 0x94d049bb133111ebULL;
  return (static_cast<double>(bits >> 40U) / 16777216.0 - 0.5) * 1e-3;
}

// Values that so many stored ones hold: whole tiles of MixedWord, any number of the others.
template <class T>
constexpr std::uint64_t valuesOf(std::uint64_t stored) {
  if constexpr (std::is_same_v<T, MixedWord>)
    return stored / MixedMoments::words * moment::count;
  else
    return stored;
}
// Stored value k of the random state, in the order of files.
template <class T>
TESSERA_HOST_DEVICE T noiseStored(std::uint64_t k) {
  if constexpr (std::is_same_v<T, MixedWord>) {
    const auto noise = static_cast<float>(noiseAt(k));
    if (k / 64 % MixedMoments::words < MixedMoments::xyYy) return {bitsOfFloat(noise)};
    constexpr float scale = MixedMoments::scale;
    return MixedMoments::halves(scale * noise, scale * static_cast<float>(noiseAt(~k)));
  } else {
    return T(noiseAt(k));
  }
}

// As many values as there are, to and from `stored`; of MixedWord whole tiles.
template <class T>
void storeValues(std::span<const double> values, T* stored);
template <class T>
void widenValues(const T* stored, std::span<double> values);
template <>
void storeValues(std::span<const double> values, MixedWord* stored);
template <>
void widenValues(const MixedWord* stored, std::span<double> values);
// Stores noiseStored(0), noiseStored(1), ...
template <class T>
void storeNoise(std::uint64_t count, T* stored);

// Conversion between states of populations and of moments (start, output, tests): 64 nodes of
// q = 19 populations a tile, or of moment::count values.

// The part of populations that moments keep; the rest is lost.
std::vector<double> momentsFromPopulations(std::span<const double> populations);
std::vector<double> populationsFromMoments(std::span<const double> moments);

}  // namespace tessera::solver::model
