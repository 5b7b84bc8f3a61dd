// SPDX-License-Identifier: GPL-3.0-or-later
// Is there a way through the fluid: from opening to opening, and around the periodic axes. Nodes
// are joined with their 26 neighbours, as in lattice/components.hpp; parts that meet at corners
// alone count as joined although D3Q19 has no link along a corner.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "preprocess/lattice/bit_lattice.hpp"

namespace tessera {

struct Percolation {
  std::uint64_t parts = 0;         // connected parts of the fluid
  std::uint64_t largestNodes = 0;  // of the largest of them
  // Nodes of the parts that touch two openings or more (one where there is but one), and of those
  // that touch none; without openings, of the parts that wrap around a periodic axis and of those
  // that do not. Absent where there is neither opening nor periodic axis.
  std::optional<std::uint64_t> effectiveNodes;
  std::optional<std::uint64_t> deadNodes;
  // By periodic axis: is there a closed way through the fluid that goes around it?
  std::array<bool, 3> wraps{false, false, false};
  // By opening: is there a way to the first one?
  std::vector<bool> reached;
};

// touching: for each opening the fluid nodes at it, x + nx * (y + ny * z). Throws
// StageError(NoResource) for 2^32 or more runs of fluid nodes along x.
Percolation percolationOf(const BitLattice& fluid, const std::array<bool, 3>& periodic,
                          std::span<const std::vector<std::uint64_t>> touching);

}  // namespace tessera
