// SPDX-License-Identifier: GPL-3.0-or-later
// Forces on walls by momentum exchange on a device, a block per chunk of nodes; see
// solver/boundary/wall_force.hpp.
#pragma once

#include <span>
#include <vector>

#include "solver/backend/gpu/memory.hpp"
#include "solver/boundary/wall_force.hpp"

namespace tessera::solver::backend {

constexpr unsigned wallForceThreads = 256;

template <class Exchanged>
__global__ void __launch_bounds__(wallForceThreads)
    wallForceKernel(const boundary::WallForceView view, const Exchanged exchanged,
                    const double* ramp, const boundary::WallForceSum* kept,
                    boundary::WallForceSum* sums) {
  __shared__ boundary::WallForceSum shared[wallForceThreads];
  const boundary::WallForceChunk chunk = view.chunks[blockIdx.x];
  boundary::WallForceSum mine{};
  for (std::uint32_t k = threadIdx.x; k < chunk.count; k += wallForceThreads)
    boundary::addToWallForce(view, chunk, k, exchanged, ramp == nullptr ? 1.0 : *ramp, mine);
  shared[threadIdx.x] = mine;
  for (unsigned half = wallForceThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) shared[threadIdx.x].add(shared[threadIdx.x + half]);
  }
  if (threadIdx.x != 0) return;
  if (kept != nullptr) shared[0].add(kept[blockIdx.x]);
  sums[blockIdx.x] = shared[0];
}

class GpuWallForces {
 public:
  explicit GpuWallForces(const boundary::WallForces& plan)
      : labels_(plan.labels()),
        needReflected_(plan.reflected),
        about_(plan.about),
        chunks_(plan.chunks),
        nodes_(plan.nodes),
        mirrors_(plan.mirrors),
        chunksOnDevice_(plan.chunks),
        motions_(plan.motions),
        corners_(plan.corners),
        sums_(plan.chunks.size()),
        kept_(plan.chunks.size()) {}

  // Whether walls must have reflected the populations of the step; the same on all ranks.
  [[nodiscard]] bool needReflected() const { return needReflected_; }
  [[nodiscard]] std::size_t bytes() const { return sums_.size() * sizeof(boundary::WallForceSum); }
  [[nodiscard]] const boundary::WallForceSum* device() const { return sums_.data(); }

  // Sums the forces of a step, and those kept. keep: keeps them instead, for the next sum. ramp: on
  // the device, or null for 1.
  template <class Exchanged>
  void sum(const Exchanged& exchanged, const double* ramp, bool keep, StreamHandle stream) {
    if (!keep) steps_ = hasKept_ ? 2 : 1;
    const boundary::WallForceSum* kept = !keep && hasKept_ ? kept_.data() : nullptr;
    hasKept_ = keep;
    if (sums_.size() == 0) return;
    launchKernel(&wallForceKernel<Exchanged>,
                 {static_cast<unsigned>(sums_.size()), wallForceThreads}, stream, view(), exchanged,
                 ramp, kept, keep ? kept_.data() : sums_.data());
  }
  void forget() { hasKept_ = false; }
  // Steps that the last sum is of.
  [[nodiscard]] int steps() const { return steps_; }
  // By label, of this rank. chunks: device() copied to the host.
  [[nodiscard]] std::vector<boundary::WallForceSum> sums(
      std::span<const boundary::WallForceSum> chunks) const {
    return boundary::sumsByLabel(chunks_, chunks, labels_);
  }

 private:
  [[nodiscard]] boundary::WallForceView view() const {
    return {nodes_.data(),   mirrors_.data(), chunksOnDevice_.data(),
            motions_.data(), corners_.data(), {about_[0], about_[1], about_[2]}};
  }

  std::size_t labels_;
  bool needReflected_;
  std::array<double, 3> about_;
  std::vector<boundary::WallForceChunk> chunks_;
  DeviceArray<boundary::WallForceNode> nodes_;
  DeviceArray<boundary::WallForceMirror> mirrors_;
  DeviceArray<boundary::WallForceChunk> chunksOnDevice_;
  DeviceArray<boundary::WallMotion> motions_;
  DeviceArray<std::array<std::int32_t, 3>> corners_;
  DeviceArray<boundary::WallForceSum> sums_;  // of chunks
  DeviceArray<boundary::WallForceSum> kept_;  // of the step before
  bool hasKept_ = false;
  int steps_ = 1;
};

}  // namespace tessera::solver::backend
