// SPDX-License-Identifier: GPL-3.0-or-later
// Samples of a state on a device: reduced there and copied to the host behind the steps that
// follow; macroscopic fields of tiles.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "solver/backend/gpu/memory.hpp"
#include "solver/backend/gpu/wall_forces.cuh"
#include "solver/backend/sample.hpp"

namespace tessera::solver::backend {

// Combines the samples of all threads of a block; *result is written by one of them.
template <unsigned threads>
__device__ __forceinline__ void reduceInBlock(const PartialSample& mine, PartialSample* result) {
  // As bytes: HIP allows no variable in shared memory whose members have initial values.
  __shared__ __align__(alignof(PartialSample)) unsigned char bytes[threads * sizeof(PartialSample)];
  auto* const shared = reinterpret_cast<PartialSample*>(bytes);
  shared[threadIdx.x] = mine;
  for (unsigned half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) addSample(shared[threadIdx.x + half], shared[threadIdx.x]);
  }
  if (threadIdx.x == 0) *result = shared[0];
}

// Tiles that a block of threads reduces: few, so that small geometries fill the device, but no more
// than some thousand partial samples for the block that reduces these.
inline std::uint32_t tilesPerSampleBlock(std::uint32_t tiles) {
  return std::max<std::uint32_t>(8, (tiles + 8191) / 8192);
}

constexpr unsigned sampleThreads = 256;

// One block.
__global__ inline void __launch_bounds__(sampleThreads)
    totalSampleKernel(const PartialSample* partial, std::uint32_t count, PartialSample* total) {
  PartialSample mine;
  for (std::uint32_t k = threadIdx.x; k < count; k += sampleThreads) addSample(partial[k], mine);
  reduceInBlock<sampleThreads>(mine, total);
}

// Adds the samples of the step before.
__global__ inline void addKeptLinksKernel(const boundary::LinkSample* kept, std::uint32_t count,
                                          boundary::LinkSample* links) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < count) links[k].addKept(kept[k]);
}

class GpuSampling {
 public:
  template <class Target>
  GpuSampling(const Target& target, std::uint32_t tiles, std::size_t links,
              const GpuWallForces& forces)
      : main_(target.main()),
        forces_(forces),
        tiles_(tilesPerSampleBlock(tiles)),
        partial_((tiles + tiles_ - 1) / tiles_),
        total_(1),
        reference_(1),
        links_(links),
        kept_(links) {}

  // Nodes are reduced in a stream of their own, links in the main stream, where what follows waits
  // for both; all in the default stream where that is the main one, which orders the others.
  template <class Scheme>
  void begin(Scheme& scheme, std::span<const double> coefficients) {
    begun_.record(main_);
    StreamHandle aside = main_ == defaultStream ? main_ : copies_.get();
    begun_.holdBack(aside);
    scheme.sampleNodes(tiles_, blocks(), partial_.data(), aside);
    launchKernel(&totalSampleKernel, {1, sampleThreads}, aside, partial_.data(), blocks(),
                 total_.data());
    added_.record(aside);
    sampleBoundaries(scheme, coefficients, links_.data(), false);
    wallSteps_ = forces_.steps();
    if (wallSteps_ > 1) addKeptLinks();
    if (const double* reference = scheme.openings().reference())  // overwritten by the next step
      copyOnDevice(reference_.data(), reference, sizeof(double), main_);
    added_.holdBack(main_);
    sampled_.record(main_);
    sampled_.holdBack(copies_.get());
    fetch(0, total_.data(), sizeof(PartialSample));
    fetch(referenceAt, reference_.data(), sizeof(double));
    fetch(linksAt, links_.data(), linkBytes());
    fetch(linksAt + linkBytes(), forces_.device(), forces_.bytes());
    copied_.record(copies_.get());
  }
  // Waits for the sample that begin() began.
  StateSample end() {
    copied_.wait("sampling of the state");
    StateSample sample;
    const std::byte* from = room();
    std::memcpy(&sample.nodes, from, sizeof(PartialSample));
    std::memcpy(&sample.reference, from + referenceAt, sizeof(double));
    sample.links.resize(links_.size());
    if (!sample.links.empty()) std::memcpy(sample.links.data(), from + linksAt, linkBytes());
    std::vector<boundary::WallForceSum> chunks(forces_.bytes() / sizeof(boundary::WallForceSum));
    if (!chunks.empty()) std::memcpy(chunks.data(), from + linksAt + linkBytes(), forces_.bytes());
    sample.walls = forces_.sums(chunks);
    sample.wallSteps = wallSteps_;
    sample.seconds = sampled_.secondsSince(begun_);
    return sample;
  }

  template <class Scheme>
  void keepForces(Scheme& scheme, std::span<const double> coefficients) {
    sampleBoundaries(scheme, coefficients, kept_.data(), true);
  }

  template <class Scheme>
  void tiles(Scheme& scheme, std::span<const double> coefficients, std::uint32_t first,
             std::uint32_t count, std::vector<float>& values) {
    sampleFields(scheme, coefficients, first, count);
    fields_.download(values, static_cast<std::uint64_t>(count) * observedValues * 64);
  }
  template <class Scheme>
  const float* allTiles(Scheme& scheme, std::span<const double> coefficients) {
    sampleFields(scheme, coefficients, 0, scheme.tiles());
    return fields_.data();
  }

 private:
  static constexpr std::size_t referenceAt = sizeof(PartialSample);
  static constexpr std::size_t linksAt = referenceAt + sizeof(double);
  [[nodiscard]] unsigned blocks() const { return static_cast<unsigned>(partial_.size()); }
  [[nodiscard]] std::size_t linkBytes() const {
    return links_.size() * sizeof(boundary::LinkSample);
  }
  std::byte* room() { return host_.room(linksAt + linkBytes() + forces_.bytes()); }
  void fetch(std::size_t at, const void* device, std::size_t bytes) {
    if (bytes != 0) copyFromDevice(room() + at, device, bytes, copies_.get());
  }
  // Links and forces of the step that follows.
  template <class Scheme>
  void sampleBoundaries(Scheme& scheme, std::span<const double> coefficients,
                        boundary::LinkSample* samples, bool keep) {
    const bool links = links_.size() != 0 || scheme.openings().coupled();
    if (links || forces_.needReflected()) select(scheme, coefficients);
    if (links) scheme.sampleLinks(samples);
    // Solved pressures have replaced the values of the step that they were solved from.
    if (forces_.needReflected() && scheme.openings().coupled()) select(scheme, coefficients);
    scheme.sampleForces(keep);
  }
  void addKeptLinks() {
    constexpr unsigned threads = 128;
    const auto count = static_cast<std::uint32_t>(links_.size());
    if (count == 0) return;
    launchKernel(&addKeptLinksKernel, {(count + threads - 1) / threads, threads}, main_,
                 kept_.data(), count, links_.data());
  }
  template <class Scheme>
  void select(Scheme& scheme, std::span<const double> coefficients) const {
    scheme.loadValues(coefficients, main_);
    scheme.selectValues(0, 1, main_);
  }
  // Into fields_, from its start on.
  template <class Scheme>
  void sampleFields(Scheme& scheme, std::span<const double> coefficients, std::uint32_t first,
                    std::uint32_t count) {
    const std::uint64_t size = static_cast<std::uint64_t>(count) * observedValues * 64;
    if (fields_.size() < size) fields_ = DeviceArray<float>(size);
    select(scheme, coefficients);
    scheme.sampleFields(first, count, fields_.data());
  }

  StreamHandle main_;
  const GpuWallForces& forces_;
  int wallSteps_ = 1;    // StateSample::wallSteps
  std::uint32_t tiles_;  // of a block
  DeviceArray<PartialSample> partial_;
  DeviceArray<PartialSample> total_;
  DeviceArray<double> reference_;
  DeviceArray<boundary::LinkSample> links_;
  DeviceArray<boundary::LinkSample> kept_;  // of the step before
  DeviceArray<float> fields_;
  StagingBuffer host_;
  DeviceStream copies_{StreamOrder::Independent};
  DeviceEvent begun_{EventTiming::On};
  DeviceEvent added_{EventTiming::On};    // all nodes
  DeviceEvent sampled_{EventTiming::On};  // links too
  DeviceEvent copied_{EventTiming::On};
};

}  // namespace tessera::solver::backend
