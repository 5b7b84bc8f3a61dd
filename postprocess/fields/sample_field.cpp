// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/fields/sample_field.hpp"

#include <cmath>

#include "preprocess/geometry/mesh.hpp"

namespace tessera::postprocess::fields {

namespace {

template <class Accept>
Stencil gather(const NodeLookup& lookup, const Double3& position, Accept&& accept) {
  Int3 corner{};
  Double3 fraction{};
  for (std::size_t a = 0; a < 3; ++a) {
    const double below = std::floor(position[a]);
    corner[a] = static_cast<int>(below);
    fraction[a] = position[a] - below;
  }
  Stencil stencil;
  for (int c = 0; c < 8; ++c) {
    const Int3 step{c & 1, c >> 1 & 1, c >> 2};
    double weight = 1.0;
    Int3 node{};
    for (std::size_t a = 0; a < 3; ++a) {
      weight *= step[a] == 1 ? fraction[a] : 1.0 - fraction[a];
      node[a] = corner[a] + step[a];
    }
    if (weight <= 0.0) continue;
    const Double3 place{static_cast<double>(node[0]), static_cast<double>(node[1]),
                        static_cast<double>(node[2])};
    if (!accept(place)) continue;
    const std::int64_t index = lookup.indexOf(node);
    if (index < 0) continue;
    const auto slot = static_cast<std::size_t>(stencil.count++);
    stencil.node[slot] = static_cast<std::uint64_t>(index);
    stencil.weight[slot] = weight;
    stencil.fluidPart += weight;
    stencil.centre = stencil.centre + weight * place;
  }
  if (stencil.count == 0) return stencil;
  for (double& weight : stencil.weight) weight /= stencil.fluidPart;
  stencil.centre = (1.0 / stencil.fluidPart) * stencil.centre;
  return stencil;
}

}  // namespace

Stencil stencilAt(const NodeLookup& lookup, const Double3& position) {
  return gather(lookup, position, [](const Double3&) { return true; });
}

Stencil stencilWithin(const NodeLookup& lookup, const Double3& position, const HalfSpace& side) {
  return gather(lookup, position,
                [&](const Double3& place) { return dot(place - side.point, side.normal) <= 0.0; });
}

}  // namespace tessera::postprocess::fields
