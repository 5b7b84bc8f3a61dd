// SPDX-License-Identifier: GPL-3.0-or-later
// D2Q9 (Qian, d'Humieres & Lallemand 1992) as a table; opposite directions are neighbours, so that
// 2k - 1 and 2k form a pair and 0 is at rest.
#pragma once

#include <array>

#include "solver/model/axes.hpp"

namespace tessera::solver::model {

struct D2Q9 {
  static constexpr LatticeId id = LatticeId::D2Q9;
  static constexpr int dimensions = 2;
  static constexpr int q = 9;
  static constexpr std::array<std::array<int, 3>, q> c{{{0, 0, 0},
                                                        {1, 0, 0},
                                                        {-1, 0, 0},
                                                        {0, 1, 0},
                                                        {0, -1, 0},
                                                        {1, 1, 0},
                                                        {-1, -1, 0},
                                                        {1, -1, 0},
                                                        {-1, 1, 0}}};
  // Weights by the number of axes a direction moves along: rest, edges, corners.
  static constexpr std::array<double, 4> weightByLength{4.0 / 9.0, 1.0 / 9.0, 1.0 / 36.0, 0.0};
};

}  // namespace tessera::solver::model
