// SPDX-License-Identifier: GPL-3.0-or-later
// Connectivity of a label net: neighbours for smoothing, connected parts.
#pragma once

#include "preprocess/mesher/label_net.hpp"

namespace tessera::preprocess::mesher {

// The neighbours that a vertex is smoothed by: within the wall all of them; on the rim of a cap the
// two along the rim, so that a tube may meet the image's side at any angle; none within a cap.
struct NetLinks {
  std::vector<std::uint32_t> start;  // of each vertex in to, and one after the last
  std::vector<std::uint32_t> to;
  std::vector<Float3> middle;  // mean of the neighbours' cells from the vertex's own, voxels
};
NetLinks linksOfNet(const LabelNet& net);

// Connected parts of the surface, caps included; or the connected parts of its caps alone.
struct NetParts {
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  std::uint64_t count = 0;
  std::vector<std::uint32_t> of;  // by vertex; none for one that no such quad has
};
NetParts partsOfNet(const LabelNet& net);
NetParts capsOfNet(const LabelNet& net);

}  // namespace tessera::preprocess::mesher
