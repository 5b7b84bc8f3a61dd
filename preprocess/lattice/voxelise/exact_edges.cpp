// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/lattice/voxelise/exact_edges.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/system/parallel_for.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/lattice/voxelise/voxelise.hpp"

namespace tessera::preprocess::lattice {

namespace {
void checkBox(const Int3& nodes) {
  for (int n : nodes)
    if (n < 1 || n > maxNodesPerAxis)
      stage::fail(stage::ExitCode::BadInput,
                  fmt::format("the lattice would have {} nodes on an axis, expected 1 to {}; "
                              "choose another spacing.",
                              n, maxNodesPerAxis));
}

// NaN counts as outside.
bool inBox(const Double3& point, const Int3& nodes) {
  constexpr double rounding = 1e-3;
  for (std::size_t a = 0; a < 3; ++a)
    if (!(point[a] >= -0.5 - rounding && point[a] <= nodes[a] - 0.5 + rounding)) return false;
  return true;
}
}  // namespace

std::vector<Fixed3> snapVertices(std::span<const Double3> vertex, const Int3& nodes) {
  checkBox(nodes);
  std::vector<Fixed3> snapped(vertex.size());
  constexpr std::size_t block = 4096;
  stage::parallelBlocks(vertex.size(), block, [&](std::size_t, std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) {
      if (!inBox(vertex[i], nodes))
        stage::fail(stage::ExitCode::BadInput,
                    fmt::format("vertex {} of the surface lies outside of the lattice's box, "
                                "which must cover the whole surface.",
                                i));
      for (std::size_t a = 0; a < 3; ++a)
        snapped[i][a] =
            static_cast<std::int32_t>(std::clamp(std::floor(vertex[i][a] * fixedOne + 0.5),
                                                 -0.5 * fixedOne, (nodes[a] - 0.5) * fixedOne));
    }
  });
  return snapped;
}

}  // namespace tessera::preprocess::lattice
