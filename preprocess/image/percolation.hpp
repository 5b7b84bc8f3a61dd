// SPDX-License-Identifier: GPL-3.0-or-later
// Is there a way through the fluid: from opening to opening, and around the periodic axes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "preprocess/lattice/components.hpp"

namespace tessera {

struct Percolation {
  std::vector<FluidPart> parts;  // by their first nodes
  // By periodic axis: is there a closed way through the fluid that goes around it?
  std::array<bool, 3> wraps{false, false, false};
};

// touching: for each opening the fluid nodes at it, x + nx * (y + ny * z). Throws
// StageError(NoResource) for 2^32 or more runs of fluid nodes along x.
Percolation percolationOf(const BitLattice& fluid, const std::array<bool, 3>& periodic,
                          std::span<const std::vector<std::uint64_t>> touching,
                          Neighbours neighbours = Neighbours::TwentySix);

}  // namespace tessera
