// SPDX-License-Identifier: GPL-3.0-or-later
// Volume, area and normals of a surface net, by connected part.
#pragma once

#include "preprocess/mesher/net_links.hpp"

namespace tessera::preprocess::mesher {

struct NetVolume {
  std::vector<double> gained;    // by part, m3: swept since the vertices lay in their cells' middle
  std::vector<double> wallArea;  // by part, m2, without caps
  std::vector<Double3> normal;   // by vertex: sum of its wall triangles' area vectors, m2
};
NetVolume volumeOfNet(const LabelNet& net, const NetParts& parts, const Double3& voxel);

struct CapAreas {
  std::vector<double> gained;  // by cap, m2: since the vertices lay in their cells' middle
  std::vector<double> rim;     // by cap, m: gained area for each metre that the rim moves outwards
};
// outwards: by vertex, unit, in the planes that it can move in.
CapAreas capAreasOfNet(const LabelNet& net, const NetParts& caps,
                       const std::vector<Double3>& outwards, const Double3& voxel);

}  // namespace tessera::preprocess::mesher
