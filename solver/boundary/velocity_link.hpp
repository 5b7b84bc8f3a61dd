// SPDX-License-Identifier: GPL-3.0-or-later
// Velocity condition of a link: bounce-back from a moving plane (Ladd 1994) of the node's
// regularised population (Latt & Chopard 2006), with the velocity v at the middle of the link,
//   f_o = w_i (r + 3 c_i . m - 6 c_i . v + rho E_i(v) + 4.5 (c_i c_i - 1/3) : Pi_neq) + w_i s,
// r, momentum m and stress of the node, where s makes the mass that crosses the links of one node
// exactly the sum of 6 w_i c_i . v. i points out of the fluid, o is its opposite, E_i(v) = 4.5 (c_i
// . v)^2 - 1.5 v^2, populations are deviations from rest. Returned as it is, the population carries
// the ghost moments of the node, which at low viscosity grow; with the equilibrium of v in place of
// m and v, pressure and shear of the node would stand for those half a link further.
#pragma once

#include "solver/boundary/link.hpp"

namespace tessera::solver::boundary {

// The regularised population, without s.
template <class Variant>
TESSERA_HOST_DEVICE typename Variant::Real regularisedPopulation(
    const IncomingLink& link, const OpeningNode<Variant>& node,
    const LinkValue<typename Variant::Real>& v) {
  using Real = typename Variant::Real;
  const Real cv = v.value / (Real(6) * Real(link.weight));
  const Real vv = v.speedSquared;
  const Real x = link.c[0];
  const Real y = link.c[1];
  const Real z = link.c[2];
  const Real cm = x * node.n.m[0] + y * node.n.m[1] + z * node.n.m[2];
  const auto& pi = node.pi;
  const Real stress = x * x * pi[0] + y * y * pi[1] + z * z * pi[2] +
                      Real(2) * (x * y * pi[3] + x * z * pi[4] + y * z * pi[5]) -
                      (pi[0] + pi[1] + pi[2]) / Real(3);
  const Real density = Variant::Equilibrium::inertialDensity(node.n.r, Real(1));
  return Real(link.weight) *
         (node.n.r + Real(3) * cm - Real(6) * cv +
          density * (Real(4.5) * cv * cv - Real(1.5) * vv) + Real(4.5) * stress);
}

// Links that are read together, so that a device waits once for all of them.
constexpr int siblingsTogether = 4;

// Mass that the links of a node and opening have to let in beyond their regularised populations,
// and their weights, by which they share it.
template <class Real>
struct MissingMass {
  Real mass = 0;
  Real weights = 0;
};

// Missing mass of the links of the node and opening of links[k]. outgoing(link): population i of
// the link's node; sum: over the modes of links[k].
template <class Variant, class Outgoing>
TESSERA_HOST_DEVICE MissingMass<typename Variant::Real> missingMass(
    const IncomingLink* links, std::uint64_t k, const OpeningNode<Variant>& node,
    const Outgoing& outgoing, typename Variant::Real sum, const OpeningValues& values) {
  using Real = typename Variant::Real;
  const IncomingLink& link = links[k];
  MissingMass<Real> missing;
  const std::uint64_t first = k - link.siblingsBefore;
  const std::uint64_t end = first + link.siblings;
  const bool oneMode = values.openings[link.opening].count == 1;  // the same for all of them
  for (std::uint64_t s = first; s < end; s += siblingsTogether) {
    IncomingLink of[siblingsTogether];
    Real out[siblingsTogether];
    model::forEach<siblingsTogether>([&](auto n) {
      const std::uint64_t at = s + n;
      of[n] = links[at < end ? at : end - 1];
    });
    model::forEach<siblingsTogether>([&](auto n) { out[n] = outgoing(of[n]); });
    model::forEach<siblingsTogether>([&](auto n) {
      const std::uint64_t at = s + n;
      if (at >= end) return;
      const LinkValue<Real> v =
          linkValue(of[n], oneMode ? sum : values.template modalSum<Real>(of[n]));
      missing.mass += out[n] - v.value - regularisedPopulation<Variant>(of[n], node, v);
      missing.weights += Real(of[n].weight);
    });
  }
  return missing;
}

// sum: over the modes of the link.
template <class Variant>
TESSERA_HOST_DEVICE typename Variant::Real velocityPopulation(
    const IncomingLink& link, const OpeningNode<Variant>& node,
    const MissingMass<typename Variant::Real>& missing, typename Variant::Real sum) {
  using Real = typename Variant::Real;
  return regularisedPopulation<Variant>(link, node, linkValue(link, sum)) +
         Real(link.weight) * missing.mass / missing.weights;
}

}  // namespace tessera::solver::boundary
