// SPDX-License-Identifier: GPL-3.0-or-later
// Vorticity and Q-criterion (Hunt, Wray & Moin 1988) from finite differences of the nodes'
// velocities: central, next to a wall one-sided over three nodes; both exact for quadratic
// velocity. A node behind a cut link is behind a wall.
#pragma once

#include <array>

#include "postprocess/fields/node_lookup.hpp"
#include "solver/file/fields_file.hpp"

namespace tessera::postprocess::fields {

// gradient[i][j]: derivative of velocity component i along axis j, 1/s, lattice axes. index: of the
// node in the fields. Zero along an axis without neighbours.
using VelocityGradient = std::array<Double3, 3>;
VelocityGradient velocityGradient(const NodeLookup& lookup, const solver::file::Fields& fields,
                                  const Int3& node, std::uint64_t index);

// curl u, 1/s, lattice axes.
Double3 vorticity(const VelocityGradient& gradient);

// (|W|^2 - |S|^2) / 2 W rotation, S strain, 1/s2; positive in vortices.
double qCriterion(const VelocityGradient& gradient);

}  // namespace tessera::postprocess::fields
