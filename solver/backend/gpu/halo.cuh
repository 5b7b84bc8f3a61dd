// SPDX-License-Identifier: GPL-3.0-or-later
// Halo exchange between devices: border tiles are packed, sent, received and unpacked in the halo's
// stream while interior tiles are stepped; nodes between the two steps of a pass before them, in
// the main stream. Traffic: 8 B of index per population or node of moments, and twice the number
// per value and side; a face between ranks has 5 populations per node of D3Q19, less than a
// hundredth of the bytes of a step at 16 million nodes per rank.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "solver/backend/gpu/device_ranks.hpp"
#include "solver/backend/gpu/memory.hpp"
#include "solver/backend/gpu/target.cuh"
#include "solver/backend/gpu/value_order.cuh"
#include "solver/domain/domain.hpp"

namespace tessera::solver::backend {

// Nodes of a message: index of the first value of each in the order of files; the others follow 64
// apart.
struct HaloNodes {
  const std::uint64_t* places;
  std::uint64_t count;
};

constexpr unsigned haloThreads = 256;  // a node each

// A message holds node after node, in each value after value. Kernels go through shared memory, so
// that accesses to state and message both coalesce.
template <class T, int values, class Order>
__global__ void packKernel(const T* state, HaloNodes nodes, T* packed) {
  __shared__ T part[haloThreads * values];
  const std::uint64_t first = std::uint64_t{blockIdx.x} * haloThreads;
  const std::uint64_t k = first + threadIdx.x;
  if (k < nodes.count) {
    const std::uint64_t place = nodes.places[k];
#pragma unroll
    for (unsigned v = 0; v < values; ++v)
      part[values * threadIdx.x + v] = state[Order::place(place + 64 * v)];
  }
  __syncthreads();
#pragma unroll
  for (int v = 0; v < values; ++v) {
    const unsigned i = threadIdx.x + haloThreads * v;
    if (first * values + i < nodes.count * values) packed[first * values + i] = part[i];
  }
}

template <class T, int values, class Order>
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
  const std::uint64_t place = nodes.places[k];
#pragma unroll
  for (unsigned v = 0; v < values; ++v)
    state[Order::place(place + 64 * v)] = part[values * threadIdx.x + v];
}

// Nodes of a list of a HaloPlan, in its order; all values of each node are exchanged.
template <int values>
std::vector<std::uint64_t> nodesOf(const std::vector<std::uint64_t>& indices) {
  std::vector<std::uint64_t> nodes;
  for (const std::uint64_t index : indices)
    if (values == 1 || index / 64 % values == 0) nodes.push_back(index);
  if (nodes.size() * values != indices.size())
    throw std::logic_error("a halo has some of the values of a node and not the others");
  return nodes;
}

// T: stored type. values: number of values per node, exchanged together. Order: of the state, or of
// a list of nodes that is stored as one.
template <class T, int values = 1, class Order = OrderOfFiles>
class GpuHalo {
 public:
  GpuHalo(const domain::HaloPlan& plan, const Gpu& target) : target_(target) {
    if (target_.ranks() == nullptr) return;
    sendPlaces_ = DeviceArray<std::uint64_t>(nodesOf<values>(plan.send));
    receivePlaces_ = DeviceArray<std::uint64_t>(nodesOf<values>(plan.receive));
    sent_ = DeviceArray<T>(plan.send.size());
    received_ = DeviceArray<T>(plan.receive.size());
    for (const domain::HaloNeighbour& other : plan.neighbours)
      messages_.push_back({other.rank,
                           reinterpret_cast<const std::byte*>(sent_.data() + other.firstSent),
                           other.sent * sizeof(T),
                           reinterpret_cast<std::byte*>(received_.data() + other.firstReceived),
                           other.received * sizeof(T)});
  }

  // The border tiles of the state are complete in the halo's stream.
  void begin(const T* state) {
    pack(state, stream());
    target_.ranks()->start(messages_, stream());
  }
  void finish(T* state) {
    if (target_.ranks() == nullptr) return;
    target_.ranks()->finish(messages_, stream());
    target_.beginUnpack();
    unpack(state, stream());
    target_.endUnpack();
  }
  // An exchange alone, between earlier and later work of the default stream.
  void exchange(T* state) {
    if (target_.ranks() == nullptr) return;
    target_.halo().afterSteps();
    begin(state);
    target_.ranks()->finish(messages_, stream());
    unpack(state, stream());
    target_.halo().markWhole();
    target_.halo().holdBackForWhole();
  }
  // The same between earlier and later work of a stream, while no other exchange is pending.
  void exchange(T* state, StreamHandle in) {
    if (messages_.empty()) return;
    pack(state, in);
    target_.ranks()->start(messages_, in);
    target_.ranks()->finish(messages_, in);
    unpack(state, in);
  }

 private:
  [[nodiscard]] StreamHandle stream() const { return target_.halo().get(); }
  void pack(const T* state, StreamHandle in) {
    run(&packKernel<T, values, Order>, state, sendPlaces_, sent_.data(), in);
  }
  void unpack(T* state, StreamHandle in) {
    run(&unpackKernel<T, values, Order>, received_.data(), receivePlaces_, state, in);
  }
  using Kernel = void (*)(const T*, HaloNodes, T*);
  void run(Kernel kernel, const T* from, const DeviceArray<std::uint64_t>& places, T* to,
           StreamHandle in) {
    const HaloNodes nodes{places.data(), places.size()};
    if (nodes.count == 0) return;
    const auto blocks = static_cast<unsigned>((nodes.count + haloThreads - 1) / haloThreads);
    launchKernel(kernel, {blocks, haloThreads}, in, from, nodes, to);
  }

  const Gpu& target_;
  DeviceArray<std::uint64_t> sendPlaces_;
  DeviceArray<std::uint64_t> receivePlaces_;
  DeviceArray<T> sent_;
  DeviceArray<T> received_;
  std::vector<DeviceMessage> messages_;
};

}  // namespace tessera::solver::backend
