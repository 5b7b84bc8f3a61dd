// SPDX-License-Identifier: GPL-3.0-or-later
// The copy that speeds are compared with.
#pragma once

#include <algorithm>
#include <vector>

#include "solver/backend/cuda_memory.cuh"

namespace tessera {

// 16 bytes a thread, read once and written once.
__global__ inline void copyKernel(const uint4* __restrict__ from, uint4* __restrict__ to,
                                  std::uint64_t count) {
  const std::uint64_t k = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  if (k < count) to[k] = from[k];
}

// Bytes per second of copying up to 2 GiB, reads and writes counted; a median of five.
inline double cudaCopyBandwidth() {
  std::size_t freeBytes = 0;
  std::size_t totalBytes = 0;
  checkCuda(cudaMemGetInfo(&freeBytes, &totalBytes), "memory query");
  const std::uint64_t count = std::min<std::uint64_t>(std::uint64_t{1} << 27U, freeBytes / 64);
  DeviceArray<uint4> from(count);
  DeviceArray<uint4> to(count);
  const auto copy = [&] {
    copyKernel<<<static_cast<unsigned>((count + 255) / 256), 256>>>(from.data(), to.data(), count);
    checkCuda(cudaGetLastError(), "copy");
  };
  const DeviceTimer timer;
  copy();
  std::vector<double> seconds;
  for (int repeat = 0; repeat < 5; ++repeat) seconds.push_back(timer.seconds(copy));
  std::sort(seconds.begin(), seconds.end());
  return 2.0 * sizeof(uint4) * static_cast<double>(count) / seconds[2];
}

}  // namespace tessera
