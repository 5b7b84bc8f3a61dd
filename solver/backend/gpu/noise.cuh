// SPDX-License-Identifier: GPL-3.0-or-later
// Random benchmark state, generated in device memory.
#pragma once

#include <cstdint>

#include "solver/backend/gpu/runtime.hpp"
#include "solver/model/noise.hpp"

namespace tessera::solver::backend {

template <class Storage>
__global__ void noiseKernel(Storage* state, std::uint64_t count) {
  const std::uint64_t k = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  if (k < count) state[k] = Storage(model::noiseAt(k));
}

template <class Storage>
void fillWithNoise(Storage* state, std::uint64_t count) {
  constexpr unsigned threads = 256;
  launchKernel(&noiseKernel<Storage>,
               {static_cast<unsigned>((count + threads - 1) / threads), threads}, defaultStream,
               state, count);
}

}  // namespace tessera::solver::backend
