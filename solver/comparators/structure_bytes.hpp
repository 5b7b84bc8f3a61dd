// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes that storage structures move and hold on a geometry, counted from its node types and tiles:
// by a structure's own plan (structure.hpp), and here for tiles as runs store them. --bench
// comparators and --plan --structures have their numbers from here.
#pragma once

#include <optional>

#include "solver/comparators/fluid_nodes.hpp"

namespace tessera::solver::comparators {

// For all fluid nodes together.
struct StructureBytes {
  double moved =
      0.0;  // read and written in a step: whole memory sectors of 32 bytes, indices, masks
  double held = 0.0;  // states, indices, masks
};

// A state of tiles: the populations of a node or ten moments.
struct TileState {
  unsigned values = 19;
  unsigned valueBytes = 8;
  int stepsInPass = 1;  // over the state
};

// Two copies; of the state, sectors with fluid are moved.
StructureBytes tileBytes(const FluidNodes& nodes, const TileState& state);

// The same by the in-place update (a shifted window); empty where the window would be too large.
std::optional<StructureBytes> tileBytesInPlace(const FluidNodes& nodes, const TileState& state);

}  // namespace tessera::solver::comparators
