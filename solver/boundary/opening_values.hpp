// SPDX-License-Identifier: GPL-3.0-or-later
// What openings are driven by in a step: each has some coefficients, and each of its links as many
// basis values; their product is the factor of what the link carries. All profiles but Womersley's
// have one coefficient and no basis values.
#pragma once

#include <cstdint>

#include "solver/platform.hpp"

namespace tessera {

// The coefficients first .. first + count - 1 of a step belong to the opening.
struct DrivenOpening {
  std::uint32_t first;
  std::uint32_t count;
};

// Pointers into the memory of a backend.
struct OpeningValues {
  const DrivenOpening* openings;
  const double* basis;         // count values a link of openings whose count is not 1
  const double* coefficients;  // of one step
  // Of links by Zou & He: where the q populations of their nodes arrive from, q a link of all.
  const std::uint64_t* sources;

  // The factor of a link of an opening whose basis values begin at `start`.
  TESSERA_ANY double amplitude(std::uint32_t opening, std::uint32_t start) const {
    const DrivenOpening driven = openings[opening];
    const double* coefficient = coefficients + driven.first;
    if (driven.count == 1) return coefficient[0];
    double sum = 0.0;
    for (std::uint32_t k = 0; k < driven.count; ++k) sum += basis[start + k] * coefficient[k];
    return sum;
  }
};

}  // namespace tessera
