// SPDX-License-Identifier: GPL-3.0-or-later
// Triangle mesh of a label net.
#pragma once

#include "preprocess/geometry/mesh.hpp"
#include "preprocess/mesher/label_net.hpp"

namespace tessera::preprocess::mesher {

// The net as triangles, in image coordinates (m); open at the ends of periodic axes. side: for each
// triangle, as LabelNet::Quad has it.
struct NetMesh {
  geometry::TriangleMesh mesh;
  std::vector<std::uint8_t> side;
};
NetMesh meshOfNet(const LabelNet& net, const Double3& voxel);

}  // namespace tessera::preprocess::mesher
