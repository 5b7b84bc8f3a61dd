// SPDX-License-Identifier: GPL-3.0-or-later
// Nodes of a state of moments that are stepped apart from their tiles, which know no openings:
// those at openings and, for two steps in a pass, those around them. After the first step of the
// tiles nodes at openings are wrong, after the second also the nodes that gather from these. Both
// make the first step with all nodes that they gather from, and the second from there.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/boundary/moment_openings.hpp"
#include "solver/domain/domain.hpp"

namespace tessera::solver::domain {

struct OpeningSurroundings {
  // Nodes that make the first step: the `stepped` ones of MomentOpenings::nodes; for two steps then
  // those that gather from them, then the rest.
  std::vector<boundary::OpeningNodeLocation> nodes;
  std::size_t again = 0;                // leading nodes, which make the second step; 0: one step
  std::vector<std::int32_t> openingOf;  // by node: its index in MomentOpenings::nodes, or -1
  // Nodes from which populations 1 .. q - 1 arrive, direction by direction; the node itself at a
  // wall, where its own opposite population comes back, and where an opening sets what arrives.
  std::vector<std::uint32_t> sources;       // of all nodes: 64 slot + local
  std::vector<std::uint32_t> sourcesAgain;  // of leading nodes: places in `nodes`
};

// velocities: directions of the lattice, in its order. twice: one rank, no copies across periodic
// faces. Throws StageError where a place does not fit its number.
OpeningSurroundings openingSurroundings(const Domain& domain,
                                        std::span<const std::array<int, 3>> velocities,
                                        const boundary::MomentOpenings& openings, bool twice);

}  // namespace tessera::solver::domain
