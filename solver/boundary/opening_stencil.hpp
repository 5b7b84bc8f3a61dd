// SPDX-License-Identifier: GPL-3.0-or-later
// Stencils of pressure links: sums over the fluid nodes around a link's node that extrapolate the
// velocity to the middle of the link and the pressure from the plane of the opening to there, and
// give what is left of the advection (plan_stencils.hpp, advection_share.hpp). Nodes are shared by
// the links: their pressure and velocity are found once a step, from the populations after the last
// collision, and the sums run over these. Traffic per link: some 40 entries of 16 B (24 B where the
// viscosity is local) and as many nodes of 32 B, which neighbouring links share.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "solver/boundary/link.hpp"

namespace tessera::solver::boundary {

struct StencilEntry {
  std::uint32_t node;  // in OpeningStencils::nodes
  float velocity;      // weight in the change of velocity from the node to the node beyond
  float pressure;      // weight in r at the middle of the link
  float advection;     // weight of |u|^2 in AtOpening's
};

// Weights in the derivatives of velocity along two directions in the plane of the opening.
struct GradientEntry {
  float along[2];
};

// Entries first .. first + count - 1 of a link; none at links that are not of a pressure.
struct LinkStencil {
  std::uint32_t first;
  std::uint32_t count;
  double gain;  // weight of the prescribed r in r at the middle of the link
};

struct OpeningStencils {
  std::vector<std::uint64_t> nodes;  // index of population 0
  std::vector<LinkStencil> links;    // in the order of the links; empty without pressure links
  std::vector<StencilEntry> entries;
  std::vector<GradientEntry> gradients;  // one an entry where the viscosity is local, else empty
};

// r and velocity of a node of the stencils.
struct StencilNode {
  double r;
  double u[3];
};

template <class Variant>
TESSERA_HOST_DEVICE StencilNode
stencilNode(const typename Variant::Storage* populations,
            const model::StepParameters<typename Variant::Real>& p) {
  const OpeningNode<Variant> node(populations, p);
  return {double(node.n.r), {double(node.n.u[0]), double(node.n.u[1]), double(node.n.u[2])}};
}

// Results of a link's sums.
template <class Real>
struct AtOpening {
  Real r;          // at the middle of the link, without the share of the prescribed one
  Real gain;       // LinkStencil's
  Real advection;  // both terms of advection_share.hpp, over w_i
  Real change[3];  // of velocity from the node to the node beyond, twice that to the middle
  Real shearRate;  // only where the viscosity is local
};

template <class Variant>
TESSERA_HOST_DEVICE AtOpening<typename Variant::Real> atOpening(std::uint64_t k,
                                                                const StencilValues& stencils) {
  using Real = typename Variant::Real;
  if (stencils.links == nullptr)
    return {Real(0), Real(1), Real(0), {Real(0), Real(0), Real(0)}, Real(0)};
  const LinkStencil& link = stencils.links[k];
  double r = 0.0;
  double advection = 0.0;
  double change[3] = {0.0, 0.0, 0.0};
  double gradient[2][3] = {};
  for (std::uint32_t e = link.first; e < link.first + link.count; ++e) {
    const StencilEntry& entry = stencils.entries[e];
    const StencilNode& node = stencils.nodes[entry.node];
    r += double(entry.pressure) * node.r;
    advection += double(entry.advection) *
                 (node.u[0] * node.u[0] + node.u[1] * node.u[1] + node.u[2] * node.u[2]);
    for (int a = 0; a < 3; ++a) change[a] += double(entry.velocity) * node.u[a];
    if constexpr (Variant::Viscosity::local)
      for (int t = 0; t < 2; ++t)
        for (int a = 0; a < 3; ++a)
          gradient[t][a] += double(stencils.gradients[e].along[t]) * node.u[a];
  }
  double squares = 0.0;
  for (const auto& along : gradient)
    for (const double value : along) squares += value * value;
  return {Real(r),
          Real(link.gain),
          Real(advection),
          {Real(change[0]), Real(change[1]), Real(change[2])},
          Real(std::sqrt(squares))};
}

}  // namespace tessera::solver::boundary
