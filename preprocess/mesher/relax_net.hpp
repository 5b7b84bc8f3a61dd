// SPDX-License-Identifier: GPL-3.0-or-later
// Smoothing of a surface net within its cells: among all nets that keep every voxel centre on its
// side, approximately the one of least bending energy, sum |mean of the neighbours - vertex|^2.
// Unlike the least area of Gibson's nets it shrinks neither spheres nor tubes and flattens planes
// of any slope (higher-order smoothness as in V. Lempitsky, "Surface extraction from binary volumes
// with higher-order smoothness", CVPR 2010; here on the net itself). Then each connected part is
// shifted along its normals to the volume of its voxels, and the rim of each cap to the area of its
// faces.
#pragma once

#include "preprocess/mesher/label_net.hpp"

namespace tessera::preprocess::mesher {

// voxel: m, sides of a voxel. net: from labelNet(). Caps on the image's sides stay flat; their rims
// move in their plane. Independent of the number of threads. Returns the remaining excess of the
// enclosed volume over that of the voxels, m3.
double relaxNet(LabelNet& net, const Double3& voxel);

struct NetVolume {
  std::vector<double> gained;    // by part, m3: relative to vertices at the cells' centres
  std::vector<double> wallArea;  // by part, m2, without caps
  std::vector<Double3> normal;   // by vertex: sum of its wall triangles' area vectors, m2
};
NetVolume volumeOfNet(const LabelNet& net, const NetParts& parts, const Double3& voxel);

struct CapAreas {
  std::vector<double> gained;  // by cap, m2: relative to vertices at the cells' centres
  std::vector<double> rim;     // by cap, m: derivative of the area by the rim's outward shift
};
// outwards: by vertex, unit vectors in the planes in which vertices can move.
CapAreas capAreasOfNet(const LabelNet& net, const NetParts& caps,
                       const std::vector<Double3>& outwards, const Double3& voxel);

}  // namespace tessera::preprocess::mesher
