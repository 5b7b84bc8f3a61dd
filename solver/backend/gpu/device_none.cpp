// SPDX-License-Identifier: GPL-3.0-or-later
// A build without CUDA.
#include "solver/backend/gpu/device.hpp"

namespace tessera::solver::backend {

std::optional<DeviceInfo> findDevice() {
  return std::nullopt;
}

int countDevices() {
  return 0;
}

std::string useDevice(int) {
  return {};
}

std::string deviceTransport(comm::Ranks&) {
  return {};
}

}  // namespace tessera::solver::backend
