// SPDX-License-Identifier: GPL-3.0-or-later
// Values on a regular grid, such as a smoothed segmentation, as a surface: inside is where the
// value is negative, trilinear in between.
#pragma once

#include <span>

#include "preprocess/surface/distance_field.hpp"

namespace tessera {

struct ScalarGrid {
  Int3 size{};                   // samples, at least 1 each way
  Double3 origin{};              // of sample (0, 0, 0)
  Double3 spacing{};             // of samples, above zero
  std::span<const float> value;  // finite; x fastest, then y, then z; must outlive what uses it

  // Samples beyond the grid mirror the nearest one to the outside, so that a shape that reaches a
  // side of the grid ends in a flat face half a spacing beyond the last sample.
  [[nodiscard]] double at(int x, int y, int z) const;
};

// The distance to the grid's surface to first order: value over slope, no more than the cell's
// diagonal. Good near the surface, for relax().
DistanceField distanceTo(const ScalarGrid& grid);

// Value and gradient at local coordinates within a cell, 0 to 1 each way. Corner c of the cell lies
// at (c & 1, c >> 1 & 1, c >> 2).
Distance trilinear(const std::array<double, 8>& corner, const Double3& local);

}  // namespace tessera
