// SPDX-License-Identifier: GPL-3.0-or-later
// A tube with rounded ends.
#pragma once

#include <algorithm>

#include "tests/preprocess/lattice_meshes.hpp"

namespace tessera::test {

using namespace tessera::preprocess::geometry;

// Of radius 1 about z, the tube from -length / 2 to length / 2, half a ball on each end.
inline TriangleMesh capsuleMesh(double length) {
  constexpr double quarter = 0.5 * std::numbers::pi;
  TriangleMesh mesh = sphereMesh({0, 0, 0}, 1.0, 40, 160);
  for (Double3& v : mesh.vertex) {
    const double polar = std::acos(std::clamp(-v[2], -1.0, 1.0));
    const double around = std::atan2(v[1], v[0]);
    const double along = polar / std::numbers::pi * (2.0 * quarter + length);  // from the low end
    const double onTube = std::clamp(along - quarter, 0.0, length);
    const double bent = std::min(along, quarter) + std::max(along - quarter - length, 0.0);
    const double radius = std::sin(bent);
    v = {radius * std::cos(around), radius * std::sin(around),
         onTube - 0.5 * length - std::cos(bent)};
  }
  return mesh;
}

}  // namespace tessera::test
