// SPDX-License-Identifier: GPL-3.0-or-later
// Random state for measurements: zeros would cost a device less power than a flow does.
#pragma once

#include <cstdint>

#include "solver/model/platform.hpp"

namespace tessera::solver::model {

// Deviation k of a population, at most 5e-4 from 0; the same on every machine. Bits mixed as in
// Steele, Lea & Flood, Fast splittable pseudorandom number generators, OOPSLA 2014.
TESSERA_ANY constexpr double noiseAt(std::uint64_t k) {
  std::uint64_t bits = (k + 1) * 0x9e3779b97f4a7c15ULL;
  bits = (bits ^ bits >> 30U) * 0xbf58476d1ce4e5b9ULL;
  bits = (bits ^ bits >> 27U) * 0x94d049bb133111ebULL;
  return (static_cast<double>(bits >> 40U) / 16777216.0 - 0.5) * 1e-3;
}

}  // namespace tessera::solver::model
