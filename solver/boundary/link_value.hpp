// SPDX-License-Identifier: GPL-3.0-or-later
// Value of an opening's link in a step, a sum over modes,
//   value(link, t) = value(link) * sum over m of basis_m(link) a_m(t),
// with the amplitudes a_m of the step from the opening's condition (time_series.hpp) or, where a
// pressure follows from a flow rate, from solveOutlets(). All profiles but Womersley's have one
// mode, whose basis value is 1 and not stored. Evaluated here and nowhere else, on host and device.
#pragma once

#include <cstdint>

#include "solver/boundary/link.hpp"
#include "solver/model/platform.hpp"

namespace tessera::solver::boundary {

// Modes of an opening: amplitudes first .. first + count - 1 of a step.
struct DrivenOpening {
  std::uint32_t first;
  std::uint32_t count;
};

template <class Real>
struct LinkValue {
  Real value;         // of IncomingLink::value in this step
  Real speedSquared;  // of IncomingLink::speedSquared
};

// The formula above; sum: over the modes.
template <class Real>
TESSERA_ANY LinkValue<Real> linkValue(const IncomingLink& link, Real sum) {
  return {Real(link.value) * sum, Real(link.speedSquared) * sum * sum};
}

// Pointers into the memory of a backend.
struct OpeningValues {
  const DrivenOpening* openings;
  const double* basis;         // count values per link of openings whose count is not 1
  const double* coefficients;  // amplitudes of one step
  // Links by Zou & He: sources of the q populations of their nodes, q per link of all.
  const std::uint64_t* sources;

  // Sum over the modes of a link.
  template <class Real>
  TESSERA_ANY Real modalSum(const IncomingLink& link) const {
    const DrivenOpening driven = openings[link.opening];
    const double* amplitude = coefficients + driven.first;
    if (driven.count == 1) return Real(amplitude[0]);
    double sum = 0.0;
    for (std::uint32_t k = 0; k < driven.count; ++k) sum += basis[link.basis + k] * amplitude[k];
    return Real(sum);
  }
};

}  // namespace tessera::solver::boundary
