// SPDX-License-Identifier: GPL-3.0-or-later
// Populations that enter through openings, link by link, for any orientation. A population is put
// where the gather of the step reads it, at the position of the node beyond the opening. One
// function dispatches to the formula of the link: velocity_link.hpp, pressure_link.hpp, zou_he.hpp.
#pragma once

#include <cstdint>

#include "solver/boundary/pressure_link.hpp"
#include "solver/boundary/velocity_link.hpp"
#include "solver/boundary/zou_he.hpp"

namespace tessera::solver::boundary {

// Population that leaves through a link.
template <class Variant>
TESSERA_HOST_DEVICE typename Variant::Real outgoingPopulation(
    const typename Variant::Storage* state, const IncomingLink& link) {
  return
      typename Variant::Real(state[link.node + static_cast<std::uint64_t>(64U * link.direction)]);
}

// Moments and missing mass, which the links of one node and opening share: those of links[k].
template <class Variant>
struct SharedByLinks {
  OpeningNode<Variant> node;
  MissingMass<typename Variant::Real> missing;  // of the velocity condition

  TESSERA_HOST_DEVICE SharedByLinks(const IncomingLink* links, std::uint64_t k,
                                    const typename Variant::Storage* state,
                                    const model::StepParameters<typename Variant::Real>& p,
                                    const OpeningValues& values)
      : node(state + links[k].node, p) {
    if (links[k].condition == LinkCondition::Velocity)
      missing = missingMass<Variant>(
          links, k, node,
          [&](const IncomingLink& of) { return outgoingPopulation<Variant>(state, of); },
          values.template modalSum<typename Variant::Real>(links[k]), values);
  }
};

// Population of links[k]; sample, unless null, receives what crosses the link in this step.
// atLink(): its AtOpening, asked for where the link is of a pressure.
template <class Variant, class AtLink>
TESSERA_HOST_DEVICE typename Variant::Real boundaryPopulation(
    const IncomingLink* links, std::uint64_t k, const SharedByLinks<Variant>& shared,
    const AtLink& atLink, const typename Variant::Storage* state,
    const model::StepParameters<typename Variant::Real>& p, const OpeningValues& values,
    LinkSample* sample) {
  using Real = typename Variant::Real;
  const IncomingLink& link = links[k];
  const OpeningNode<Variant>& node = shared.node;
  const Real sum = values.template modalSum<Real>(link);
  Real incoming = 0;
  switch (link.condition) {
    case LinkCondition::ZouHeVelocity:
    case LinkCondition::ZouHePressure:
      incoming = zouHePopulation<Variant>(link, values.sources + k * Variant::q, state, p,
                                          linkValue(link, sum).value);
      break;
    case LinkCondition::Velocity:
      incoming = velocityPopulation<Variant>(link, node, shared.missing, sum);
      break;
    case LinkCondition::Pressure: {
      const AtOpening<Real> at = atLink();
      incoming = pressurePopulation<Variant>(link, node, at, excessAt<Variant>(at, p),
                                             outgoingPopulation<Variant>(state, link),
                                             linkValue(link, sum).value);
      break;
    }
  }
  if (sample != nullptr) {
    const double out = double(outgoingPopulation<Variant>(state, link));
    const double back = double(Real(typename Variant::Storage(incoming)));
    *sample = {out - double(incoming), double(node.n.r), out + back, double(node.n.r)};
  }
  return incoming;
}

// The same with all sums of its stencil.
template <class Variant>
TESSERA_HOST_DEVICE typename Variant::Real boundaryPopulation(
    const IncomingLink* links, std::uint64_t k, const SharedByLinks<Variant>& shared,
    const typename Variant::Storage* state, const model::StepParameters<typename Variant::Real>& p,
    const OpeningValues& values, LinkSample* sample) {
  return boundaryPopulation<Variant>(
      links, k, shared, [&] { return atOpening<Variant>(k, values.stencils); }, state, p, values,
      sample);
}

// One link alone, as a thread of a device finds it.
template <class Variant>
TESSERA_HOST_DEVICE typename Variant::Real boundaryPopulation(
    const IncomingLink* links, std::uint64_t k, const typename Variant::Storage* state,
    const model::StepParameters<typename Variant::Real>& p, const OpeningValues& values,
    LinkSample* sample) {
  return boundaryPopulation<Variant>(links, k, SharedByLinks<Variant>(links, k, state, p, values),
                                     state, p, values, sample);
}

}  // namespace tessera::solver::boundary
