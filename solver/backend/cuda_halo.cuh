// SPDX-License-Identifier: GPL-3.0-or-later
// The exchange of a halo on CUDA devices: border tiles are packed, sent, received and unpacked on a
// stream of its own while interior tiles are stepped. Traffic: 8 B of index and twice the number a
// value and side; a face between ranks has 5 populations a node of D3Q19, less than a hundredth of
// a step's bytes at 16 million nodes a rank.
#pragma once

#include <memory>
#include <vector>

#include "solver/backend/backend.hpp"
#include "solver/backend/cuda_memory.cuh"
#include "solver/ranks/device_ranks.hpp"

namespace tessera {

template <class T>
__global__ void packKernel(const T* state, const std::uint64_t* places, std::uint64_t count,
                           T* packed) {
  const std::uint64_t k = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k < count) packed[k] = state[places[k]];
}

template <class T>
__global__ void unpackKernel(const T* packed, const std::uint64_t* places, std::uint64_t count,
                             T* state) {
  const std::uint64_t k = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k < count) state[places[k]] = packed[k];
}

// Before all that runs beside it, and not in the order of the default stream.
class HaloStream {
 public:
  HaloStream() {
    int least = 0;
    int greatest = 0;
    checkCuda(cudaDeviceGetStreamPriorityRange(&least, &greatest), "device query");
    checkCuda(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, greatest), "stream");
    checkCuda(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "event");
  }
  HaloStream(const HaloStream&) = delete;
  HaloStream& operator=(const HaloStream&) = delete;
  ~HaloStream() {
    cudaStreamDestroy(stream_);
    cudaEventDestroy(event_);
  }
  [[nodiscard]] cudaStream_t get() const { return stream_; }
  // What comes next here waits for what the default stream was given so far.
  void afterSteps() { order(nullptr, stream_); }
  // And the other way round.
  void beforeSteps() { order(stream_, nullptr); }

 private:
  void order(cudaStream_t first, cudaStream_t then) {
    checkCuda(cudaEventRecord(event_, first), "event");
    checkCuda(cudaStreamWaitEvent(then, event_), "event");
  }
  cudaStream_t stream_{};
  cudaEvent_t event_{};
};

// T: what is stored.
template <class T>
class CudaHalo {
 public:
  // ranks: null where there is one alone.
  CudaHalo(const HaloPlan& plan, DeviceRanks* ranks) : ranks_(ranks) {
    if (ranks_ == nullptr) return;
    stream_ = std::make_unique<HaloStream>();
    sendPlaces_ = DeviceArray<std::uint64_t>(plan.send);
    receivePlaces_ = DeviceArray<std::uint64_t>(plan.receive);
    sent_ = DeviceArray<T>(plan.send.size());
    received_ = DeviceArray<T>(plan.receive.size());
    for (const HaloNeighbour& other : plan.neighbours)
      messages_.push_back({other.rank,
                           reinterpret_cast<const std::byte*>(sent_.data() + other.firstSent),
                           other.sent * sizeof(T),
                           reinterpret_cast<std::byte*>(received_.data() + other.firstReceived),
                           other.received * sizeof(T)});
  }

  [[nodiscard]] bool alone() const { return ranks_ == nullptr; }
  // The border tiles of the state are done once the default stream has got here.
  void start(const T* state) {
    if (ranks_ == nullptr) return;
    stream_->afterSteps();
    run(packKernel<T>, state, sendPlaces_, sent_.data());
    ranks_->start(messages_, stream_->get());
  }
  // What the default stream is given from now on finds the state whole.
  void finish(T* state) {
    if (ranks_ == nullptr) return;
    ranks_->finish(messages_, stream_->get());
    run(unpackKernel<T>, received_.data(), receivePlaces_, state);
    stream_->beforeSteps();
  }

 private:
  template <class Kernel>
  void run(const Kernel& kernel, const T* from, const DeviceArray<std::uint64_t>& places, T* to) {
    constexpr unsigned threads = 256;
    const std::uint64_t count = places.size();
    if (count == 0) return;
    kernel<<<static_cast<unsigned>((count + threads - 1) / threads), threads, 0, stream_->get()>>>(
        from, places.data(), count, to);
    checkCuda(cudaGetLastError(), "halo");
  }

  DeviceRanks* ranks_;
  std::unique_ptr<HaloStream> stream_;
  DeviceArray<std::uint64_t> sendPlaces_;
  DeviceArray<std::uint64_t> receivePlaces_;
  DeviceArray<T> sent_;
  DeviceArray<T> received_;
  std::vector<DeviceMessage> messages_;
};

}  // namespace tessera
