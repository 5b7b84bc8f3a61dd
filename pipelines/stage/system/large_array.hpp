// SPDX-License-Identifier: GPL-3.0-or-later
// Zeroed memory in large pages, where the system grants them. The pages are touched by several
// threads: the system clears a page when it is first touched, which takes one thread longer than
// what is done with the memory afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

namespace tessera::stage {

constexpr std::size_t largePage = std::size_t{2} << 20U;

// Memory of at least `bytes` in whole large pages, to be freed by std::free; null where there is
// not enough. The pages are not touched.
void* allocateLargePages(std::size_t bytes) noexcept;

// By several threads.
void zeroTogether(void* data, std::size_t bytes);

// Resizes an empty vector; its pages are touched by several threads before.
template <class T>
void resizeTogether(std::vector<T>& values, std::size_t size) {
  values.reserve(size);
  zeroTogether(static_cast<void*>(values.data()), size * sizeof(T));
  values.resize(size);
}

// `size` elements; throws std::bad_alloc if there is not enough memory.
template <class T>
class LargeArray {
 public:
  // touch(zero) calls zero(first, count) for ranges that make up all elements, each on the thread
  // that will use it.
  template <class Touch>
  LargeArray(std::uint64_t size, const Touch& touch) : size_(size) {
    const std::uint64_t bytes = size * sizeof(T);
    data_ = static_cast<T*>(bytes < largePage ? std::aligned_alloc(4096, (bytes / 4096 + 1) * 4096)
                                              : allocateLargePages(bytes));
    if (data_ == nullptr) throw std::bad_alloc();
    touch([this](std::uint64_t first, std::uint64_t count) {
      std::memset(static_cast<void*>(data_ + first), 0, count * sizeof(T));
    });
  }
  explicit LargeArray(std::uint64_t size) : LargeArray(size, [](const auto&) {}) {
    zeroTogether(data_, size * sizeof(T));
  }
  LargeArray(const LargeArray&) = delete;
  LargeArray& operator=(const LargeArray&) = delete;
  ~LargeArray() { std::free(data_); }

  void swap(LargeArray& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }
  [[nodiscard]] T* data() { return data_; }
  [[nodiscard]] const T* data() const { return data_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] T& operator[](std::size_t k) { return data_[k]; }
  [[nodiscard]] const T& operator[](std::size_t k) const { return data_[k]; }
  [[nodiscard]] T* begin() { return data_; }
  [[nodiscard]] T* end() { return data_ + size_; }
  [[nodiscard]] const T* begin() const { return data_; }
  [[nodiscard]] const T* end() const { return data_ + size_; }

 private:
  T* data_ = nullptr;
  std::uint64_t size_ = 0;
};

}  // namespace tessera::stage
