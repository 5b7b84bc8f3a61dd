// SPDX-License-Identifier: GPL-3.0-or-later
// Wall links of a domain on a device; see solver/boundary/wall_links.hpp. Where the walls keep mass
// a step takes three kernels in 3D: reflected populations, put in place, with the excess of mass of
// each node; the second share of the excess; rest populations and symmetry planes. Halfway
// bounce-back at resting walls is not here but in the gather.
#pragma once

#include <span>
#include <vector>

#include "solver/backend/gpu/intrinsics.hpp"
#include "solver/backend/gpu/memory.hpp"
#include "solver/boundary/wall_links.hpp"

namespace tessera::solver::backend {

constexpr std::uint32_t wallThreads = 128;
// Nodes of a block: some four to six links each, so that most threads have one.
template <class Variant>
constexpr std::uint32_t nodesOfWallBlock = Variant::q > 19 ? 20 : 28;

inline unsigned wallBlocks(std::uint64_t items, std::uint32_t perBlock) {
  return static_cast<unsigned>((items + perBlock - 1) / perBlock);
}

template <class Real>
__device__ __forceinline__ Real rampOf(const double* ramp) {
  return ramp == nullptr ? Real(1) : Real(*ramp);
}

// One thread per link.
template <class Variant>
__global__ void bounceWallsKernel(const boundary::WallView<Variant> walls, std::uint64_t count,
                                  const typename Variant::Storage* state, const double* ramp) {
  letNextBegin();
  const std::uint64_t k = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  waitForEarlier();
  if (k < count)
    boundary::bounceWall<Variant>(walls, k, state, rampOf<typename Variant::Real>(ramp));
}

// A block for nodesOfWallBlock nodes, whose links follow each other: the reflected population of
// each link, then, from shared memory, the excess of each node. exchange: the populations of the
// first ownLinks are replaced; else all are kept in WallView::values.
template <class Variant, bool exchange>
__global__ void __launch_bounds__(wallThreads)
    bounceNodesKernel(const boundary::WallView<Variant> walls, std::uint64_t ownLinks,
                      const boundary::WallMassView<Variant> mass, std::uint64_t nodeCount,
                      typename Variant::Storage* state, const double* ramp) {
  using Real = typename Variant::Real;
  using Storage = typename Variant::Storage;
  constexpr std::uint32_t nodes = nodesOfWallBlock<Variant>;
  constexpr std::uint32_t mostLinks = nodes * (Variant::q - 1);
  __shared__ Real excess[mostLinks];
  __shared__ __align__(8) unsigned char reflectedBytes[mostLinks * sizeof(Storage)];
  Storage* const reflected = reinterpret_cast<Storage*>(reflectedBytes);
  letNextBegin();
  const std::uint64_t first = blockIdx.x * std::uint64_t{nodes};
  const std::uint64_t end = first + nodes < nodeCount ? first + nodes : nodeCount;
  const boundary::WallNode last = mass.nodes[end - 1];
  const std::uint32_t firstLink = mass.nodes[first].firstLink;
  const std::uint32_t endLink = last.firstLink + last.links;
  waitForEarlier();
  const Real scale = rampOf<Real>(ramp);
  for (std::uint32_t k = firstLink + threadIdx.x; k < endLink; k += wallThreads) {
    const Storage value = boundary::bouncedWall<Variant>(walls, k, state, scale);
    excess[k - firstLink] = boundary::excessOfLink<Variant>(walls.links[k], value, state);
    if constexpr (exchange)
      reflected[k - firstLink] = value;
    else
      walls.values[k] = value;
  }
  __syncthreads();
  if (exchange)
    for (std::uint32_t k = firstLink + threadIdx.x; k < endLink && k < ownLinks; k += wallThreads)
      state[boundary::ownIndex<Variant>(walls.links[k])] = reflected[k - firstLink];
  if (first + threadIdx.x < end)
    boundary::findExcess<Variant>(mass, first + threadIdx.x, scale,
                                  [&](std::uint32_t k) { return excess[k - firstLink]; });
}

template <class Variant>
__global__ void shareExcessKernel(const boundary::WallMassView<Variant> mass, int times,
                                  std::uint64_t count) {
  letNextBegin();
  const std::uint64_t n = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  waitForEarlier();
  if (n < count) boundary::shareExcess<Variant>(mass, times, n);
}

// Rest populations of the first `rests` nodes, from the excess that was shared `times` times, and
// symmetry planes.
template <class Variant>
__global__ void settleNodesKernel(const boundary::WallMassView<Variant> mass, int times,
                                  std::uint64_t rests, const boundary::PopulationPair* mirrored,
                                  std::uint64_t mirroredCount, typename Variant::Storage* state) {
  letNextBegin();
  const std::uint64_t k = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  waitForEarlier();
  if (k < rests)
    state[boundary::restIndex<Variant>(mass.nodes[k])] =
        boundary::correctedRest<Variant>(mass, times, k, state);
  else if (k - rests < mirroredCount)
    boundary::mirror(mirrored[k - rests], state);
}

// The rest populations alone, into WallMassView::values.
template <class Variant>
__global__ void correctMassKernel(const boundary::WallMassView<Variant> mass, int times,
                                  std::uint64_t rests, const typename Variant::Storage* state) {
  letNextBegin();
  const std::uint64_t k = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  waitForEarlier();
  if (k < rests) mass.values[k] = boundary::correctedRest<Variant>(mass, times, k, state);
}

// Links, rest populations and symmetry planes; called again, takes them back.
template <class Variant>
__global__ void exchangeWallsKernel(const boundary::WallView<Variant> walls, std::uint64_t ownLinks,
                                    const boundary::WallMassView<Variant> mass, std::uint64_t rests,
                                    const boundary::PopulationPair* mirrored,
                                    std::uint64_t mirroredCount, typename Variant::Storage* state) {
  letNextBegin();
  std::uint64_t k = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  waitForEarlier();
  if (k < ownLinks) return boundary::exchangeWall<Variant>(walls, k, state);
  k -= ownLinks;
  if (k < rests) return boundary::exchangeRest<Variant>(mass, k, state);
  k -= rests;
  if (k < mirroredCount) boundary::mirror(mirrored[k], state);
}

template <class Variant>
class GpuWalls {
  using Storage = typename Variant::Storage;
  using Real = typename Variant::Real;

 public:
  explicit GpuWalls(const boundary::Walls& walls)
      : links_(walls.links),
        push_(walls.push),
        farSlots_(walls.farSlots),
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
    if (nodes_.size() == 0) {
      show(state, ramp, stream);
    } else {
      balance<true>(state, ramp, stream);
      launch(&settleNodesKernel<Variant>, rest_.size() + mirrored_.size(), stream, massView(),
             timesShared(), rest_.size(), mirrored_.data(), mirrored_.size(), state);
    }
    memory_.swap(memoryNext_);
    fresh_ = false;
  }
  // The same without a step, for sampling; undone by exchange().
  void show(Storage* state, const double* ramp, StreamHandle stream) const {
    if (nodes_.size() == 0) {
      reflect(state, ramp, stream);
    } else {
      balance<false>(state, ramp, stream);
      launch(&correctMassKernel<Variant>, rest_.size(), stream, massView(), timesShared(),
             rest_.size(), state);
    }
    exchange(state, stream);
  }
  // Computes the reflected populations (WallView::values) and leaves the state as it is.
  void reflect(const Storage* state, const double* ramp, StreamHandle stream) const {
    launch(&bounceWallsKernel<Variant>, links_.size(), stream, view(), links_.size(), state, ramp);
  }
  // Puts the reflected populations in place; called again, takes them back.
  void exchange(Storage* state, StreamHandle stream) const {
    launch(&exchangeWallsKernel<Variant>, ownLinks_ + rest_.size() + mirrored_.size(), stream,
           view(), ownLinks_, massView(), rest_.size(), mirrored_.data(), mirrored_.size(), state);
  }

  [[nodiscard]] bool any() const { return links_.size() + mirrored_.size() != 0; }
  // Before the first step, which differs: no memory.
  [[nodiscard]] bool fresh() const { return fresh_; }

  [[nodiscard]] boundary::WallView<Variant> view() const {
    return {links_.data(),      push_.data(),  farSlots_.data(), fresh_ ? nullptr : memory_.data(),
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
  // A thread for each item.
  template <class Kernel, class... Arguments>
  static void launch(Kernel kernel, std::uint64_t items, StreamHandle stream,
                     const Arguments&... arguments) {
    if (items != 0)
      launchDependent(kernel, {wallBlocks(items, wallThreads), wallThreads}, stream, arguments...);
  }
  [[nodiscard]] int timesShared() const { return boundary::timesBeforeLast(within_); }
  // Reflected populations, and the excess of mass shared but for the last time.
  template <bool exchange>
  void balance(Storage* state, const double* ramp, StreamHandle stream) const {
    launchDependent(&bounceNodesKernel<Variant, exchange>,
                    {wallBlocks(nodes_.size(), nodesOfWallBlock<Variant>), wallThreads}, stream,
                    view(), ownLinks_, massView(), nodes_.size(), state, ramp);
    boundary::forTimesBeforeLast(within_, [&](int times, std::uint64_t nodes) {
      launch(&shareExcessKernel<Variant>, nodes, stream, massView(), times, nodes);
    });
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
  DeviceArray<std::uint32_t> farSlots_;
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
