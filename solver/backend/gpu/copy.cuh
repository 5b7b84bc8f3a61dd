// SPDX-License-Identifier: GPL-3.0-or-later
// Copy bandwidth of a device, which speeds are compared with.
#pragma once

#include <algorithm>
#include <vector>

#include "solver/backend/gpu/memory.hpp"
#include "solver/backend/gpu/timer.hpp"

namespace tessera::solver::backend {

// 16 bytes a thread, read once and written once.
__global__ inline void copyKernel(const uint4* __restrict__ from, uint4* __restrict__ to,
                                  std::uint64_t count) {
  const std::uint64_t k = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  if (k < count) to[k] = from[k];
}

// Bytes per second of copying up to 2 GiB, reads and writes counted; a median of five.
inline double deviceCopyBandwidth() {
  const std::uint64_t count =
      std::min<std::uint64_t>(std::uint64_t{1} << 27U, freeDeviceBytes() / 64);
  DeviceArray<uint4> from(count);
  DeviceArray<uint4> to(count);
  const auto copy = [&] {
    launchKernel(&copyKernel, {static_cast<unsigned>((count + 255) / 256), 256}, defaultStream,
                 from.data(), to.data(), count);
  };
  const DeviceTimer timer;
  copy();
  std::vector<double> seconds;
  for (int repeat = 0; repeat < 5; ++repeat) seconds.push_back(timer.seconds(copy));
  std::sort(seconds.begin(), seconds.end());
  return 2.0 * sizeof(uint4) * static_cast<double>(count) / seconds[2];
}

}  // namespace tessera::solver::backend
