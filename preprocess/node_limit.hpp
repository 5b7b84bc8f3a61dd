// SPDX-License-Identifier: GPL-3.0-or-later
// --across and --max-nodes: the opening that decides the node spacing, and a limit on the fluid
// nodes that a spacing makes, checked before any work that scales with them.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "preprocess/geometry/mesh.hpp"
#include "preprocess/preprocess_options.hpp"

namespace tessera::preprocess {

constexpr double defaultMaxNodes = 2e8;  // of a spacing; one node per voxel has no default limit

// The opening that --across counts its nodes across: the smallest; with a name the opening of that
// id or name, else "smallest", "largest" or "inlet" (the largest). nullptr without openings or
// without --across. Throws StageError(Usage) for an unknown opening.
const geometry::Opening* decidingOpening(const lattice::SpacingRequest& request,
                                         const std::vector<geometry::Opening>& openings);
std::optional<double> decidingRadius(const lattice::SpacingRequest& request,
                                     const std::vector<geometry::Opening>& openings);  // m

// Fluid to be filled with nodes.
struct FluidToFill {
  double size = 0.0;  // m3, in 2D m2
  int dimensions = 3;
  geometry::Bounds box;  // of the lattice
  std::array<bool, 3> periodic{};
  const std::vector<geometry::Opening>& openings;  // of a surface
};

// Throws StageError(Usage) for more fluid nodes than --max-nodes, with the opening that decided the
// spacing and spacings within the limit. Without --across a box beyond the largest lattice comes
// first: requirePossible().
void requireFewerNodes(const PreprocessOptions& options, const lattice::LatticeChoice& lattice,
                       const FluidToFill& fluid);

// Logs the opening that decided the spacing, if one did.
void logDecidingOpening(const lattice::SpacingRequest& request,
                        const std::vector<geometry::Opening>& openings);

}  // namespace tessera::preprocess
