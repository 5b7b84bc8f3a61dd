// SPDX-License-Identifier: GPL-3.0-or-later
// Smooths a surface net within its cells: of all nets that keep every voxel centre on its side,
// nearly the one of least bending, sum |mean of the neighbours - vertex|^2, which unlike the least
// area of Gibson's nets shrinks neither spheres nor tubes and makes planes of any slope flat
// (higher-order smoothness as in V. Lempitsky, "Surface extraction from binary volumes with
// higher-order smoothness", CVPR 2010; here on the net itself). Then each connected part of the
// surface is moved along its normals until it encloses the volume of its voxels, and the rim of
// each cap on a side of the image until the cap has the area of its voxels' faces.
#pragma once

#include "preprocess/mesher/label_net.hpp"

namespace tessera::preprocess::mesher {

// voxel: m, sides of a voxel. The net as labelNet gives it. Caps on the image's sides stay flat;
// their rims move in their plane. Same result for any number of threads. Returns the volume that
// the net encloses more than its voxels, m3.
double relaxNet(LabelNet& net, const Double3& voxel);

}  // namespace tessera::preprocess::mesher
