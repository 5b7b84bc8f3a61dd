// SPDX-License-Identifier: GPL-3.0-or-later
// Decimation by vertex clustering on a grid (J. Rossignac, P. Borrel, Multi-resolution 3D
// approximations for rendering complex scenes, 1993).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pipelines/stage/vec3.hpp"

namespace tessera::picture {

struct CoarseSurface {
  std::vector<Double3> vertex;
  std::vector<stage::Triangle> triangle;
  // Coarse vertex of each given one; notKept if no triangle uses it.
  std::vector<std::uint32_t> coarse;
  // A given triangle that each became, the first of them.
  std::vector<std::uint32_t> source;
  static constexpr std::uint32_t notKept = 0xffffffff;

  // Mean over the given vertices of each coarse one.
  [[nodiscard]] std::vector<float> values(std::span<const double> given) const;
};

// At most so many triangles and vertices (each at least 100); a small surface stays as it is but
// for unused vertices. Triangles keep their orientation.
CoarseSurface decimate(std::span<const Double3> vertex, std::span<const stage::Triangle> triangle,
                       std::size_t mostTriangles, std::size_t mostVertices);

}  // namespace tessera::picture
