// SPDX-License-Identifier: GPL-3.0-or-later
// Affine transform of 3MF objects: three rows of a matrix and a translation.
#pragma once

#include <array>

#include "pipelines/stage/vec3.hpp"

namespace tessera::preprocess::read {

struct Transform {
  std::array<std::array<double, 4>, 3> entry{};

  [[nodiscard]] Double3 operator()(const Double3& point) const {
    Double3 result{};
    for (std::size_t row = 0; row < 3; ++row) {
      const auto& e = entry[row];
      result[row] = e[0] * point[0] + e[1] * point[1] + e[2] * point[2] + e[3];
    }
    return result;
  }
  // Whether it turns a right hand into a left one.
  [[nodiscard]] bool isMirrored() const {
    const auto column = [&](std::size_t c) {
      return Double3{entry[0][c], entry[1][c], entry[2][c]};
    };
    return dot(column(0), cross(column(1), column(2))) < 0.0;
  }
};

// The transform b, then a.
inline Transform combined(const Transform& a, const Transform& b) {
  Transform product;
  for (std::size_t row = 0; row < 3; ++row)
    for (std::size_t column = 0; column < 4; ++column) {
      double sum = column == 3 ? a.entry[row][3] : 0.0;
      for (std::size_t k = 0; k < 3; ++k) sum += a.entry[row][k] * b.entry[k][column];
      product.entry[row][column] = sum;
    }
  return product;
}

}  // namespace tessera::preprocess::read
