// SPDX-License-Identifier: GPL-3.0-or-later
// Trilinear interpolation on a grid; see scalar_grid.hpp.
#include "preprocess/surface/scalar_grid.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {

double ScalarGrid::at(int x, int y, int z) const {
  const int i = std::clamp(x, 0, size[0] - 1);
  const int j = std::clamp(y, 0, size[1] - 1);
  const int k = std::clamp(z, 0, size[2] - 1);
  const std::size_t row =
      static_cast<std::size_t>(j) + static_cast<std::size_t>(size[1]) * static_cast<std::size_t>(k);
  const double v = value[static_cast<std::size_t>(i) + static_cast<std::size_t>(size[0]) * row];
  return i == x && j == y && k == z ? v : std::abs(v);
}

Distance trilinear(const std::array<double, 8>& corner, const Double3& local) {
  Distance d;
  for (int c = 0; c < 8; ++c) {
    Double3 weight;
    Double3 slope;
    for (std::size_t a = 0; a < 3; ++a) {
      const bool upper = ((c >> a) & 1) != 0;
      weight[a] = upper ? local[a] : 1.0 - local[a];
      slope[a] = upper ? 1.0 : -1.0;
    }
    const double v = corner[static_cast<std::size_t>(c)];
    d.value += v * weight[0] * weight[1] * weight[2];
    d.gradient[0] += v * slope[0] * weight[1] * weight[2];
    d.gradient[1] += v * weight[0] * slope[1] * weight[2];
    d.gradient[2] += v * weight[0] * weight[1] * slope[2];
  }
  return d;
}

DistanceField distanceTo(const ScalarGrid& grid) {
  const double furthest = length(grid.spacing);
  return [grid, furthest](const Double3& point) {
    Int3 cell;
    Double3 local;
    for (std::size_t a = 0; a < 3; ++a) {
      const double index = (point[a] - grid.origin[a]) / grid.spacing[a];
      const double first = std::clamp(std::floor(index), -1.0, double(grid.size[a]) - 1.0);
      cell[a] = static_cast<int>(first);
      local[a] = std::clamp(index - first, 0.0, 1.0);
    }
    std::array<double, 8> corner;
    for (int c = 0; c < 8; ++c)
      corner[static_cast<std::size_t>(c)] =
          grid.at(cell[0] + (c & 1), cell[1] + ((c >> 1) & 1), cell[2] + (c >> 2));
    Distance d = trilinear(corner, local);
    for (std::size_t a = 0; a < 3; ++a) d.gradient[a] /= grid.spacing[a];
    const double slope = length(d.gradient);
    if (std::abs(d.value) >= furthest * slope)
      return Distance{std::copysign(furthest, d.value), {0.0, 0.0, 0.0}};
    return Distance{d.value / slope, (1.0 / slope) * d.gradient};
  };
}

}  // namespace tessera
