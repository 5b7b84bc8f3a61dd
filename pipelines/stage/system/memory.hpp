// SPDX-License-Identifier: GPL-3.0-or-later
// Memory: how much this process may still take, so that a stage can refuse before long work, and
// handling of allocation failures where std::bad_alloc does not arrive: streams swallow it and
// leave half of their input, and destructors of other libraries that allocate (OpenVDB's trees,
// nlohmann's values) end the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace tessera::stage {

// Bytes that this process's control groups (versions 1 and 2, as set by a batch system or
// container) and their parents still grant; the largest number without a limit. root: folder of
// proc and sys.
std::uint64_t leftInGroups(const std::filesystem::path& root = "/");

// Bytes available on the machine, or less where control groups or the address space limit are
// tighter.
std::uint64_t availableMemory();

// Throws StageError(NoResource) if fewer bytes are available. what: "a box of 4000 x 4000 x 4000
// nodes"; remedy: "choose a larger --spacing".
void requireMemory(double bytes, const std::string& what, const std::string& remedy);

// Where the address space is limited, few arenas for the small allocations of all threads: each
// reserves 64 MB of addresses, and without this every thread has its own. Called once by main,
// before there are threads.
void shareArenas();

// "3.2 GB", "45 kB".
std::string formatBytes(double bytes);

// Starts counting failed allocations; if std::terminate ends the program after one, it prints one
// sentence and exits with 5. Called once by main.
void watchMemory(const std::string& program);

// Failed allocations since watchMemory(), on all threads.
std::size_t failedAllocations();

// Guards calls of code that may swallow std::bad_alloc.
class MemoryWatch {
 public:
  MemoryWatch() : before_(failedAllocations()) {}
  // Throws std::bad_alloc if an allocation failed since construction, on any thread.
  void requireEnough() const;

 private:
  std::size_t before_;
};

extern const char* const notEnoughMemory;  // the sentence

}  // namespace tessera::stage
