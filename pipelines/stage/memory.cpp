// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/stage/memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <limits>

#include "pipelines/stage/error.hpp"

namespace tessera {
namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

// "max" or no such file: no limit.
std::uint64_t numberIn(const char* path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  return file >> value ? value : unlimited;
}

std::uint64_t leftOnMachine() {
  std::ifstream file("/proc/meminfo");
  std::string key, rest;
  for (std::uint64_t kilobytes = 0; file >> key >> kilobytes; std::getline(file, rest))
    if (key == "MemAvailable:") return kilobytes * 1024;
  return unlimited;
}

std::uint64_t leftInGroup() {
  const std::uint64_t limit = numberIn("/sys/fs/cgroup/memory.max");
  const std::uint64_t used = numberIn("/sys/fs/cgroup/memory.current");
  if (limit == unlimited || used == unlimited) return unlimited;
  return limit - std::min(limit, used);
}

// Of the address space that ulimit -v or a batch system grants this process.
std::uint64_t leftInProcess() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const std::uint64_t used = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return limit.rlim_cur - std::min<std::uint64_t>(limit.rlim_cur, used);
}

}  // namespace

std::uint64_t availableMemory() {
  return std::min({leftOnMachine(), leftInGroup(), leftInProcess()});
}

void requireMemory(double bytes, const std::string& what, const std::string& remedy) {
  const auto available = static_cast<double>(availableMemory());
  if (bytes > available)
    fail(ExitCode::NoResource, what + " needs about " + formatBytes(bytes) + " of memory, but " +
                                   formatBytes(available) + " are free; " + remedy + ".");
}

std::string formatBytes(double bytes) {
  const char* const units[] = {"B", "kB", "MB", "GB", "TB"};
  int u = 0;
  for (; bytes >= 999.5 && u < 4; ++u) bytes /= 1000.0;
  char text[32];
  std::snprintf(text, sizeof text, bytes < 9.95 && u > 0 ? "%.1f %s" : "%.0f %s", bytes, units[u]);
  return text;
}

}  // namespace tessera
