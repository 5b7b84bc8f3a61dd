// SPDX-License-Identifier: GPL-3.0-or-later
// A look at the state on a CUDA device: reduced there, and copied to the host behind the steps that
// follow.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "solver/backend/backend.hpp"
#include "solver/backend/gpu/memory.hpp"
#include "solver/backend/sample.hpp"

namespace tessera {

// Tiles that a block of threads adds up: few, so that small geometries fill the device, but no more
// than some thousand results for the block that adds up all.
inline std::uint32_t tilesOfLook(std::uint32_t tiles) {
  return std::max<std::uint32_t>(8, (tiles + 8191) / 8192);
}

constexpr unsigned lookThreads = 256;

// One block.
__global__ inline void __launch_bounds__(lookThreads)
    totalSampleKernel(const PartialSample* partial, std::uint32_t count, PartialSample* total) {
  __shared__ PartialSample shared[lookThreads];
  PartialSample mine;
  for (std::uint32_t k = threadIdx.x; k < count; k += lookThreads) addSample(partial[k], mine);
  shared[threadIdx.x] = mine;
  for (unsigned half = lookThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) addSample(shared[threadIdx.x + half], shared[threadIdx.x]);
  }
  if (threadIdx.x == 0) *total = shared[0];
}

class CudaLook {
 public:
  CudaLook(std::uint32_t tiles, std::size_t links)
      : tiles_(tilesOfLook(tiles)),
        partial_((tiles + tiles_ - 1) / tiles_),
        total_(1),
        reference_(1),
        links_(links) {}

  // What kernels fill in: a sample a block of tilesOfBlock() tiles, and of each link.
  [[nodiscard]] std::uint32_t tilesOfBlock() const { return tiles_; }
  [[nodiscard]] unsigned blocks() const { return static_cast<unsigned>(partial_.size()); }
  [[nodiscard]] PartialSample* partial() const { return partial_.data(); }
  [[nodiscard]] LinkSample* links() const { return links_.data(); }

  // ofNodes(beside) puts the kernel of nodes into a stream beside `stream`, ofLinks() that of links
  // into `stream`, where what follows waits for both; all into the default stream, whose order with
  // others is not in our hands. reference: OutletReport's, on the device, or null.
  template <class OfNodes, class OfLinks>
  void begin(StreamHandle stream, const double* reference, const OfNodes& ofNodes,
             const OfLinks& ofLinks) {
    begun_.record(stream);
    StreamHandle beside = stream == defaultStream ? stream : copies_.get();
    begun_.holdBack(beside);
    ofNodes(beside);
    launchKernel(&totalSampleKernel, {1, lookThreads}, beside, partial_.data(), blocks(),
                 total_.data());
    added_.record(beside);
    ofLinks();
    if (reference != nullptr)  // the next step has one of its own
      copyOnDevice(reference_.data(), reference, sizeof(double), stream);
    added_.holdBack(stream);
    sampled_.record(stream);
    sampled_.holdBack(copies_.get());
    fetch(0, total_.data(), sizeof(PartialSample));
    fetch(referenceAt, reference_.data(), sizeof(double));
    fetch(linksAt, links_.data(), links_.size() * sizeof(LinkSample));
    copied_.record(copies_.get());
  }
  // Waits for what begin() began.
  Look end() {
    copied_.wait("sampling of the state");
    Look look;
    const std::byte* from = room();
    std::memcpy(&look.nodes, from, sizeof(PartialSample));
    std::memcpy(&look.reference, from + referenceAt, sizeof(double));
    look.links.resize(links_.size());
    if (!look.links.empty())
      std::memcpy(look.links.data(), from + linksAt, links_.size() * sizeof(LinkSample));
    look.seconds = sampled_.secondsSince(begun_);
    return look;
  }

 private:
  static constexpr std::size_t referenceAt = sizeof(PartialSample);
  static constexpr std::size_t linksAt = referenceAt + sizeof(double);
  std::byte* room() { return host_.room(linksAt + links_.size() * sizeof(LinkSample)); }
  void fetch(std::size_t at, const void* device, std::size_t bytes) {
    if (bytes != 0) copyFromDevice(room() + at, device, bytes, copies_.get());
  }

  std::uint32_t tiles_;
  DeviceArray<PartialSample> partial_;
  DeviceArray<PartialSample> total_;
  DeviceArray<double> reference_;
  DeviceArray<LinkSample> links_;
  StagingBuffer host_;
  DeviceStream copies_{StreamOrder::Independent};
  DeviceEvent begun_{EventTiming::On};
  DeviceEvent added_{EventTiming::On};    // all nodes
  DeviceEvent sampled_{EventTiming::On};  // links too
  DeviceEvent copied_{EventTiming::On};
};

}  // namespace tessera
