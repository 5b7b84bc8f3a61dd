// SPDX-License-Identifier: GPL-3.0-or-later
// Which CUDA device there is, if any, and how much of its memory is free.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tessera {

struct DeviceInfo {
  std::string name;
  std::uint64_t freeBytes = 0;
  std::uint64_t totalBytes = 0;
};

// The device a run would use; nullopt when there is none, no driver, or no CUDA in this build.
std::optional<DeviceInfo> findDevice();

// How many devices this process sees.
int countDevices();
// The one that this process uses from now on, and its address on the bus of the host, which tells
// devices apart whatever processes call them.
std::string useDevice(int number);

class Ranks;
// How the ranks' devices exchange halos: "NCCL 2.28.9" or "pinned memory and MPI". Collective.
std::string deviceTransport(Ranks& ranks);

}  // namespace tessera
