// SPDX-License-Identifier: GPL-3.0-or-later
// Memory held for what must not fail later: taken, and touched, while it can still be said that it
// is not there, and given back to the system just before it is needed.
#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

namespace tessera {

class HeldMemory {
 public:
  // More than none. Throws std::bad_alloc.
  explicit HeldMemory(std::uint64_t bytes) : bytes_(bytes) {
    if (!take()) throw std::bad_alloc();
  }
  HeldMemory(HeldMemory&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)), bytes_(other.bytes_) {}
  HeldMemory& operator=(HeldMemory&&) = delete;
  ~HeldMemory() { release(); }
  // Again, unless it is held. Whether it is there.
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

}  // namespace tessera
