// SPDX-License-Identifier: GPL-3.0-or-later
// Planning of outlets whose pressure follows from their flow rate (outlets.hpp): their equations in
// lattice units, their links in chunks, and their initial state.
#pragma once

#include <span>
#include <vector>

#include "solver/boundary/condition.hpp"
#include "solver/boundary/link_value.hpp"

namespace tessera::solver::boundary {

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
