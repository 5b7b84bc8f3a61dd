// SPDX-License-Identifier: GPL-3.0-or-later
// Interpolation of node fields: trilinear over the non-solid nodes on one side of every wall.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "postprocess/fields/node_lookup.hpp"
#include "preprocess/geometry/frame.hpp"
#include "solver/file/fields_file.hpp"

namespace tessera::postprocess::fields {

// Non-solid nodes among the eight around a position; where cut links pass between them, those on
// the position's side.
struct Stencil {
  int count = 0;
  std::array<std::uint64_t, 8> node{};  // indices into the fields
  std::array<double, 8> weight{};       // trilinear, scaled to sum to 1
  // Trilinear weight of the non-solid nodes before scaling: 1 away from walls, 1/2 on a wall
  // halfway along its links, 0 without nodes.
  double fluidPart = 0.0;
  // Weighted mean position of the used nodes: there a linear field has the sampled value.
  Double3 centre{};
  Int3 low{};                // lowest of the eight nodes
  std::uint8_t corners = 0;  // bit c: node low + (c & 1, c >> 1 & 1, c >> 2) is used
  bool nearCut = false;      // some of the eight nodes have cut links
};

// A plane whose normal points away from the side to sample; lattice coordinates.
struct HalfSpace {
  Double3 point{};
  Double3 normal{};
};

// position in lattice coordinates (nodes). Its side of a cut link is that of the wall, by the
// distances of the links around it.
Stencil stencilAt(const NodeLookup& lookup, const Double3& position);
// As stencilAt, but on the side with more weight: walls stand halfway along cut links as along
// others, so that the areas on both sides add up.
Stencil stencilByWeight(const NodeLookup& lookup, const Double3& position);
// The same without nodes beyond the plane, so that no value comes from behind a thin wall.
Stencil stencilWithin(const NodeLookup& lookup, const Double3& position, const HalfSpace& side);
// As stencilAt, but where cut links pass between the nodes, on the side of the nodes before the
// plane.
Stencil stencilOnSide(const NodeLookup& lookup, const Double3& position, const HalfSpace& side);

// Whether no wall stands between two positions at most one node apart, away from cut links always.
bool sameSide(const NodeLookup& lookup, const Stencil& a, const Stencil& b);

inline double sample(const std::vector<float>& field, const Stencil& stencil) {
  double sum = 0.0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(stencil.count); ++i)
    sum += stencil.weight[i] * static_cast<double>(field[stencil.node[i]]);
  return sum;
}

template <std::size_t n>
std::array<double, n> sample(const std::vector<std::array<float, n>>& field,
                             const Stencil& stencil) {
  std::array<double, n> sum{};
  for (std::size_t i = 0; i < static_cast<std::size_t>(stencil.count); ++i)
    for (std::size_t c = 0; c < n; ++c)
      sum[c] += stencil.weight[i] * static_cast<double>(field[stencil.node[i]][c]);
  return sum;
}

// Velocity as stored, lattice axes. A solid node mirrors the velocity of the fluid nodes, so that
// it falls linearly to zero halfway between them.
inline Double3 sampleVelocity(const solver::file::Fields& fields, const Stencil& stencil) {
  Double3 velocity = sample(fields.velocity, stencil);
  for (double& component : velocity) component *= 2.0 * stencil.fluidPart - 1.0;
  return velocity;
}

}  // namespace tessera::postprocess::fields
