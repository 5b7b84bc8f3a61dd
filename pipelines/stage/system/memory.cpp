// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/stage/system/memory.hpp"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::stage {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

// "max" or no such file: no limit.
std::uint64_t numberIn(const fs::path& path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  return file >> value ? value : unlimited;
}

// Value of a key in a file with a key and its value on each line.
std::optional<std::uint64_t> valueIn(const fs::path& path, std::string_view wanted) {
  std::ifstream file(path);
  std::string key, rest;
  for (std::uint64_t value = 0; file >> key >> value; std::getline(file, rest))
    if (key == wanted) return value;
  return std::nullopt;
}

std::uint64_t leftOnMachine() {
  const auto kilobytes = valueIn("/proc/meminfo", "MemAvailable:");
  return kilobytes ? *kilobytes * 1024 : unlimited;
}

// Files of a control group (itself and all below it).
struct GroupFiles {
  const char* limit;
  const char* used;
  const char* unusedCache;  // in memory.stat
};
constexpr GroupFiles version1{"memory.limit_in_bytes", "memory.usage_in_bytes",
                              "total_inactive_file"};
constexpr GroupFiles version2{"memory.max", "memory.current", "inactive_file"};

// Page cache counts as used but is freed before memory runs short.
std::uint64_t leftInGroup(const fs::path& group, const GroupFiles& files) {
  const std::uint64_t limit = numberIn(group / files.limit);
  const std::uint64_t used = numberIn(group / files.used);
  if (limit == unlimited || used == unlimited) return unlimited;
  const std::uint64_t cache = valueIn(group / "memory.stat", files.unusedCache).value_or(0);
  return limit - std::min(limit, used - std::min(used, cache));
}

// Walks from the mount point down to the group of this path. In a container the mount may be that
// group itself; then the groups below do not exist there and have no limit.
std::uint64_t leftAlong(fs::path group, const fs::path& path, const GroupFiles& files) {
  std::uint64_t left = leftInGroup(group, files);
  for (const fs::path& part : path.relative_path()) {
    group /= part;
    left = std::min(left, leftInGroup(group, files));
  }
  return left;
}

// Address space granted by ulimit -v or a batch system.
std::uint64_t addressSpace() {
  rlimit limit{};
  const bool limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return limited ? limit.rlim_cur : unlimited;
}

std::uint64_t leftInProcess() {
  const std::uint64_t granted = addressSpace();
  if (granted == unlimited) return unlimited;
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const std::uint64_t used = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return granted - std::min(granted, used);
}

}  // namespace

void shareArenas() {
#if defined(M_ARENA_MAX)
  if (addressSpace() != unlimited) mallopt(M_ARENA_MAX, 2);
#endif
}

std::uint64_t leftInGroups(const fs::path& root) {
  const fs::path mount = root / "sys/fs/cgroup";
  std::uint64_t left = unlimited;
  std::ifstream groups(root / "proc/self/cgroup");
  // number:controllers:path; version 2 names no controllers.
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const fs::path path = line.substr(second + 1);
    if (controllers == ",,")
      left = std::min(
          {left, leftAlong(mount, path, version2), leftAlong(mount / "unified", path, version2)});
    else if (controllers.find(",memory,") != std::string::npos)
      left = std::min(left, leftAlong(mount / "memory", path, version1));
  }
  return left;
}

std::uint64_t availableMemory() {
  return std::min({leftOnMachine(), leftInGroups(), leftInProcess()});
}

void requireMemory(double bytes, const std::string& what, const std::string& remedy) {
  const auto available = static_cast<double>(availableMemory());
  if (bytes > available)
    fail(ExitCode::NoResource,
         fmt::format("{} needs about {} of memory, but {} are free; {}.", what, formatBytes(bytes),
                     formatBytes(available), remedy));
}

std::string formatBytes(double bytes) {
  const char* const units[] = {"B", "kB", "MB", "GB", "TB"};
  int u = 0;
  for (; bytes >= 999.5 && u < 4; ++u) bytes /= 1000.0;
  return fmt::format("{:.{}f} {}", bytes, bytes < 9.95 && u > 0 ? 1 : 0, units[u]);
}

namespace {

std::atomic<std::size_t> failed{0};
std::terminate_handler before = nullptr;
char start[128];  // "program: "

[[noreturn]] void countAndThrow() {
  failed.fetch_add(1);
  throw std::bad_alloc();
}

bool isForWantOfMemory() {
  const std::exception_ptr error = std::current_exception();
  if (!error) return failed.load() > 0;
  try {
    std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    return true;
  } catch (...) {
    return false;
  }
}

// Nothing here may allocate.
[[noreturn]] void endWithMessage() {
  static std::atomic_flag begun;  // inspecting the exception may terminate again
  if (begun.test_and_set()) std::_Exit(static_cast<int>(ExitCode::NoResource));
  if (isForWantOfMemory()) {
    for (const char* text : {static_cast<const char*>(start), notEnoughMemory, "\n"})
      if (::write(2, text, std::strlen(text)) < 0) break;
    std::_Exit(static_cast<int>(ExitCode::NoResource));
  }
  if (before != nullptr) before();
  std::abort();
}

}  // namespace

const char* const notEnoughMemory =
    "There is not enough memory; use a coarser spacing or a machine with more.";

void watchMemory(const std::string& program) {
  const std::string text = program + ": ";
  start[text.copy(start, sizeof start - 1)] = '\0';
  std::set_new_handler(countAndThrow);
  const std::terminate_handler found = std::set_terminate(endWithMessage);
  if (found != endWithMessage) before = found;
}

std::size_t failedAllocations() {
  return failed.load();
}

void MemoryWatch::requireEnough() const {
  if (failedAllocations() != before_) throw std::bad_alloc();
}

}  // namespace tessera::stage
