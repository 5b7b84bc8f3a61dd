// SPDX-License-Identifier: GPL-3.0-or-later
// Plan of a surface: everything cheap that may refuse the input, before the work that scales with
// the number of nodes; for surfaces from files and from images.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "preprocess/overrule_openings.hpp"
#include "preprocess/plan/plan.hpp"
#include "preprocess/preprocess_options.hpp"
#include "preprocess/preprocess_report.hpp"
#include "preprocess/surface/repair/repair.hpp"

namespace tessera::preprocess {

struct SurfacePlan {
  geometry::TriangleMesh
      mesh;  // metres, repaired, labelled; open on the end planes of periodic axes
  std::vector<stage::Triangle> ends;  // removed there, indexing the mesh's vertices
  geometry::TriangleMesh sheets;      // metres, labelled
  std::vector<geometry::Opening> openings;
  std::vector<std::string> wallNames;  // by wall label
  lattice::LatticeChoice lattice;
  plan::LatticeCounts counts;
  plan::PlanCost cost;
  PreprocessReport report;                    // volumes, repairs and warnings so far
  std::optional<geometry::BitLattice> fluid;  // if known already, from the voxels of an image
};

// Reads and repairs the surfaces, finds and names their openings, chooses the lattice. Throws
// StageError(BadInput), (Usage), (NoResource).
SurfacePlan planSurface(const PreprocessOptions& options);

// Labels the plan's mesh with its openings, overruled by the user. Throws StageError(Usage) as
// overruleOpenings() and requireOpeningCount() do.
void findOpenings(const PreprocessOptions& options, OpeningSearch& search, SurfacePlan& plan);

// Warns of a closed surface without openings or periodic axes, with a plane that would cut an end
// off. metresPerUnit: of the coordinates in options.
void suggestOpenings(const PreprocessOptions& options, double metresPerUnit, SurfacePlan& plan);

// Sets counts and cost of a plan, exactly for --plan (up to about 10^8 nodes), otherwise from a
// coarser lattice unless memory is short. Throws StageError(NoResource) for a box beyond the
// largest lattice, (BadInput).
void countPlan(SurfacePlan& plan, const PreprocessOptions& options);

// Throws StageError(NoResource) for a box beyond the largest lattice, (BadInput) for a spacing or
// an origin that is out of range.
void requirePossible(const lattice::LatticeChoice& lattice);

// For messages: "a box of 730 x 342 x 334 nodes".
std::string describeBox(const lattice::LatticeChoice& lattice);

// Lattice of a planned surface. Voxelises, removes unconnected fluid, finds the links; completes
// the report. Throws StageError(NoResource) before any work when memory is insufficient.
geometry::LatticeGeometry latticeFromSurface(SurfacePlan&& plan, const PreprocessOptions& options,
                                             PreprocessReport& report);

}  // namespace tessera::preprocess
