// SPDX-License-Identifier: GPL-3.0-or-later
// Planning of the stencils of pressure links (opening_stencil.hpp).
#pragma once

#include <span>

#include "solver/boundary/advection_share.hpp"
#include "solver/boundary/opening_stencil.hpp"
#include "solver/boundary/planned_opening.hpp"
#include "solver/boundary/wall_condition.hpp"

namespace tessera::solver::boundary {

// Walls next to openings, and the collision, as stencils take them into account.
struct StencilWalls {
  WallScheme scheme = WallScheme::Halfway;
  std::span<const WallCondition> conditions;  // by label; those beyond rest
  AdvectionShares advection = {};
};

// Stencils of `links`, which are order.openingLinks[of[k]], k ascending. Near an opening of
// prescribed pressure the velocity u changes along the plane alone and the gradient of the pressure
// is normal to it. A polynomial of second degree in the two coordinates along the plane is fitted
// to u by least squares: at the fluid nodes up to two steps from the link's node, reached without
// crossing a wall, and where their links meet walls at rest, where it is 0; of first degree, or
// constant, where these do not determine it well. The gradient of r comes from the plane, the
// node and the neighbour farthest inside.
OpeningStencils planStencils(const PlanInput& lattice, const StencilWalls& walls,
                             std::span<const IncomingLink> links, std::span<const std::size_t> of);

}  // namespace tessera::solver::boundary
