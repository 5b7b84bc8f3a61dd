// SPDX-License-Identifier: GPL-3.0-or-later
// Position and orientation of the lattice in the world.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "pipelines/stage/case/length_unit.hpp"
#include "pipelines/stage/vec3.hpp"

namespace tessera::preprocess::geometry {

// Spacings that lattices may have, m; and largest coordinate over spacing, which double precision
// then resolves to 1e-5 of a spacing.
constexpr double leastSpacing = 1e-12;
constexpr double mostSpacing = 1e3;
constexpr double farthestOrigin = 1e11;

// Node (i, j, k) lies at origin + spacing * (i * axis[0] + j * axis[1] + k * axis[2]), in metres.
// A node represents the cube of one spacing around it.
struct Frame {
  double spacing = 1.0;           // m
  Double3 origin{0.0, 0.0, 0.0};  // m, world position of node (0, 0, 0)
  std::array<Double3, 3> axis{{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};  // unit vectors
  std::string space;  // anatomical space, "LPS" or "RAS"; empty if the input does not say
  stage::LengthUnit lengthUnit;  // of the input's coordinates, which times it are these metres

  [[nodiscard]] bool hasPossibleSpacing() const {
    return spacing >= leastSpacing && spacing <= mostSpacing;
  }
  [[nodiscard]] bool hasResolvedOrigin() const {
    return std::all_of(origin.begin(), origin.end(),
                       [&](double x) { return std::abs(x) <= farthestOrigin * spacing; });
  }
  // Lattice coordinates (nodes) to world (m).
  [[nodiscard]] Double3 toWorld(const Double3& lattice) const {
    Double3 world = origin;
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t c = 0; c < 3; ++c) world[c] += spacing * lattice[a] * axis[a][c];
    return world;
  }
  // World (m) to lattice coordinates (nodes).
  [[nodiscard]] Double3 toLattice(const Double3& world) const {
    Double3 lattice{};
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t c = 0; c < 3; ++c)
        lattice[a] += axis[a][c] * (world[c] - origin[c]) / spacing;
    return lattice;
  }
  // Rotates a direction from lattice axes to world axes (no scaling).
  [[nodiscard]] Double3 directionToWorld(const Double3& lattice) const {
    Double3 world{};
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t c = 0; c < 3; ++c) world[c] += lattice[a] * axis[a][c];
    return world;
  }
};

}  // namespace tessera::preprocess::geometry
