// SPDX-License-Identifier: GPL-3.0-or-later
// --smooth: a smooth surface from voxels, processed further as a surface. It keeps every voxel
// centre on its side (label_net.hpp), so that thin channels stay open and, with one node per voxel,
// the nodes are the fluid voxels, and preserves the volume of each connected part. It uses labels,
// also for grey values: a threshold defines the fluid only, not the values on its other side.
#pragma once

#include "preprocess/image/fluid_voxels.hpp"
#include "preprocess/label_names.hpp"
#include "preprocess/surface_plan.hpp"

namespace tessera::preprocess {

// Surface in the world with its openings: the sides of the image in --faces, one opening each;
// without --faces the flat ends of vessels at the image's sides; cuts, and tubes of --extend, for
// which the box grows. lattice: the nodes for one node per voxel, otherwise chosen by the options.
// Throws StageError(Usage) for a 2D image, a periodic axis of less than 3 voxels, or a side without
// fluid; (NoResource).
SurfacePlan planSmooth(const image::FluidVoxels& voxels,
                       const std::optional<lattice::LatticeChoice>& lattice,
                       const PreprocessOptions& options, const std::optional<LabelNames>& names,
                       std::vector<std::string> warnings);

}  // namespace tessera::preprocess
