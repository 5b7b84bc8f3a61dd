// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/flops.hpp"

#include <array>
#include <string_view>

namespace tessera {

namespace {

struct CollisionFlops {
  std::string_view lattice, collision;
  double flops;
};

// With the quasi-compressible equilibrium; the incompressible one spares its one division.
constexpr std::array<CollisionFlops, 10> table{{{"D3Q19", "bgk", 250},
                                                {"D3Q19", "trt", 250},
                                                {"D3Q19", "mrt", 584},
                                                {"D3Q19", "regularised", 299},
                                                {"D2Q9", "bgk", 119},
                                                {"D2Q9", "trt", 119},
                                                {"D2Q9", "mrt", 205},
                                                {"D3Q27", "bgk", 374},
                                                {"D3Q27", "trt", 374},
                                                {"D3Q27", "cumulant", 605}}};
// Populations from moments and back, solver/backend/cuda_moments_kernels.cuh.
constexpr double momentFlops = 260;

}  // namespace

double flopsPerNode(const VariantInfo& variant) {
  if (variant.storesMoments()) return momentFlops;
  for (const CollisionFlops& row : table)
    if (row.lattice == variant.lattice.name && row.collision == variant.collision)
      return row.flops - (variant.equilibrium == std::string_view("incompressible") ? 1 : 0);
  return 0.0;
}

}  // namespace tessera
