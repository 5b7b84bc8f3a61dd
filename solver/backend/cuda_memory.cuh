// SPDX-License-Identifier: GPL-3.0-or-later
// Device memory that frees itself, and CUDA calls that are always checked.
#pragma once

#include <cuda_runtime.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pipelines/stage/error.hpp"

namespace tessera {

inline void checkCuda(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  const bool memory = status == cudaErrorMemoryAllocation;
  fail(
      memory ? ExitCode::NoResource : ExitCode::RunFailed,
      std::string("CUDA ") + what + " failed: " + cudaGetErrorString(status) +
          (memory ? "; use a coarser spacing, --precision f32, or a device with more memory" : ""));
}

template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  explicit DeviceArray(std::uint64_t size) : size_(size) {
    if (size == 0) return;
    checkCuda(cudaMalloc(&data_, size * sizeof(T)), "memory allocation");
    checkCuda(cudaMemset(data_, 0, size * sizeof(T)), "memset");
  }
  explicit DeviceArray(std::span<const T> host) : DeviceArray(host.size()) { upload(host); }
  explicit DeviceArray(const std::vector<T>& host) : DeviceArray(std::span<const T>(host)) {}
  DeviceArray(DeviceArray&& other) noexcept { swap(other); }
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    swap(other);
    return *this;
  }
  ~DeviceArray() { cudaFree(data_); }

  void upload(std::span<const T> host) {
    if (!host.empty())
      checkCuda(cudaMemcpy(data_, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice),
                "copy to the device");
  }
  void download(std::vector<T>& host, std::uint64_t count) const {
    host.resize(count);
    if (count != 0)
      checkCuda(cudaMemcpy(host.data(), data_, count * sizeof(T), cudaMemcpyDeviceToHost),
                "copy from the device");
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

// Memory of the host for what comes from the device, pinned where the system grants it: the copy is
// then as fast as the bus. Made at the first copy and kept.
class HostCopy {
 public:
  HostCopy() = default;
  HostCopy(const HostCopy&) = delete;
  HostCopy& operator=(const HostCopy&) = delete;
  ~HostCopy() {
    if (pinned_) cudaFreeHost(data_);
  }
  // bytes: the same in every call.
  std::byte* room(std::uint64_t bytes) {
    if (data_ != nullptr) return data_;
    void* memory = nullptr;
    pinned_ = cudaMallocHost(&memory, bytes) == cudaSuccess;
    if (!pinned_) {
      cudaGetLastError();  // it is of no consequence
      pageable_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
      memory = pageable_.get();
    }
    return data_ = static_cast<std::byte*>(memory);
  }

 private:
  std::byte* data_ = nullptr;
  bool pinned_ = false;
  std::unique_ptr<std::byte[]> pageable_;
};

// Copies to the device that are made when a stream gets to them, from pinned memory, so that the
// host goes on at once. Two are on their way at most; a third waits for the first.
class UploadsBehind {
 public:
  UploadsBehind() {
    for (Upload& upload : uploads_)
      checkCuda(cudaEventCreateWithFlags(&upload.done, cudaEventDisableTiming), "event");
  }
  UploadsBehind(const UploadsBehind&) = delete;
  UploadsBehind& operator=(const UploadsBehind&) = delete;
  ~UploadsBehind() {
    for (const Upload& upload : uploads_) {
      cudaEventDestroy(upload.done);
      cudaFreeHost(upload.data);
    }
  }
  void send(const void* host, std::size_t bytes, void* device, cudaStream_t stream) {
    if (bytes == 0) return;
    Upload& upload = uploads_[next_++ % uploads_.size()];
    checkCuda(cudaEventSynchronize(upload.done), "copy to the device");
    if (upload.size < bytes) {
      checkCuda(cudaFreeHost(upload.data), "memory of the host");
      upload.data = nullptr;
      checkCuda(cudaMallocHost(&upload.data, bytes), "memory allocation");
      upload.size = bytes;
    }
    std::memcpy(upload.data, host, bytes);
    checkCuda(cudaMemcpyAsync(device, upload.data, bytes, cudaMemcpyHostToDevice, stream),
              "copy to the device");
    checkCuda(cudaEventRecord(upload.done, stream), "event");
  }

 private:
  struct Upload {
    void* data = nullptr;
    std::size_t size = 0;
    cudaEvent_t done{};
  };
  std::array<Upload, 2> uploads_;
  std::size_t next_ = 0;
};

inline void copyFromDevice(void* host, const void* device, std::uint64_t bytes) {
  checkCuda(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost), "copy from the device");
}
inline void copyToDevice(void* device, const void* host, std::uint64_t bytes) {
  checkCuda(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice), "copy to the device");
}

// Seconds between two events around what a function launches.
class DeviceTimer {
 public:
  DeviceTimer() {
    checkCuda(cudaEventCreate(&start_), "event");
    checkCuda(cudaEventCreate(&end_), "event");
  }
  DeviceTimer(const DeviceTimer&) = delete;
  DeviceTimer& operator=(const DeviceTimer&) = delete;
  ~DeviceTimer() {
    cudaEventDestroy(start_);
    cudaEventDestroy(end_);
  }
  template <class Function>
  double seconds(const Function& launch) const {
    checkCuda(cudaEventRecord(start_), "event");
    launch();
    checkCuda(cudaEventRecord(end_), "event");
    checkCuda(cudaEventSynchronize(end_), "event");
    float milliseconds = 0.0F;
    checkCuda(cudaEventElapsedTime(&milliseconds, start_, end_), "event");
    return 1e-3 * static_cast<double>(milliseconds);
  }

 private:
  cudaEvent_t start_{};
  cudaEvent_t end_{};
};

}  // namespace tessera
