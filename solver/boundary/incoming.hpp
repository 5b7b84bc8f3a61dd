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

// Population of links[k]; sample, unless null, receives what crosses the link in this step.
template <class Variant>
TESSERA_HOST_DEVICE typename Variant::Real boundaryPopulation(
    const IncomingLink* links, std::uint64_t k, const typename Variant::Storage* state,
    const model::StepParameters<typename Variant::Real>& p, const OpeningValues& values,
    LinkSample* sample) {
  using Real = typename Variant::Real;
  const IncomingLink& link = links[k];
  const OpeningNode<Variant> node(state + link.node, p);
  const auto outgoing = [&](const IncomingLink& of) {
    return Real(state[of.node + static_cast<std::uint64_t>(64U * of.direction)]);
  };
  const Real sum = values.template modalSum<Real>(link);
  Real incoming = 0;
  switch (link.condition) {
    case LinkCondition::ZouHeVelocity:
    case LinkCondition::ZouHePressure:
      incoming = zouHePopulation<Variant>(link, values.sources + k * Variant::q, state, p,
                                          linkValue(link, sum).value);
      break;
    case LinkCondition::Velocity:
      incoming = velocityPopulation<Variant>(links, k, node, outgoing, sum, values);
      break;
    case LinkCondition::Pressure:
      incoming = pressurePopulation<Variant>(link, node, k, values, p, outgoing(link),
                                             linkValue(link, sum).value);
      break;
  }
  if (sample != nullptr) {
    const double out = double(outgoing(link));
    const double back = double(Real(typename Variant::Storage(incoming)));
    *sample = {out - double(incoming), double(node.n.r), out + back, double(node.n.r)};
  }
  return incoming;
}

}  // namespace tessera::solver::boundary
