// SPDX-License-Identifier: GPL-3.0-or-later
// Records of links through which populations enter, as kernels read them.
#pragma once

#include <cstdint>

#include "solver/model/collision/macroscopic.hpp"
#include "solver/model/platform.hpp"
#include "solver/model/step_parameters.hpp"

namespace tessera::solver::boundary {

// Formula of a link's population (incoming.hpp).
enum class LinkCondition : std::uint8_t { Velocity, Pressure, ZouHeVelocity, ZouHePressure };

struct IncomingLink {
  std::uint64_t node;      // index of population 0 of the fluid node
  std::uint64_t target;    // index of the population to be filled
  double value;            // at amplitude 1 (OpeningValues). Velocity: 6 w_i c_i . v; by Zou & He
                           // the velocity out of the fluid; pressure: r_p = 3 (p - reference) / rho
  float c[3];              // c_i
  std::uint32_t basis;     // first of its mode values, see OpeningValues
  double weight;           // w_i
  double speedSquared;     // velocity: |v|^2 at amplitude 1
  std::uint8_t direction;  // i, out of the fluid
  LinkCondition condition;
  std::uint16_t opening;
  std::uint8_t siblingsBefore;  // links of the same node and opening are neighbours in the list
  std::uint8_t siblings;        // their number, this one included
  std::uint8_t axis;            // Zou & He: the axis that the opening lies across
};

// Sample of a link: mass that leaves through it in a step, and r of its node; for the forces on
// openings the momentum over c_i that it exchanges, f_i + f_o as stored, and r again, both summed
// over the steps that forces on walls are (StateSample::wallSteps).
struct LinkSample {
  double outflow;
  double r;
  double exchanged;
  double summedR;

  // Adds the step before.
  TESSERA_HOST_DEVICE void addKept(const LinkSample& kept) {
    exchanged += kept.exchanged;
    summedR += kept.summedR;
  }
};

// Population copied before each step, across a periodic face that no tile meets.
struct PopulationCopy {
  std::uint64_t from;
  std::uint64_t to;
};

// Value of an opening's link in a step, a sum over modes,
//   value(link, t) = value(link) * sum over m of basis_m(link) a_m(t),
// with the amplitudes a_m of the step from the opening's condition (time_series.hpp) or, where a
// pressure follows from a flow rate, from solveOutlets(). All profiles but Womersley's have one
// mode, whose basis value is 1 and not stored. Evaluated here and nowhere else, on host and device.

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
TESSERA_HOST_DEVICE LinkValue<Real> linkValue(const IncomingLink& link, Real sum) {
  return {Real(link.value) * sum, Real(link.speedSquared) * sum * sum};
}

struct StencilEntry;
struct LinkStencil;
struct StencilNode;

// Stencils of pressure links in the memory of a backend (opening_stencil.hpp); links is null
// without any.
struct StencilValues {
  const LinkStencil* links = nullptr;
  const StencilEntry* entries = nullptr;
  const StencilNode* nodes = nullptr;  // of this step
  std::uint32_t stride = 1;            // between the entries of a link
};

// Pointers into the memory of a backend.
struct OpeningValues {
  const DrivenOpening* openings;
  const double* basis;         // count values per link of openings whose count is not 1
  const double* coefficients;  // amplitudes of one step
  // Links by Zou & He: sources of the q populations of their nodes, q per link of all.
  const std::uint64_t* sources;
  StencilValues stencils = {};

  // Sum over the modes of a link.
  template <class Real>
  TESSERA_HOST_DEVICE Real modalSum(const IncomingLink& link) const {
    const DrivenOpening driven = openings[link.opening];
    const double* amplitude = coefficients + driven.first;
    if (driven.count == 1) return Real(amplitude[0]);
    double sum = 0.0;
    for (std::uint32_t k = 0; k < driven.count; ++k) sum += basis[link.basis + k] * amplitude[k];
    return Real(sum);
  }
};

// Moments of a node next to an opening, from its populations after the last collision.

template <class Variant>
struct OpeningNode {
  using Lattice = typename Variant::Lattice;
  using Real = typename Variant::Real;
  model::Macroscopic<Real> n;
  Real pi[6];  // non-equilibrium second moments, xx yy zz xy xz yz

  TESSERA_HOST_DEVICE OpeningNode(const typename Variant::Storage* populations,
                                  const model::StepParameters<Real>& p) {
    Real f[Lattice::q];
    model::forEach<Lattice::q>([&](auto i) { f[i] = Real(populations[64U * i]); });
    // Stored populations contain the whole force; half of it is taken off again.
    const Real half[3] = {-p.halfForce[0], -p.halfForce[1], -p.halfForce[2]};
    n = model::macroscopic<Lattice, typename Variant::Equilibrium, true>(f, half);
    model::secondMomentsOutOfEquilibrium<Lattice>(f, n, pi);
  }
};

}  // namespace tessera::solver::boundary
