// SPDX-License-Identifier: GPL-3.0-or-later
// A build without CUDA.
#include "solver/device.hpp"

namespace tessera {

std::optional<DeviceInfo> findDevice() {
  return std::nullopt;
}

}  // namespace tessera
