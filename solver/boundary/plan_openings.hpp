// SPDX-License-Identifier: GPL-3.0-or-later
// Planning of openings: the links of all conditions, as kernels read them.
#pragma once

#include <span>
#include <vector>

#include "solver/boundary/condition.hpp"
#include "solver/boundary/link.hpp"
#include "solver/boundary/plan_stencils.hpp"

namespace tessera::solver::boundary {

struct OpeningPlan {
  std::vector<IncomingLink> links;
  std::size_t sampledLinks = 0;        // the first of them; the others are at nodes of other ranks
  std::vector<DrivenOpening> driven;   // modes of each opening, and last the ramp
  std::vector<double> basis;           // mode values of links with several modes
  std::vector<std::uint64_t> sources;  // OpeningValues::sources; empty without links by Zou & He
  OpeningStencils stencils;            // of pressure links
};

// The opening as its condition sees it. walls: by label; those beyond rest. Throws
// StageError(Usage) when no link crosses it.
PlannedOpening plannedOpening(const PlanInput& lattice, std::size_t opening, PressureCourse course,
                              double reference, std::span<const WallCondition> walls = {});

// copies: populations copied across periodic faces. Links at own nodes and, where walls are
// interpolated, at those of other ranks next to own tiles, whose walls share their excess of mass
// with own ones (wall_mass.hpp). Throws StageError(Usage) for an opening that no link crosses, for
// a condition that cannot have its profile or scheme there, and for pressure differences beyond 20
// % of the lattice's own pressure.
OpeningPlan planOpenings(const PlanInput& lattice, const std::vector<Condition>& conditions,
                         std::span<const PopulationCopy> copies, const StencilWalls& walls);

// Planning of outlets whose pressure follows from their flow rate (outlets.hpp): their equations in
// lattice units, their links in chunks, and their initial state.

struct OutletPlan {
  std::vector<Outlet> outlets;
  std::vector<OutletState> states;
  std::vector<std::uint32_t> links;  // indices of links, outlet by outlet
  std::vector<FlowChunk> chunks;
  std::vector<std::uint32_t> prescribedPressures;  // indices of their amplitudes
  double meanGain = 0.0;                           // OutletShape's
};

// links: those whose flow is summed. driven: modes of each opening. longest: side of the geometry
// in nodes.
OutletPlan planOutlets(const std::vector<Condition>& conditions,
                       std::span<const IncomingLink> links, std::span<const DrivenOpening> driven,
                       const model::Scales& scales, int longest);

}  // namespace tessera::solver::boundary
