// SPDX-License-Identifier: GPL-3.0-or-later
#include <cuda_runtime.h>

#include "solver/device.hpp"

namespace tessera {

std::optional<DeviceInfo> findDevice() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
    cudaGetLastError();  // no device is an answer, not an error to be found later
    return std::nullopt;
  }
  cudaDeviceProp properties{};
  std::size_t freeBytes = 0;
  std::size_t totalBytes = 0;
  if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess ||
      cudaMemGetInfo(&freeBytes, &totalBytes) != cudaSuccess) {
    cudaGetLastError();
    return std::nullopt;
  }
  return DeviceInfo{properties.name, freeBytes, totalBytes};
}

}  // namespace tessera
