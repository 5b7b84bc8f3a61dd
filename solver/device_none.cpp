// SPDX-License-Identifier: GPL-3.0-or-later
// A build without CUDA.
#include "solver/device.hpp"

namespace tessera {

std::optional<DeviceInfo> findDevice() {
  return std::nullopt;
}

int countDevices() {
  return 0;
}

std::string useDevice(int) {
  return {};
}

std::string deviceTransport(Ranks&) {
  return {};
}

}  // namespace tessera
