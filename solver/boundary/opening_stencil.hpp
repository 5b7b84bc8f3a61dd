// SPDX-License-Identifier: GPL-3.0-or-later
// Stencils of pressure links: sums over the fluid nodes around a link's node that extrapolate the
// velocity to the middle of the link and the pressure from the plane of the opening to there, and
// give the derivatives of the velocity that the advection takes (plan_stencils.hpp,
// advection_share.hpp). Nodes are shared by the links: their pressure and velocity are found once a
// step, from the populations after the last collision, and the sums run over these. Traffic per
// link: some 40 entries of 24 B and as many nodes of 32 B, which neighbouring links share.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "pipelines/stage/system/large_array.hpp"
#include "solver/boundary/link.hpp"

namespace tessera::solver::boundary {

struct alignas(8) StencilEntry {
  std::uint32_t node;  // in OpeningStencils::nodes
  float velocity;      // weight in the change of velocity from the node to the node beyond
  float pressure;      // weight in r at the middle of the link
  float bend;          // weight in K : second derivatives of the velocity
  float along[2];      // weights in its derivatives along two directions in the plane
};

// Entries first, first + stride, ... of a link, `count` of them, with StencilValues::stride; none
// at links that are not of a pressure.
struct LinkStencil {
  std::uint32_t first;
  std::uint32_t count;
  double gain;      // weight of the prescribed r in r at the middle of the link
  float normal[3];  // of the opening, outwards
  float slopes[3];  // K along the two directions: 11, 22, 12 + 21
};

struct OpeningStencils {
  std::vector<std::uint64_t> nodes;  // index of population 0
  std::vector<LinkStencil> links;    // in the order of the links; empty without pressure links
  std::vector<StencilEntry> entries;
};

// The same with the entries of `together` successive links side by side, which is their stride:
// lanes of a device that take a share of one of these links each then read neighbouring entries.
// Shorter stencils are filled up with 0.
inline OpeningStencils sideBySide(const OpeningStencils& stencils, std::uint32_t together) {
  OpeningStencils out;
  out.nodes = stencils.nodes;
  out.links = stencils.links;
  const auto endOf = [&](std::size_t first) {
    return std::min(first + together, out.links.size());
  };
  const auto mostOf = [&](std::size_t first) {
    std::uint32_t most = 0;
    for (std::size_t k = first; k < endOf(first); ++k) most = std::max(most, out.links[k].count);
    return most;
  };
  std::size_t entries = 0;
  for (std::size_t first = 0; first < out.links.size(); first += together)
    entries += std::size_t{mostOf(first)} * together;
  stage::reserveLarge(out.entries, entries);
  for (std::size_t first = 0; first < out.links.size(); first += together) {
    const std::size_t end = endOf(first);
    const std::size_t begin = out.entries.size();
    const std::uint32_t most = mostOf(first);
    out.entries.resize(begin + std::size_t{most} * together, StencilEntry{});
    for (std::size_t k = first; k < end; ++k) {
      out.links[k].first = static_cast<std::uint32_t>(begin + (k - first));
      for (std::uint32_t e = 0; e < out.links[k].count; ++e)
        out.entries[out.links[k].first + std::size_t{e} * together] =
            stencils.entries[stencils.links[k].first + e];
    }
  }
  return out;
}

// r and velocity of a node of the stencils.
struct alignas(16) StencilNode {
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

// Results of a link's sums, at its middle.
template <class Real>
struct AtOpening {
  Real r = 0;          // without the share of the prescribed one
  Real gain = 1;       // LinkStencil's
  Real change[3]{};    // of velocity from the node to the node beyond, twice that to the middle
  Real normal[3]{};    // LinkStencil's
  Real slopes = 0;     // K : products of the derivatives of the normal velocity U
  Real bend = 0;       // K : second derivatives of U
  Real shearRate = 0;  // only where the viscosity is local
};

// Sums over entries of a stencil.
struct StencilSums {
  double r = 0.0;
  double bend = 0.0;
  double change[3]{};
  double gradient[2][3]{};  // of the velocity, along the two directions in the plane

  TESSERA_HOST_DEVICE void add(const StencilSums& other) {
    r += other.r;
    bend += other.bend;
    for (int a = 0; a < 3; ++a) {
      change[a] += other.change[a];
      for (int t = 0; t < 2; ++t) gradient[t][a] += other.gradient[t][a];
    }
  }
  // Every sum replaced by function(sum).
  template <class Function>
  TESSERA_HOST_DEVICE StencilSums with(const Function& function) const {
    StencilSums out;
    out.r = function(r);
    out.bend = function(bend);
    for (int a = 0; a < 3; ++a) {
      out.change[a] = function(change[a]);
      for (int t = 0; t < 2; ++t) out.gradient[t][a] = function(gradient[t][a]);
    }
    return out;
  }
};

// The sums of a link are made in shares, each of every fourth entry, which are added in pairs: four
// lanes of a device find them together, one thread alone with the same bits.
constexpr std::uint32_t stencilShares = 4;
// Entries of a share that are read together, so that a device waits once for all of them.
constexpr std::uint32_t entriesTogether = 5;

// share: below stencilShares.
TESSERA_HOST_DEVICE StencilSums sumsOfShare(const LinkStencil& link, const StencilValues& stencils,
                                            std::uint32_t share) {
  StencilSums sums;
  for (std::uint32_t first = share; first < link.count; first += entriesTogether * stencilShares) {
    StencilEntry entries[entriesTogether];
    StencilNode nodes[entriesTogether];
    const auto isEntry = [&](auto k) { return first + k * stencilShares < link.count; };
    model::forEach<int(entriesTogether)>([&](auto k) {
      const std::uint32_t e = isEntry(k) ? first + k * stencilShares : first;
      entries[k] = stencils.entries[link.first + e * stencils.stride];
    });
    model::forEach<int(entriesTogether)>(
        [&](auto k) { nodes[k] = stencils.nodes[entries[k].node]; });
    model::forEach<int(entriesTogether)>([&](auto k) {
      if (!isEntry(k)) return;
      const StencilEntry& entry = entries[k];
      const StencilNode& node = nodes[k];
      sums.r += double(entry.pressure) * node.r;
      for (int a = 0; a < 3; ++a) {
        sums.change[a] += double(entry.velocity) * node.u[a];
        sums.bend += double(entry.bend) * double(link.normal[a]) * node.u[a];
        for (int t = 0; t < 2; ++t) sums.gradient[t][a] += double(entry.along[t]) * node.u[a];
      }
    });
  }
  return sums;
}

// Sums of all entries.
TESSERA_HOST_DEVICE StencilSums sumsOfLink(const LinkStencil& link, const StencilValues& stencils) {
  static_assert(stencilShares == 4);
  StencilSums sums = sumsOfShare(link, stencils, 0);
  sums.add(sumsOfShare(link, stencils, 1));
  StencilSums others = sumsOfShare(link, stencils, 2);
  others.add(sumsOfShare(link, stencils, 3));
  sums.add(others);
  return sums;
}

// sums: of all entries of the link.
template <class Variant>
TESSERA_HOST_DEVICE AtOpening<typename Variant::Real> atOpening(const LinkStencil& link,
                                                                const StencilSums& sums) {
  using Real = typename Variant::Real;
  AtOpening<Real> out;
  double slope[2] = {0.0, 0.0};
  double squares = 0.0;
  for (int t = 0; t < 2; ++t)
    for (int a = 0; a < 3; ++a) {
      slope[t] += double(link.normal[a]) * sums.gradient[t][a];
      squares += sums.gradient[t][a] * sums.gradient[t][a];
    }
  out.r = Real(sums.r);
  out.gain = Real(link.gain);
  for (int a = 0; a < 3; ++a) {
    out.change[a] = Real(sums.change[a]);
    out.normal[a] = Real(link.normal[a]);
  }
  out.slopes = Real(double(link.slopes[0]) * slope[0] * slope[0] +
                    double(link.slopes[1]) * slope[1] * slope[1] +
                    double(link.slopes[2]) * slope[0] * slope[1]);
  out.bend = Real(sums.bend);
  if constexpr (Variant::Viscosity::local) out.shearRate = Real(std::sqrt(squares));
  return out;
}

// Sums of links[k], by one thread.
template <class Variant>
TESSERA_HOST_DEVICE AtOpening<typename Variant::Real> atOpening(std::uint64_t k,
                                                                const StencilValues& stencils) {
  if (stencils.links == nullptr) return {};
  const LinkStencil& link = stencils.links[k];
  return atOpening<Variant>(link, sumsOfLink(link, stencils));
}

}  // namespace tessera::solver::boundary
