// SPDX-License-Identifier: GPL-3.0-or-later
// Lattice of an image, in two steps: reading, thresholding and mirroring; then the work that scales
// with the number of nodes. Without a node spacing one voxel is one node; sides of the box may be
// openings.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "preprocess/image/fluid_voxels.hpp"
#include "preprocess/label_names.hpp"
#include "preprocess/preprocess_options.hpp"
#include "preprocess/preprocess_report.hpp"
#include "preprocess/surface_plan.hpp"

namespace tessera::preprocess {

struct ImagePlan {
  image::FluidVoxels voxels;           // after --mirror
  lattice::LatticeChoice lattice;      // in image coordinates
  std::optional<SurfacePlan> surface;  // with --smooth, processed further as a surface
  geometry::BitLattice fluid;          // remaining nodes; empty with --smooth
  std::optional<DeadVolume> dead;      // removed nodes
  std::optional<LabelNames> names;     // if labels name walls or openings; not with --smooth
  plan::LatticeCounts counts;
  plan::PlanCost cost;
  std::vector<std::string> warnings;
  std::vector<std::filesystem::path> parts;   // further files that belong to the image
  std::vector<std::filesystem::path> slices;  // see read::Image
};

// Reads and checks the image. Throws StageError(BadInput), (Usage), (NoResource).
ImagePlan planImage(const PreprocessOptions& options);

// Throws StageError(NoResource) before any work when memory is insufficient, (BadInput) when no
// fluid connects the --faces.
geometry::LatticeGeometry latticeFromImage(ImagePlan&& plan, const PreprocessOptions& options,
                                           PreprocessReport& report);

}  // namespace tessera::preprocess
