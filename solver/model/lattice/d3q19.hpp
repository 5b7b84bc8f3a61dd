// SPDX-License-Identifier: GPL-3.0-or-later
// D3Q19 (Qian, d'Humieres & Lallemand 1992) as a table; opposite directions are neighbours, so that
// 2k - 1 and 2k form a pair and 0 is at rest.
#pragma once

#include <array>

#include "solver/model/axes.hpp"

namespace tessera::solver::model {

struct D3Q19 {
  static constexpr LatticeId id = LatticeId::D3Q19;
  static constexpr int dimensions = 3;
  static constexpr int q = 19;
  static constexpr std::array<std::array<int, 3>, q> c{{{0, 0, 0},
                                                        {1, 0, 0},
                                                        {-1, 0, 0},
                                                        {0, 1, 0},
                                                        {0, -1, 0},
                                                        {0, 0, 1},
                                                        {0, 0, -1},
                                                        {1, 1, 0},
                                                        {-1, -1, 0},
                                                        {1, -1, 0},
                                                        {-1, 1, 0},
                                                        {1, 0, 1},
                                                        {-1, 0, -1},
                                                        {1, 0, -1},
                                                        {-1, 0, 1},
                                                        {0, 1, 1},
                                                        {0, -1, -1},
                                                        {0, 1, -1},
                                                        {0, -1, 1}}};
  // Weights by the number of axes a direction moves along: rest, faces, edges.
  static constexpr std::array<double, 4> weightByLength{1.0 / 3.0, 1.0 / 18.0, 1.0 / 36.0, 0.0};
};

}  // namespace tessera::solver::model
