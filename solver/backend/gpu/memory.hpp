// SPDX-License-Identifier: GPL-3.0-or-later
// Arrays in device memory, staging memory of the host, and uploads that the host does not wait for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "pipelines/stage/system/large_array.hpp"
#include "solver/backend/gpu/runtime.hpp"

namespace tessera::solver::backend {

template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  // Zeroed.
  explicit DeviceArray(std::uint64_t size) : size_(size) {
    if (size != 0) data_ = static_cast<T*>(allocateDevice(size * sizeof(T)));
  }
  explicit DeviceArray(std::span<const T> host) : DeviceArray(host.size()) { upload(host); }
  explicit DeviceArray(const std::vector<T>& host) : DeviceArray(std::span<const T>(host)) {}
  DeviceArray(DeviceArray&& other) noexcept { swap(other); }
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    swap(other);
    return *this;
  }
  ~DeviceArray() { freeDevice(data_); }

  void upload(std::span<const T> host) {
    if (!host.empty()) copyToDevice(data_, host.data(), host.size() * sizeof(T));
  }
  void download(std::vector<T>& host, std::uint64_t count) const {
    host.resize(count);
    if (count != 0) copyFromDevice(host.data(), data_, count * sizeof(T));
  }
  void swap(DeviceArray& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }
  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  T* data_ = nullptr;
  std::uint64_t size_ = 0;
};

// Memory of the host for copies to and from a device: pinned where the system grants it, so that a
// copy is as fast as the bus and need not be waited for. Kept between uses. Pages that several
// threads have touched are pinned in a fifth of the time that pinned ones take to allocate.
class StagingBuffer {
 public:
  StagingBuffer() = default;
  StagingBuffer(const StagingBuffer&) = delete;
  StagingBuffer& operator=(const StagingBuffer&) = delete;
  ~StagingBuffer() { release(); }

  // At least `bytes`. The content is lost where this is more than before, and no copy may be
  // pending then.
  std::byte* room(std::uint64_t bytes) {
    if (!memory_ || bytes > memory_->size()) {
      release();
      memory_.emplace(bytes);
      pinned_ = bytes > 0 && pinPages(memory_->data(), bytes);
    }
    return memory_->data();
  }

 private:
  void release() {
    if (std::exchange(pinned_, false)) unpinPages(memory_->data());
    memory_.reset();
  }

  std::optional<stage::LargeArray<std::byte>> memory_;
  bool pinned_ = false;
};

// Copies to the device in the order of a stream: the host continues at once, with at most two
// pending copies; a third waits for the first.
class UploadQueue {
 public:
  void send(const void* host, std::size_t bytes, void* device, StreamHandle stream) {
    if (bytes == 0) return;
    Upload& upload = uploads_[next_++ % uploads_.size()];
    upload.done.wait("copy to the device");
    std::byte* staged = upload.staging.room(bytes);
    std::memcpy(staged, host, bytes);
    copyToDevice(device, staged, bytes, stream);
    upload.done.record(stream);
  }

 private:
  struct Upload {
    StagingBuffer staging;
    DeviceEvent done;
  };
  std::array<Upload, 2> uploads_;
  std::size_t next_ = 0;
};

}  // namespace tessera::solver::backend
