// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>

#include "pipelines/stage/vec3.hpp"

namespace tessera::preprocess::geometry {

// Orthonormal axes of a plane, right-handed with its unit normal.
struct PlaneAxes {
  Double3 u{}, v{};
  explicit PlaneAxes(const Double3& normal) {
    std::size_t least = 0;
    for (std::size_t a = 1; a < 3; ++a)
      if (std::abs(normal[a]) < std::abs(normal[least])) least = a;
    Double3 helper{};
    helper[least] = 1.0;
    u = unit(cross(normal, helper));
    v = cross(normal, u);
  }
};

}  // namespace tessera::preprocess::geometry
