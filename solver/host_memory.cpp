// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include "solver/device.hpp"

namespace tessera {

namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

std::uint64_t numberIn(const char* path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  return file >> value ? value : unlimited;  // "max" or absent: no limit
}

std::uint64_t availableOnMachine() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  std::uint64_t kilobytes = 0;
  std::string unit;
  while (file >> key >> kilobytes) {
    if (key == "MemAvailable:") return kilobytes * 1024;
    std::getline(file, unit);
  }
  return unlimited;
}

}  // namespace

std::uint64_t freeHostMemory() {
  const std::uint64_t limit = numberIn("/sys/fs/cgroup/memory.max");
  const std::uint64_t used = numberIn("/sys/fs/cgroup/memory.current");
  const std::uint64_t inGroup =
      limit == unlimited || used == unlimited ? unlimited : limit - std::min(limit, used);
  return std::min(availableOnMachine(), inGroup);
}

}  // namespace tessera
