// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/backend/gpu/device.hpp"
#include "solver/backend/gpu/runtime.hpp"

namespace tessera::solver::backend {

int countDevices() {
  return gpuCount();
}

std::string useDevice(int number) {
  selectGpu(number);
  return gpuBusAddress(number);
}

std::optional<DeviceInfo> findDevice() {
  const std::optional<GpuProperties> gpu = findGpu();
  if (!gpu) return std::nullopt;
  return DeviceInfo{gpu->name, gpu->freeBytes, gpu->totalBytes, gpu->l2Bytes, gpu->peakBandwidth};
}

}  // namespace tessera::solver::backend
