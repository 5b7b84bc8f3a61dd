// SPDX-License-Identifier: GPL-3.0-or-later
// Planning of openings with the scheme of Zou & He (zou_he.hpp): the axis of each, and the sources
// of the populations of their nodes.
#pragma once

#include <span>
#include <vector>

#include "solver/boundary/link.hpp"
#include "solver/boundary/planned_opening.hpp"

namespace tessera::solver::boundary {

// Axis of the lattice that each chosen opening lies across; 0 for others. Throws StageError(Usage)
// for one that does not lie across an axis, on one plane of nodes, or that meets another opening,
// and for the shifted tiling.
std::vector<std::size_t> zouHeAxes(const PlanInput& lattice, const std::vector<bool>& chosen);

// Indices that the q populations of the node of each chosen opening's link are gathered from, q per
// link of order.openingLinks; 0 for other links and for tiles that have no slot.
std::vector<std::uint64_t> zouHeSources(const PlanInput& lattice, const std::vector<bool>& chosen,
                                        std::span<const PopulationCopy> copies);

}  // namespace tessera::solver::boundary
