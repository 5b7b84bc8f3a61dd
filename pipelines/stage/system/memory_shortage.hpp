// SPDX-License-Identifier: GPL-3.0-or-later
// What is done about memory that was asked for and not there where std::bad_alloc does not arrive:
// streams swallow it and leave half of what they were given, and destructors of other libraries
// that allocate (OpenVDB's trees, nlohmann's values) end the program.
#pragma once

#include <cstddef>
#include <string>

namespace tessera::stage {

// From here on allocations that fail are counted, and a program that std::terminate ends after one
// says so in one sentence and exits with 5. For main, once.
void watchMemory(const std::string& program);

// Of this process since watchMemory(), on all threads.
std::size_t failedAllocations();

// Around calls of what may swallow std::bad_alloc.
class MemoryWatch {
 public:
  MemoryWatch() : before_(failedAllocations()) {}
  // Throws std::bad_alloc when an allocation failed since, of whichever thread.
  void requireEnough() const;

 private:
  std::size_t before_;
};

extern const char* const notEnoughMemory;  // the sentence

}  // namespace tessera::stage
