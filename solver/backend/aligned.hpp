// SPDX-License-Identifier: GPL-3.0-or-later
// Zeroed memory for populations, aligned to a cache line and touched first by the threads that
// will use it.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace tessera {

template <class T>
class AlignedArray {
 public:
  explicit AlignedArray(std::uint64_t size) : size_(size) {
    const std::uint64_t bytes = (size * sizeof(T) + 4095) / 4096 * 4096;
    data_ = static_cast<T*>(std::aligned_alloc(4096, bytes == 0 ? 4096 : bytes));
    if (data_ == nullptr) throw std::bad_alloc();
    tbb::parallel_for(tbb::blocked_range<std::uint64_t>(0, size, 1U << 16U),
                      [&](const tbb::blocked_range<std::uint64_t>& range) {
                        std::memset(data_ + range.begin(), 0, range.size() * sizeof(T));
                      });
  }
  AlignedArray(const AlignedArray&) = delete;
  AlignedArray& operator=(const AlignedArray&) = delete;
  ~AlignedArray() { std::free(data_); }

  void swap(AlignedArray& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }
  [[nodiscard]] T* data() { return data_; }
  [[nodiscard]] const T* data() const { return data_; }
  [[nodiscard]] T* begin() { return data_; }
  [[nodiscard]] T* end() { return data_ + size_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  T* data_ = nullptr;
  std::uint64_t size_ = 0;
};

}  // namespace tessera
