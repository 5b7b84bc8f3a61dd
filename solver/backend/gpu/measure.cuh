// SPDX-License-Identifier: GPL-3.0-or-later
// Measurements on a device: timer, copy bandwidth, random state.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "solver/backend/gpu/memory.hpp"
#include "solver/backend/gpu/runtime.hpp"
#include "solver/backend/gpu/value_order.cuh"
#include "solver/model/stored_values.hpp"

namespace tessera::solver::backend {

// Time of work on a device, measured by events in the default stream.

class DeviceTimer {
 public:
  // Seconds from the start to the end of the work that launch() gives to the default stream.
  template <class Function>
  [[nodiscard]] double seconds(const Function& launch) const {
    start_.record(defaultStream);
    launch();
    end_.record(defaultStream);
    end_.wait("event");
    return end_.secondsSince(start_);
  }

 private:
  DeviceEvent start_{EventTiming::On};
  DeviceEvent end_{EventTiming::On};
};

// Copies 16 bytes per thread.
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

// Random benchmark state, generated in device memory.

template <class Order, class Storage>
__global__ void noiseKernel(Storage* state, std::uint64_t count) {
  const std::uint64_t k = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  if (k < count) state[Order::place(k)] = model::noiseStored<Storage>(k);
}

template <class Order = OrderOfFiles, class Storage>
void fillWithNoise(Storage* state, std::uint64_t count) {
  launchKernel(&noiseKernel<Order, Storage>, orderShape(count), defaultStream, state, count);
}

}  // namespace tessera::solver::backend
