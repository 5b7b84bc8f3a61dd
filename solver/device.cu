// SPDX-License-Identifier: GPL-3.0-or-later
#include <cuda_runtime.h>

#include "solver/backend/cuda_memory.cuh"
#include "solver/device.hpp"

namespace tessera {

int countDevices() {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess) return count;
  cudaGetLastError();  // no device is an answer, not an error to be found later
  return 0;
}

std::string useDevice(int number) {
  checkCuda(cudaSetDevice(number), "device choice");
  char bus[32] = {};
  checkCuda(cudaDeviceGetPCIBusId(bus, sizeof(bus), number), "device query");
  return bus;
}

std::optional<DeviceInfo> findDevice() {
  if (countDevices() == 0) return std::nullopt;
  int device = 0;
  cudaDeviceProp properties{};
  std::size_t freeBytes = 0;
  std::size_t totalBytes = 0;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaGetDeviceProperties(&properties, device) != cudaSuccess ||
      cudaMemGetInfo(&freeBytes, &totalBytes) != cudaSuccess) {
    cudaGetLastError();
    return std::nullopt;
  }
  return DeviceInfo{properties.name, freeBytes, totalBytes};
}

}  // namespace tessera
