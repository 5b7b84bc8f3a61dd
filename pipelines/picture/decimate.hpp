// SPDX-License-Identifier: GPL-3.0-or-later
// A surface made coarse enough to send: vertices that share a cell of a grid become one (J.
// Rossignac and P. Borrel, Multi-resolution 3D approximations for rendering complex scenes, 1993).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pipelines/stage/triangle.hpp"
#include "pipelines/stage/vec3.hpp"

namespace tessera::picture {

struct CoarseSurface {
  std::vector<Double3> vertex;
  std::vector<stage::Triangle> triangle;
  // For each given vertex its coarse one, or notKept where no triangle uses it.
  std::vector<std::uint32_t> coarse;
  static constexpr std::uint32_t notKept = 0xffffffff;

  // The mean over the given vertices that became one.
  [[nodiscard]] std::vector<float> values(std::span<const double> given) const;
};

// At most so many triangles and vertices (each at least 100); the surface itself, without the
// vertices that no triangle uses, where it is small enough. Triangles keep their sense.
CoarseSurface decimate(std::span<const Double3> vertex, std::span<const stage::Triangle> triangle,
                       std::size_t mostTriangles, std::size_t mostVertices);

}  // namespace tessera::picture
