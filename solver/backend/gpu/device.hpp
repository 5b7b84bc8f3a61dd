// SPDX-License-Identifier: GPL-3.0-or-later
// GPU devices of this host and their memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "solver/comm/ranks.hpp"

namespace tessera::solver::backend {

struct DeviceInfo {
  std::string name;
  std::uint64_t freeBytes = 0;
  std::uint64_t totalBytes = 0;
  std::uint64_t l2Bytes = 0;   // of its L2 cache
  double peakBandwidth = 0.0;  // of its memory, bytes per second as the driver says; 0: unknown
};

// The device a run would use; nullopt when there is none, no driver, or no CUDA in this build.
std::optional<DeviceInfo> findDevice();

// Devices visible to this process.
int countDevices();
// Selects the device of this process and returns its PCI address, which identifies it across
// processes.
std::string useDevice(int number);

// How the ranks' devices exchange halos: "NCCL 2.28.9" or "pinned memory and MPI". Collective.
std::string deviceTransport(comm::Ranks& ranks);

}  // namespace tessera::solver::backend
