// SPDX-License-Identifier: GPL-3.0-or-later
// The exchange of a halo on CUDA devices: border tiles are packed, sent, received and unpacked on a
// stream of its own while interior tiles are stepped. Traffic: 8 B of index a population or a node
// of moments, and twice the number a value and side; a face between ranks has 5 populations a node
// of D3Q19, less than a hundredth of a step's bytes at 16 million nodes a rank.
#pragma once

#include <memory>
#include <stdexcept>
#include <vector>

#include "solver/backend/backend.hpp"
#include "solver/backend/cuda_state.cuh"
#include "solver/backend/gpu/memory.hpp"
#include "solver/ranks/device_ranks.hpp"

namespace tessera {

// Nodes of a message: where the first value of each lies in the state; the others lie 64 further
// each.
struct HaloNodes {
  const std::uint64_t* places;
  std::uint64_t count;
};

constexpr unsigned haloThreads = 256;  // a node each

// Message and block's part of it: node after node, in each value after value. Both sides go through
// shared memory, so that neighbouring threads meet neighbouring places of either.
template <class T, int values>
__global__ void packKernel(const T* state, HaloNodes nodes, T* packed) {
  __shared__ T part[haloThreads * values];
  const std::uint64_t first = std::uint64_t{blockIdx.x} * haloThreads;
  const std::uint64_t k = first + threadIdx.x;
  if (k < nodes.count) {
    const T* from = state + nodes.places[k];
#pragma unroll
    for (int v = 0; v < values; ++v) part[values * threadIdx.x + v] = from[64 * v];
  }
  __syncthreads();
#pragma unroll
  for (int v = 0; v < values; ++v) {
    const unsigned i = threadIdx.x + haloThreads * v;
    if (first * values + i < nodes.count * values) packed[first * values + i] = part[i];
  }
}

template <class T, int values>
__global__ void unpackKernel(const T* packed, HaloNodes nodes, T* state) {
  __shared__ T part[haloThreads * values];
  const std::uint64_t first = std::uint64_t{blockIdx.x} * haloThreads;
#pragma unroll
  for (int v = 0; v < values; ++v) {
    const unsigned i = threadIdx.x + haloThreads * v;
    if (first * values + i < nodes.count * values) part[i] = packed[first * values + i];
  }
  __syncthreads();
  const std::uint64_t k = first + threadIdx.x;
  if (k >= nodes.count) return;
  T* to = state + nodes.places[k];
#pragma unroll
  for (int v = 0; v < values; ++v) to[64 * v] = part[values * threadIdx.x + v];
}

// Which nodes a part of a HaloPlan is of: of each all values cross, in the order of its list.
template <int values>
std::vector<std::uint64_t> nodesOf(const std::vector<std::uint64_t>& indices) {
  std::vector<std::uint64_t> nodes;
  for (const std::uint64_t index : indices)
    if (values == 1 || index / 64 % values == 0) nodes.push_back(index);
  if (nodes.size() * values != indices.size())
    throw std::logic_error("a halo has some of the values of a node and not the others");
  return nodes;
}

// Stream of the halo exchange: highest priority, not ordered with the default stream.
class HaloStream {
 public:
  [[nodiscard]] StreamHandle get() const { return stream_.get(); }
  // Work given to it from now on waits for what the default stream was given so far.
  void afterSteps() const {
    stepped_.record(defaultStream);
    stepped_.holdBack(get());
  }
  // The border tiles of a step are in the stream, or all that a state needs to be whole.
  void markBorder() const { border_.record(get()); }
  void markWhole() const { whole_.record(get()); }
  [[nodiscard]] const DeviceEvent& whole() const { return whole_; }
  // What the default stream is given next waits for the last of these.
  void letWaitForBorder() const { border_.holdBack(defaultStream); }
  void letWaitForWhole() const { whole_.holdBack(defaultStream); }

 private:
  DeviceStream stream_{StreamOrder::Independent, StreamPriority::Highest};
  DeviceEvent stepped_;
  DeviceEvent border_;
  DeviceEvent whole_;
};

// T: what is stored. values: that cross of a node together, all of them.
template <class T, int values = 1>
class CudaHalo {
 public:
  // ranks: null where there is one alone.
  CudaHalo(const HaloPlan& plan, DeviceRanks* ranks) : ranks_(ranks) {
    if (ranks_ == nullptr) return;
    stream_ = std::make_unique<HaloStream>();
    sendPlaces_ = DeviceArray<std::uint64_t>(nodesOf<values>(plan.send));
    receivePlaces_ = DeviceArray<std::uint64_t>(nodesOf<values>(plan.receive));
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

  // A step of a state in two copies: border(stream) launches what others read and whatever reads
  // what others step, rest() the other tiles into the default stream, where all that the step needs
  // besides has been launched. The two run at once, so that one fills the device where the other
  // ends, and the rest waits for no other rank: border tiles, the exchange and the tiles of others
  // follow each other in the halo's stream; whatever the default stream is given after the rest
  // comes after this step's border too (blocks of the border may hold tiles behind it), the border
  // of the next after both and the tiles of others. What either writes was read a
  // step before, but for border tiles, which are packed in the halo's stream, and those of others,
  // which the border alone reads.
  template <class Border, class Rest>
  void stepAtOnce(CudaState<T>& state, const Border& border, const Rest& rest) {
    stream_->afterSteps();
    border(stream_->get());
    stream_->markBorder();
    start(state.next());
    rest();
    finish(state.next());
    stream_->letWaitForBorder();
  }

  // A step in one copy. chunks(launched) launches all tiles in their order and calls launched(end)
  // for those before each `end`; border(stream) what is to be done to border tiles after that.
  // Chunks of the next step wait for the tiles of others, which long have come by then: they are
  // put in place while the last chunks run.
  template <class Chunks, class Border>
  void stepOneCopy(CudaState<T>& state, std::uint32_t borderTiles, const Chunks& chunks,
                   const Border& border) {
    bool begun = false;
    chunks([&](std::uint32_t end) {
      if (begun || end < borderTiles) return;
      begun = true;
      state.letWaitForChunks(stream_->get());
      border(stream_->get());
      start(state.next());
    });
    ranks_->finish(messages_, stream_->get());
    state.letWaitForRead(stream_->get());
    unpack(state.next());
    state.nextChunksWaitFor(stream_->whole());
  }

  // What the default stream is given from now on finds the whole state of the last step.
  void letWaitForWhole() {
    if (ranks_ != nullptr) stream_->letWaitForWhole();
  }

  // An exchange by itself, between what the default stream was given so far and what it is given
  // from now on.
  void exchange(T* state) {
    if (ranks_ == nullptr) return;
    stream_->afterSteps();
    start(state);
    finish(state);
    letWaitForWhole();
  }

 private:
  void start(const T* state) {
    run(&packKernel<T, values>, state, sendPlaces_, sent_.data());
    ranks_->start(messages_, stream_->get());
  }
  void finish(T* state) {
    ranks_->finish(messages_, stream_->get());
    unpack(state);
  }
  void unpack(T* state) {
    run(&unpackKernel<T, values>, received_.data(), receivePlaces_, state);
    stream_->markWhole();
  }
  using Kernel = void (*)(const T*, HaloNodes, T*);
  void run(Kernel kernel, const T* from, const DeviceArray<std::uint64_t>& places, T* to) {
    const HaloNodes nodes{places.data(), places.size()};
    if (nodes.count == 0) return;
    const auto blocks = static_cast<unsigned>((nodes.count + haloThreads - 1) / haloThreads);
    launchKernel(kernel, {blocks, haloThreads}, stream_->get(), from, nodes, to);
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
