// SPDX-License-Identifier: GPL-3.0-or-later
// --smooth: from voxels to a surface without steps, from which on an image goes the way of
// surfaces. The surface keeps every voxel centre on its side (label_net.hpp), so that thin channels
// stay open and, where one voxel is one node, the nodes are those of the labels; it keeps the
// volume of each connected part. It is made of labels, of images with grey values too: a threshold
// says where fluid is, not what lies on its other side.
#pragma once

#include "preprocess/image/fluid_voxels.hpp"
#include "preprocess/surface_plan.hpp"

namespace tessera::preprocess {

// The surface in the world, with its openings: sides of the image that are in --faces, each one
// opening; without --faces the flat ends of vessels that the image's sides cut; cuts, and tubes of
// --extend, for which the box grows. lattice: the nodes
// where one voxel is one node, otherwise chosen by the options. Throws StageError(Usage) for a 2D
// image, a periodic axis of less than 3 voxels, or a side without fluid; (NoResource).
SurfacePlan planSmooth(const image::FluidVoxels& voxels,
                       const std::optional<lattice::LatticeChoice>& lattice,
                       const PreprocessOptions& options, std::vector<std::string> warnings);

}  // namespace tessera::preprocess
