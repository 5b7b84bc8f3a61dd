// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/flops.hpp"

#include <array>
#include <string_view>

namespace tessera {

namespace {

struct CollisionFlops {
  std::string_view lattice, collision;
  double quasiCompressible, incompressible;
};

// 0: no such variant.
constexpr std::array<CollisionFlops, 10> table{{{"D3Q19", "bgk", 226, 224},
                                                {"D3Q19", "trt", 226, 224},
                                                {"D3Q19", "mrt", 562, 561},
                                                {"D3Q19", "regularised", 223, 0},
                                                {"D2Q9", "bgk", 110, 108},
                                                {"D2Q9", "trt", 110, 108},
                                                {"D2Q9", "mrt", 194, 193},
                                                {"D3Q27", "bgk", 334, 0},
                                                {"D3Q27", "trt", 334, 0},
                                                {"D3Q27", "cumulant", 589, 0}}};
// Populations from moments and back, solver/backend/cuda_moments_kernels.cuh.
constexpr double momentFlops = 260;

}  // namespace

double flopsPerNode(const VariantInfo& variant) {
  if (variant.storesMoments()) return momentFlops;
  for (const CollisionFlops& row : table)
    if (row.lattice == variant.lattice.name && row.collision == variant.collision)
      return variant.equilibrium == std::string_view("incompressible") ? row.incompressible
                                                                       : row.quasiCompressible;
  return 0.0;
}

}  // namespace tessera
