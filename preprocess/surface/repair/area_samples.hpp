// SPDX-License-Identifier: GPL-3.0-or-later
// Points spread over a surface by its area.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "preprocess/geometry/mesh.hpp"

namespace tessera::preprocess::surface {

struct AreaSample {
  Double3 point{}, normal{};
  std::uint32_t triangle = 0;
  bool isEnclosed = false;  // for the user
};

// About that many, in the order of the first triangles of the mesh, each for an equal part of their
// area; within a triangle by golden sections.
std::vector<AreaSample> samplesByArea(const geometry::TriangleMesh& mesh, std::size_t triangles,
                                      double count);

}  // namespace tessera::preprocess::surface
