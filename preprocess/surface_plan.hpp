// SPDX-License-Identifier: GPL-3.0-or-later
// All that is cheap and may refuse, before the work that grows with the number of nodes: openings
// and lattice of a closed surface, whether it was read or made from an image.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "preprocess/plan/plan.hpp"
#include "preprocess/preprocess_options.hpp"
#include "preprocess/preprocess_report.hpp"
#include "preprocess/surface/repair.hpp"

namespace tessera {

struct SurfacePlan {
  TriangleMesh mesh;  // metres, repaired, labelled; open on the end planes of periodic axes
  std::vector<Triangle> ends;  // that lay on those planes, of the mesh's vertices
  std::vector<Opening> openings;
  std::vector<std::string> wallNames;  // by wall label
  LatticeChoice lattice;
  Double3 extent{};                 // m, of the surface's box
  LatticeCounts counts;             // estimated
  PlanCost cost;                    // estimated
  PreprocessReport report;          // volumes, repairs and warnings so far
  std::optional<BitLattice> fluid;  // where known already, as from the voxels of an image
};

// Reads and repairs the surfaces of the options, then as planMesh. Throws StageError(BadInput),
// (Usage).
SurfacePlan planSurface(const PreprocessOptions& options);

// From a closed, outward surface on: openings, their names, lattice. Coordinates are
// metres along the axes of the lattice (of an image that is turned in the world, its own axes: the
// caller places frame and openings in the world afterwards). faceName: of the mesh's labels, empty
// where it has none. lattice: where it is fixed, as by an image; otherwise chosen by the options.
// report: repairs and warnings so far. Throws StageError(BadInput), (Usage).
SurfacePlan planMesh(RepairedMesh&& repaired, const std::vector<std::string>& faceName,
                     const PreprocessOptions& options, const std::optional<LatticeChoice>& lattice,
                     PreprocessReport&& report);

// Fills in counts and cost of a plan that has everything else.
void estimateCost(SurfacePlan& plan, const PreprocessOptions& options);

std::optional<double> smallestRadius(const std::vector<Opening>& openings);  // m

// Throws StageError(NoResource) for a box that is longer than any lattice.
void requireNodesPerAxis(const LatticeChoice& lattice);

// For people: "a box of 730 x 342 x 334 nodes".
std::string describeBox(const LatticeChoice& lattice);

}  // namespace tessera
