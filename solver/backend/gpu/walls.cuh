// SPDX-License-Identifier: GPL-3.0-or-later
// Wall links of a domain on a device, one thread per link; see solver/boundary/wall_links.hpp.
// Halfway bounce-back at resting walls is not here but in the gather.
#pragma once

#include <span>
#include <vector>

#include "solver/backend/gpu/memory.hpp"
#include "solver/boundary/wall_links.hpp"

namespace tessera::solver::backend {

constexpr std::uint32_t wallThreads = 128;

template <class Variant>
__global__ void bounceWallsKernel(const boundary::WallView<Variant> walls, std::uint64_t count,
                                  typename Variant::Storage* state, const double* ramp) {
  using Real = typename Variant::Real;
  const std::uint64_t k = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  if (k < count)
    boundary::bounceWall<Variant>(walls, k, state, ramp == nullptr ? Real(1) : Real(*ramp));
}

template <class Variant>
__global__ void exchangeWallsKernel(const boundary::WallView<Variant> walls, std::uint64_t count,
                                    typename Variant::Storage* state) {
  const std::uint64_t k = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  if (k < count) boundary::exchangeWall<Variant>(walls, k, state);
}

template <class Variant>
__global__ void mirrorKernel(const boundary::PopulationPair* pairs, std::uint64_t count,
                             typename Variant::Storage* state) {
  const std::uint64_t k = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  if (k < count) boundary::mirror(pairs[k], state);
}

template <class Variant>
__global__ void findExcessKernel(const boundary::WallMassView<Variant> mass,
                                 const boundary::WallView<Variant> walls, std::uint64_t count,
                                 const typename Variant::Storage* state, const double* ramp) {
  using Real = typename Variant::Real;
  const std::uint64_t n = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  if (n < count)
    boundary::findExcess<Variant>(mass, walls.links, walls.values, n, state,
                                  ramp == nullptr ? Real(1) : Real(*ramp));
}

template <class Variant>
__global__ void shareExcessKernel(const boundary::WallMassView<Variant> mass, int times,
                                  std::uint64_t count) {
  const std::uint64_t n = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  if (n < count) boundary::shareExcess<Variant>(mass, times, n);
}

template <class Variant>
__global__ void correctMassKernel(const boundary::WallMassView<Variant> mass, int times,
                                  std::uint64_t count, const typename Variant::Storage* state) {
  const std::uint64_t n = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  if (n < count) boundary::correctMass<Variant>(mass, times, n, state);
}

template <class Variant>
__global__ void exchangeRestKernel(const boundary::WallMassView<Variant> mass, std::uint64_t count,
                                   typename Variant::Storage* state) {
  const std::uint64_t n = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  if (n < count) boundary::exchangeRest<Variant>(mass, n, state);
}

template <class Variant>
class GpuWalls {
  using Storage = typename Variant::Storage;
  using Real = typename Variant::Real;

 public:
  explicit GpuWalls(const boundary::Walls& walls)
      : links_(walls.links),
        push_(walls.push),
        depths_(walls.depths),
        mirrored_(walls.mirrored),
        values_(walls.links.size()),
        ownLinks_(boundary::ownLinks(walls)),
        nodes_(walls.mass.nodes),
        near_(walls.mass.near),
        expected_(walls.mass.expected),
        within_(walls.mass.within),
        shares_(2 * walls.mass.nodes.size()),
        rest_(walls.mass.own()),
        memory_(walls.remembers ? walls.links.size() : 0),
        memoryNext_(memory_.size()) {}

  // Between ghosts and tiles: bounce-back of this step. ramp: on the device, or null for 1.
  void apply(Storage* state, const double* ramp, StreamHandle stream) {
    show(state, ramp, stream);
    memory_.swap(memoryNext_);
    fresh_ = false;
  }
  // The same without a step, for sampling; undone by exchange().
  void show(Storage* state, const double* ramp, StreamHandle stream) const {
    reflect(state, ramp, stream);
    exchange(state, stream);
  }
  // Computes the reflected populations (WallView::values) and leaves the state as it is.
  void reflect(Storage* state, const double* ramp, StreamHandle stream) const {
    if (links_.size() != 0)
      launchKernel(&bounceWallsKernel<Variant>, {blocks(links_.size()), wallThreads}, stream,
                   view(), links_.size(), state, ramp);
    if (nodes_.size() != 0) {
      launchKernel(&findExcessKernel<Variant>, {blocks(nodes_.size()), wallThreads}, stream,
                   massView(), view(), nodes_.size(), state, ramp);
      const int last = static_cast<int>(within_.size()) - 1;
      for (int times = 1; times <= last; ++times) {
        const std::uint64_t count = within_[static_cast<std::size_t>(last + 1 - times)];
        launchKernel(&shareExcessKernel<Variant>, {blocks(count), wallThreads}, stream, massView(),
                     times, count);
      }
      launchKernel(&correctMassKernel<Variant>, {blocks(rest_.size()), wallThreads}, stream,
                   massView(), last, rest_.size(), state);
    }
  }
  // Puts the reflected populations in place; called again, takes them back.
  void exchange(Storage* state, StreamHandle stream) const {
    if (ownLinks_ != 0)
      launchKernel(&exchangeWallsKernel<Variant>, {blocks(ownLinks_), wallThreads}, stream, view(),
                   ownLinks_, state);
    if (rest_.size() != 0)
      launchKernel(&exchangeRestKernel<Variant>, {blocks(rest_.size()), wallThreads}, stream,
                   massView(), rest_.size(), state);
    if (mirrored_.size() != 0)
      launchKernel(&mirrorKernel<Variant>, {blocks(mirrored_.size()), wallThreads}, stream,
                   mirrored_.data(), mirrored_.size(), state);
  }

  [[nodiscard]] bool any() const { return links_.size() + mirrored_.size() != 0; }
  // Before the first step, which differs: no memory.
  [[nodiscard]] bool fresh() const { return fresh_; }

  [[nodiscard]] boundary::WallView<Variant> view() const {
    return {links_.data(),      push_.data(),  depths_.data(), fresh_ ? nullptr : memory_.data(),
            memoryNext_.data(), values_.data()};
  }

  // Empty before the first step.
  [[nodiscard]] std::vector<double> memory() const {
    if (fresh_) return {};
    std::vector<Real> host;
    memory_.download(host, memory_.size());
    return {host.begin(), host.end()};
  }
  // memory: empty, or as memory() returned it.
  void setMemory(std::span<const double> memory) {
    fresh_ = memory.empty();
    memory_.upload(std::vector<Real>(memory.begin(), memory.end()));
  }

 private:
  static unsigned blocks(std::uint64_t items) {
    return static_cast<unsigned>((items + wallThreads - 1) / wallThreads);
  }

  [[nodiscard]] boundary::WallMassView<Variant> massView() const {
    return {nodes_.data(),
            near_.data(),
            expected_.data(),
            {shares_.data(), shares_.data() + nodes_.size()},
            rest_.data()};
  }

  DeviceArray<boundary::WallLink> links_;
  DeviceArray<double> push_;
  DeviceArray<boundary::WallDepth> depths_;
  DeviceArray<boundary::PopulationPair> mirrored_;
  DeviceArray<Storage> values_;
  std::uint64_t ownLinks_;
  DeviceArray<boundary::WallNode> nodes_;
  DeviceArray<std::uint32_t> near_;
  DeviceArray<double> expected_;
  std::vector<std::uint32_t> within_;
  DeviceArray<Real> shares_;
  DeviceArray<Storage> rest_;
  DeviceArray<Real> memory_;
  DeviceArray<Real> memoryNext_;
  bool fresh_ = true;
};

}  // namespace tessera::solver::backend
