// SPDX-License-Identifier: GPL-3.0-or-later
// Zeroed memory for populations, in large pages where the system grants them (a step touches tiles
// all over the state, and small pages cost it the look-up of each), touched first by the threads
// that will use it.
#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace tessera {

template <class T>
class AlignedArray {
 public:
  // touch(zero) calls zero(first, count) for parts that make up all elements, from the threads
  // whose memory they are to be.
  template <class Touch>
  AlignedArray(std::uint64_t size, const Touch& touch) : size_(size) {
    constexpr std::uint64_t page = std::uint64_t{2} << 20U;
    const std::uint64_t alignment = size * sizeof(T) < page ? 4096 : page;
    const std::uint64_t bytes = (size * sizeof(T) + alignment - 1) / alignment * alignment;
    data_ = static_cast<T*>(std::aligned_alloc(alignment, bytes == 0 ? alignment : bytes));
    if (data_ == nullptr) throw std::bad_alloc();
#if defined(MADV_HUGEPAGE)
    if (alignment == page) madvise(data_, bytes, MADV_HUGEPAGE);  // a hint: no matter if refused
#endif
    touch([this](std::uint64_t first, std::uint64_t count) {
      std::memset(static_cast<void*>(data_ + first), 0, count * sizeof(T));
    });
  }
  AlignedArray(const AlignedArray&) = delete;
  AlignedArray& operator=(const AlignedArray&) = delete;
  ~AlignedArray() {
    std::free(data_);
  }

  void swap(AlignedArray& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }
  [[nodiscard]] T* data() {
    return data_;
  }
  [[nodiscard]] const T* data() const {
    return data_;
  }
  [[nodiscard]] const T* begin() const {
    return data_;
  }
  [[nodiscard]] const T* end() const {
    return data_ + size_;
  }
  [[nodiscard]] std::uint64_t size() const {
    return size_;
  }

 private:
  T* data_ = nullptr;
  std::uint64_t size_ = 0;
};

}  // namespace tessera
