// SPDX-License-Identifier: GPL-3.0-or-later
// From an image to the lattice, in two steps: read, chosen, mirrored; then the work that grows with
// the number of nodes. Without a node spacing one voxel is one node; sides of the box may be
// openings.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "preprocess/image/fluid_voxels.hpp"
#include "preprocess/preprocess_options.hpp"
#include "preprocess/preprocess_report.hpp"
#include "preprocess/surface_lattice.hpp"

namespace tessera::preprocess {

struct ImagePlan {
  image::FluidVoxels voxels;           // mirrored where asked for
  lattice::LatticeChoice lattice;      // in image coordinates
  std::optional<SurfacePlan> surface;  // with --smooth; the rest of the way is that of surfaces
  geometry::BitLattice fluid;          // the nodes that are kept; empty with --smooth
  std::optional<DeadVolume> dead;      // what was dropped of them
  plan::LatticeCounts counts;
  plan::PlanCost cost;
  std::vector<std::string> warnings;
  std::vector<std::filesystem::path> parts;  // files read beside the one that was named
};

// Reads and checks the image. Throws StageError(BadInput), (Usage), (NoResource).
ImagePlan planImage(const PreprocessOptions& options);

// Throws StageError(NoResource) before any work when memory will not do, (BadInput) when no fluid
// leads from one of the --faces to the other.
geometry::LatticeGeometry latticeFromImage(ImagePlan&& plan, const PreprocessOptions& options,
                                           PreprocessReport& report);

}  // namespace tessera::preprocess
