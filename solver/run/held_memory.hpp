// SPDX-License-Identifier: GPL-3.0-or-later
// Reserves (and touches) memory early, so that later work cannot fail for want of it: released just
// before that work begins.
#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

namespace tessera::solver::run {

class ReservedMemory {
 public:
  // bytes > 0. Throws std::bad_alloc.
  explicit ReservedMemory(std::uint64_t bytes) : bytes_(bytes) {
    if (!take()) throw std::bad_alloc();
  }
  ReservedMemory(ReservedMemory&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)), bytes_(other.bytes_) {}
  ReservedMemory& operator=(ReservedMemory&&) = delete;
  ~ReservedMemory() { release(); }
  // Reserves again what was released. False: there is not enough memory.
  bool take() {
    if (memory_ != nullptr) return true;
    void* const memory =
        ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return false;
    memory_ = std::memset(memory, 1, bytes_);
    return true;
  }
  void release() {
    if (memory_ != nullptr) ::munmap(std::exchange(memory_, nullptr), bytes_);
  }

 private:
  void* memory_ = nullptr;
  std::uint64_t bytes_;
};

}  // namespace tessera::solver::run
