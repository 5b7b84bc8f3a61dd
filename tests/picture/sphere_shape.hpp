// SPDX-License-Identifier: GPL-3.0-or-later
// Triangulated sphere for tests of pictures.
#pragma once

#include <cmath>
#include <vector>

#include "pipelines/stage/triangle.hpp"
#include "pipelines/stage/vec3.hpp"

namespace tessera::test {

using namespace tessera::stage;

struct Shape {
  std::vector<Double3> vertex;
  std::vector<Triangle> triangle;
};

// A closed sphere of latitude bands, outward.
inline Shape sphere(double radius, int bands) {
  Shape s;
  const int around = 2 * bands;
  for (int i = 0; i <= bands; ++i)
    for (int j = 0; j < around; ++j) {
      const double theta = 3.14159265358979 * i / bands, phi = 6.28318530717959 * j / around;
      s.vertex.push_back({radius * std::sin(theta) * std::cos(phi),
                          radius * std::sin(theta) * std::sin(phi), radius * std::cos(theta)});
    }
  const auto at = [around](int i, int j) {
    return static_cast<std::uint32_t>(i * around + j % around);
  };
  for (int i = 0; i < bands; ++i)
    for (int j = 0; j < around; ++j) {
      if (i > 0) s.triangle.push_back({at(i, j), at(i + 1, j), at(i, j + 1)});
      if (i < bands - 1) s.triangle.push_back({at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  return s;
}

}  // namespace tessera::test
