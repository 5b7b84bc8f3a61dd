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
#include "preprocess/surface/repair/repair.hpp"

namespace tessera::preprocess {

struct SurfacePlan {
  geometry::TriangleMesh
      mesh;  // metres, repaired, labelled; open on the end planes of periodic axes
  std::vector<stage::Triangle> ends;  // that lay on those planes, of the mesh's vertices
  std::vector<geometry::Opening> openings;
  std::vector<std::string> wallNames;  // by wall label
  lattice::LatticeChoice lattice;
  plan::LatticeCounts counts;
  plan::PlanCost cost;
  PreprocessReport report;                    // volumes, repairs and warnings so far
  std::optional<geometry::BitLattice> fluid;  // where known already, as from the voxels of an image
};

// Reads and repairs the surfaces of the options, finds and names their openings, chooses the
// lattice. Throws StageError(BadInput), (Usage), (NoResource).
SurfacePlan planSurface(const PreprocessOptions& options);

// Fills in counts and cost of a plan that has everything else, exactly for --plan (up to some 10^8
// nodes), else from a coarser lattice as long as memory is far from short. Throws
// StageError(NoResource) for a box that is longer than any lattice, (BadInput).
void countPlan(SurfacePlan& plan, const PreprocessOptions& options);

std::optional<double> smallestRadius(const std::vector<geometry::Opening>& openings);  // m

// Throws StageError(NoResource) for a box that is longer than any lattice.
void requireNodesPerAxis(const lattice::LatticeChoice& lattice);

// For people: "a box of 730 x 342 x 334 nodes".
std::string describeBox(const lattice::LatticeChoice& lattice);

}  // namespace tessera::preprocess
