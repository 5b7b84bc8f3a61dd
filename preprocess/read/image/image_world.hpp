// SPDX-License-Identifier: GPL-3.0-or-later
// Where an image lies in the world: patient coordinates in metres that grow to the left, posterior
// and superior ("LPS", as ITK, DICOM and 3D Slicer's files have it); a file in another space is
// turned into it.
#pragma once

#include <string>

#include "preprocess/read/image/image.hpp"

namespace tessera::preprocess::read {

// Sets voxel, origin and axis from the steps between neighbouring voxels along x, y, z and the
// centre of voxel (0, 0, 0), in metres; of a 2D image the third step is ignored. The axes become
// the nearest orthonormal ones about the image's middle, and right-handed: where the steps are
// left-handed, the order of the planes along z is reversed, so that every voxel stays where it is.
// The image's voxels must be there. Throws StageError(BadInput) when a step is zero or not finite,
// or two of them are not perpendicular within 1e-3.
void placeInWorld(Image& image, std::array<Double3, 3> step, const Double3& origin,
                  const std::string& name);

// Whether one voxel can be one node: sizes alike within 1e-3, and the farthest voxel no more than
// a quarter of its size from its node. The image must have a voxel size.
bool hasCubicVoxels(const Image& image);

// Of the lattice whose nodes are the voxels; for images with cubic voxels.
geometry::Frame frameOfVoxels(const Image& image);

// "0.5 x 0.5 x 2 mm".
std::string voxelText(const Image& image);

}  // namespace tessera::preprocess::read
