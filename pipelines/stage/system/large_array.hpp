// SPDX-License-Identifier: GPL-3.0-or-later
// Arrays and vectors in large pages, where the system grants them. The system clears a page when it
// is first touched, which takes one thread longer than what is done with the memory afterwards, so
// several threads touch them; and a step reads tiles all over a state, where small pages cost it a
// page walk for each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

namespace tessera::stage {

constexpr std::size_t largePage = std::size_t{2} << 20U;

// Asks the system for large pages in memory that is not touched yet; a hint.
void adviseLargePages(void* data, std::size_t bytes) noexcept;

// By several threads.
void zeroTogether(void* data, std::size_t bytes);

// Room for `size` elements of an empty vector, in large pages.
template <class T>
void reserveLarge(std::vector<T>& values, std::size_t size) {
  values.reserve(size);
  adviseLargePages(static_cast<void*>(values.data()), size * sizeof(T));
}

// Resizes an empty vector; its pages are touched by several threads before.
template <class T>
void resizeTogether(std::vector<T>& values, std::size_t size) {
  reserveLarge(values, size);
  zeroTogether(static_cast<void*>(values.data()), size * sizeof(T));
  values.resize(size);
}

// `size` zeros. Throws std::bad_alloc if there is not enough memory.
template <class T>
class LargeArray {
 public:
  // touch(zero) calls zero(first, count) for ranges that make up all elements, each on the thread
  // that will use it.
  template <class Touch>
  LargeArray(std::uint64_t size, const Touch& touch) : size_(size), alignment_(alignmentOf(size)) {
    const auto page = static_cast<std::size_t>(alignment_);
    const std::size_t whole = (bytes() + page - 1) / page * page;
    data_ = static_cast<T*>(::operator new(whole, alignment_));
    adviseLargePages(static_cast<void*>(data_), whole);
    touch([this](std::uint64_t first, std::uint64_t count) {
      std::memset(static_cast<void*>(data_ + first), 0, count * sizeof(T));
    });
  }
  explicit LargeArray(std::uint64_t size) : LargeArray(size, [](const auto&) {}) {
    zeroTogether(data_, bytes());
  }
  LargeArray(const LargeArray&) = delete;
  LargeArray& operator=(const LargeArray&) = delete;
  ~LargeArray() { ::operator delete(data_, alignment_); }

  void swap(LargeArray& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(alignment_, other.alignment_);
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
  [[nodiscard]] std::size_t bytes() const { return size_ * sizeof(T); }
  static std::align_val_t alignmentOf(std::uint64_t size) {
    if (size > SIZE_MAX / 2 / sizeof(T)) throw std::bad_alloc();
    return std::align_val_t{size * sizeof(T) < largePage ? 4096 : largePage};
  }

  T* data_ = nullptr;
  std::uint64_t size_ = 0;
  std::align_val_t alignment_;
};

}  // namespace tessera::stage
