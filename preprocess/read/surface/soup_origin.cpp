// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/surface/soup_origin.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera::preprocess::read {

Double3 originFor(std::span<const Double3> points) {
  if (points.empty()) return {0.0, 0.0, 0.0};
  Double3 low = points.front();
  Double3 high = points.front();
  bool floats = true;
  for (const Double3& point : points)
    for (std::size_t a = 0; a < 3; ++a) {
      low[a] = std::min(low[a], point[a]);
      high[a] = std::max(high[a], point[a]);
      floats = floats && std::abs(point[a]) <= std::numeric_limits<float>::max() &&
               static_cast<double>(static_cast<float>(point[a])) == point[a];
    }
  double extent = 0.0;
  double farthest = 0.0;
  for (std::size_t a = 0; a < 3; ++a) {
    extent = std::max(extent, high[a] - low[a]);
    farthest = std::max({farthest, std::abs(low[a]), std::abs(high[a])});
  }
  if (floats || farthest <= 4.0 * extent) return {0.0, 0.0, 0.0};
  return {0.5 * low[0] + 0.5 * high[0], 0.5 * low[1] + 0.5 * high[1], 0.5 * low[2] + 0.5 * high[2]};
}

Float3 relativeTo(const Double3& origin, const Double3& point) {
  Float3 corner{};
  for (std::size_t a = 0; a < 3; ++a) {
    const double x = point[a] - origin[a];
    corner[a] = std::abs(x) <= std::numeric_limits<float>::max()
                    ? static_cast<float>(x)
                    : std::numeric_limits<float>::infinity();
  }
  return corner;
}

}  // namespace tessera::preprocess::read
