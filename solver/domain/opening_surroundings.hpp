// SPDX-License-Identifier: GPL-3.0-or-later
// Nodes around openings for two steps in a pass of a state of moments. The tiles know no openings:
// after their first step nodes at openings are wrong, after their second also the nodes that gather
// from these. Both are stepped apart, in a scratch state of the tiles that hold them: the first
// step for them and for all nodes that they gather from, the second for them alone.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/boundary/moment_openings.hpp"
#include "solver/domain/domain.hpp"

namespace tessera::solver::domain {

struct OpeningSurroundings {
  // Nodes that make the first step: the `stepped` ones of MomentOpenings::nodes, then those that
  // gather from them, then the rest.
  std::vector<boundary::OpeningNodeLocation> nodes;
  std::vector<boundary::OpeningNodeLocation> scratchNodes;  // the same, in the scratch tiles
  std::size_t again = 0;                // leading nodes, which make the second step too
  std::vector<std::int32_t> openingOf;  // by node: its index in MomentOpenings::nodes, or -1
  // Of the scratch tiles, model::neighbourStride per tile, with the mask entries of the domain. A
  // tile in place of its neighbour: none of the neighbour's nodes is read.
  std::vector<std::int32_t> neighbourTable;
  [[nodiscard]] std::uint32_t tiles() const {
    return static_cast<std::uint32_t>(neighbourTable.size() / model::neighbourStride);
  }
};

// velocities: directions of the lattice, in its order. One rank, no copies across periodic faces.
OpeningSurroundings openingSurroundings(const Domain& domain,
                                        std::span<const std::array<int, 3>> velocities,
                                        const boundary::MomentOpenings& openings);

}  // namespace tessera::solver::domain
