// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/fields/velocity_gradient.hpp"

namespace tessera::postprocess::fields {

namespace {

struct AlongAxis {
  const NodeLookup& lookup;
  const solver::file::Fields& fields;
  Int3 node;
  std::size_t axis;

  // Index in the fields `steps` nodes further (one or two, either way), -1 for none or behind a
  // wall; of two steps the first must exist.
  [[nodiscard]] std::int64_t at(int steps) const {
    Int3 place = node, before = node, step{};
    place[axis] += steps;
    step[axis] = steps > 0 ? 1 : -1;
    before[axis] = place[axis] - step[axis];
    return lookup.connected(before, step) ? lookup.indexOf(place) : -1;
  }
  [[nodiscard]] Double3 velocity(std::int64_t index) const {
    const auto& u = fields.velocity[static_cast<std::size_t>(index)];
    return {u[0], u[1], u[2]};
  }
};

// One-sided difference towards the only neighbour, on side `sign`, with a second one if it exists.
Double3 oneSided(const AlongAxis& along, const Double3& here, std::int64_t first, int sign) {
  const Double3 near = along.velocity(first);
  const std::int64_t second = along.at(2 * sign);
  Double3 slope{};
  for (std::size_t i = 0; i < 3; ++i) slope[i] = sign * (near[i] - here[i]);
  if (second < 0) return slope;
  const Double3 far = along.velocity(second);
  for (std::size_t i = 0; i < 3; ++i)
    slope[i] = sign * (-1.5 * here[i] + 2.0 * near[i] - 0.5 * far[i]);
  return slope;
}

Double3 derivative(const AlongAxis& along, const Double3& here) {
  const std::int64_t below = along.at(-1), above = along.at(1);
  if (below < 0 && above < 0) return {};
  if (below < 0) return oneSided(along, here, above, 1);
  if (above < 0) return oneSided(along, here, below, -1);
  const Double3 low = along.velocity(below), high = along.velocity(above);
  return {0.5 * (high[0] - low[0]), 0.5 * (high[1] - low[1]), 0.5 * (high[2] - low[2])};
}

}  // namespace

VelocityGradient velocityGradient(const NodeLookup& lookup, const solver::file::Fields& fields,
                                  const Int3& node, std::uint64_t index) {
  VelocityGradient gradient{};
  const double factor = fields.velocityFactor / lookup.geometry.frame.spacing;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const AlongAxis along{lookup, fields, node, axis};
    const Double3 slope = derivative(along, along.velocity(static_cast<std::int64_t>(index)));
    for (std::size_t i = 0; i < 3; ++i) gradient[i][axis] = factor * slope[i];
  }
  return gradient;
}

Double3 vorticity(const VelocityGradient& g) {
  return {g[2][1] - g[1][2], g[0][2] - g[2][0], g[1][0] - g[0][1]};
}

double qCriterion(const VelocityGradient& g) {
  double product = 0.0;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) product += g[i][j] * g[j][i];
  return -0.5 * product;  // |W|^2 - |S|^2 = -g_ij g_ji
}

}  // namespace tessera::postprocess::fields
