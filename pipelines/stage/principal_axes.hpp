// SPDX-License-Identifier: GPL-3.0-or-later
// Eigenvalues (descending) and unit eigenvectors of a symmetric 3x3 matrix by Jacobi rotations.
#pragma once

#include <array>

#include "pipelines/stage/vec3.hpp"

namespace tessera::stage {

struct Principal {
  Double3 value{};
  std::array<Double3, 3> direction{};
};
Principal principalOf(std::array<Double3, 3> symmetric);

}  // namespace tessera::stage
