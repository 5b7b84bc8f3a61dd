// SPDX-License-Identifier: GPL-3.0-or-later
// A look at the state on a CUDA device: reduced there, and copied to the host behind the steps that
// follow.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "solver/backend/backend.hpp"
#include "solver/backend/cuda_memory.cuh"
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
        links_(links) {
    checkCuda(cudaStreamCreateWithFlags(&copies_, cudaStreamNonBlocking), "stream");
    for (cudaEvent_t* event : {&begun_, &added_, &sampled_, &copied_})
      checkCuda(cudaEventCreate(event), "event");
  }
  CudaLook(const CudaLook&) = delete;
  CudaLook& operator=(const CudaLook&) = delete;
  ~CudaLook() {
    cudaStreamDestroy(copies_);
    for (cudaEvent_t event : {begun_, added_, sampled_, copied_}) cudaEventDestroy(event);
  }

  // What kernels fill in: a sample a block of tilesOfBlock() tiles, and of each link.
  [[nodiscard]] std::uint32_t tilesOfBlock() const { return tiles_; }
  [[nodiscard]] unsigned blocks() const { return static_cast<unsigned>(partial_.size()); }
  [[nodiscard]] PartialSample* partial() const { return partial_.data(); }
  [[nodiscard]] LinkSample* links() const { return links_.data(); }

  // ofNodes(beside) puts the kernel of nodes into a stream beside `stream`, ofLinks() that of links
  // into `stream`, where what follows waits for both; all into the default stream, whose order with
  // others is not in our hands. reference: OutletReport's, on the device, or null.
  template <class OfNodes, class OfLinks>
  void begin(cudaStream_t stream, const double* reference, const OfNodes& ofNodes,
             const OfLinks& ofLinks) {
    checkCuda(cudaEventRecord(begun_, stream), "event");
    const cudaStream_t beside = stream == nullptr ? stream : copies_;
    checkCuda(cudaStreamWaitEvent(beside, begun_), "event");
    ofNodes(beside);
    totalSampleKernel<<<1, lookThreads, 0, beside>>>(partial_.data(), blocks(), total_.data());
    checkCuda(cudaGetLastError(), "sampling of nodes");
    checkCuda(cudaEventRecord(added_, beside), "event");
    ofLinks();
    if (reference != nullptr)  // the next step has one of its own
      checkCuda(cudaMemcpyAsync(reference_.data(), reference, sizeof(double),
                                cudaMemcpyDeviceToDevice, stream),
                "copy of a pressure");
    checkCuda(cudaStreamWaitEvent(stream, added_), "event");
    checkCuda(cudaEventRecord(sampled_, stream), "event");
    checkCuda(cudaStreamWaitEvent(copies_, sampled_), "event");
    fetch(0, total_.data(), sizeof(PartialSample));
    fetch(referenceAt, reference_.data(), sizeof(double));
    fetch(linksAt, links_.data(), links_.size() * sizeof(LinkSample));
    checkCuda(cudaEventRecord(copied_, copies_), "event");
  }
  // Waits for what begin() began.
  Look end() {
    checkCuda(cudaEventSynchronize(copied_), "look at the state");
    Look look;
    const std::byte* from = room();
    std::memcpy(&look.nodes, from, sizeof(PartialSample));
    std::memcpy(&look.reference, from + referenceAt, sizeof(double));
    look.links.resize(links_.size());
    if (!look.links.empty())
      std::memcpy(look.links.data(), from + linksAt, links_.size() * sizeof(LinkSample));
    float milliseconds = 0.0F;
    checkCuda(cudaEventElapsedTime(&milliseconds, begun_, sampled_), "event");
    look.seconds = 1e-3 * static_cast<double>(milliseconds);
    return look;
  }

 private:
  static constexpr std::size_t referenceAt = sizeof(PartialSample);
  static constexpr std::size_t linksAt = referenceAt + sizeof(double);
  std::byte* room() { return host_.room(linksAt + links_.size() * sizeof(LinkSample)); }
  void fetch(std::size_t at, const void* device, std::size_t bytes) {
    if (bytes != 0)
      checkCuda(cudaMemcpyAsync(room() + at, device, bytes, cudaMemcpyDeviceToHost, copies_),
                "copy from the device");
  }

  std::uint32_t tiles_;
  DeviceArray<PartialSample> partial_;
  DeviceArray<PartialSample> total_;
  DeviceArray<double> reference_;
  DeviceArray<LinkSample> links_;
  HostCopy host_;
  cudaStream_t copies_{};  // not in turn with any other
  cudaEvent_t begun_{};
  cudaEvent_t added_{};    // all nodes
  cudaEvent_t sampled_{};  // links too
  cudaEvent_t copied_{};
};

}  // namespace tessera
