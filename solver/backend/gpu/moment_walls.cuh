// SPDX-License-Identifier: GPL-3.0-or-later
// Wall links of a state of moments on a device; see solver/boundary/moment_walls.hpp. A step takes
// a kernel for the reflected populations and the excess of mass of each node, and one for each time
// but the last that the excess is shared; the last is part of the step of the nodes.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "solver/backend/gpu/memory.hpp"
#include "solver/backend/gpu/walls.cuh"
#include "solver/boundary/moment_walls.hpp"

namespace tessera::solver::backend {

// A block for nodesOfWallBlock nodes, whose links follow each other.
template <class Variant, class Source>
__global__ void __launch_bounds__(wallThreads)
    reflectMomentsKernel(const boundary::MomentWallView<Variant> walls,
                         const boundary::WallMassView<Variant> mass, std::uint64_t nodeCount,
                         const Source from,
                         const boundary::SmallState<typename Variant::Real> small,
                         const double* ramp) {
  using Real = typename Variant::Real;
  constexpr std::uint32_t nodes = nodesOfWallBlock<Variant>;
  __shared__ Real excess[nodes * (Variant::q - 1)];
  const std::uint64_t first = blockIdx.x * std::uint64_t{nodes};
  const std::uint64_t end = first + nodes < nodeCount ? first + nodes : nodeCount;
  const boundary::WallNode last = mass.nodes[end - 1];
  const std::uint32_t firstLink = mass.nodes[first].firstLink;
  const std::uint32_t endLink = last.firstLink + last.links;
  const Real scale = rampOf<Real>(ramp);
  for (std::uint32_t k = firstLink + threadIdx.x; k < endLink; k += wallThreads)
    excess[k - firstLink] = boundary::reflectMoments<Variant>(walls, k, from, small, scale);
  if (mass.near == nullptr) return;
  __syncthreads();
  if (first + threadIdx.x < end)
    boundary::findExcess<Variant>(mass, first + threadIdx.x, scale,
                                  [&](std::uint32_t k) { return excess[k - firstLink]; });
}

template <class Variant>
class GpuMomentWalls {
  using Real = typename Variant::Real;

 public:
  explicit GpuMomentWalls(const boundary::MomentWalls& walls)
      : links_(walls.links),
        push_(walls.push),
        values_(walls.links.size()),
        nodes_(walls.nodes),
        near_(walls.mass.near),
        expected_(walls.mass.expected),
        within_(walls.mass.within),
        shares_(near_.size() != 0 ? 2 * walls.nodes.size() : 0) {}

  // Finds the reflected populations of a step. small: populations that enter through openings;
  // ramp: on the device, or null for 1.
  template <class Source>
  void reflect(const Source& from, const boundary::SmallState<Real>& small, const double* ramp,
               StreamHandle stream) const {
    if (!any()) return;
    launchKernel(&reflectMomentsKernel<Variant, Source>,
                 {wallBlocks(nodes_.size(), nodesOfWallBlock<Variant>), wallThreads}, stream,
                 view(), massView(), nodes_.size(), from, small, ramp);
    boundary::forTimesBeforeLast(within_, [&](int times, std::uint64_t nodes) {
      if (nodes != 0)
        launchKernel(&shareExcessKernel<Variant>, {wallBlocks(nodes, wallThreads), wallThreads},
                     stream, massView(), times, nodes);
    });
  }
  [[nodiscard]] boundary::MomentWallView<Variant> view() const {
    return {links_.data(), push_.data(), values_.data()};
  }
  [[nodiscard]] const boundary::WallNode* nodes() const { return nodes_.data(); }
  [[nodiscard]] const std::uint32_t* near() const { return near_.data(); }
  // Shares of the excess of mass, before it is shared the last time.
  [[nodiscard]] const Real* shares() const {
    return near_.size() == 0 ? nullptr : massView().sharesAfter(boundary::timesBeforeLast(within_));
  }

  [[nodiscard]] bool any() const { return links_.size() != 0; }
  [[nodiscard]] static bool fresh() { return false; }
  [[nodiscard]] static std::vector<double> memory() { return {}; }
  static void setMemory(std::span<const double>) {}

 private:
  [[nodiscard]] boundary::WallMassView<Variant> massView() const {
    return {nodes_.data(),
            near_.data(),
            expected_.data(),
            {shares_.data(), shares_.data() + shares_.size() / 2},
            nullptr};
  }

  DeviceArray<boundary::MomentWallLink> links_;
  DeviceArray<double> push_;
  DeviceArray<Real> values_;
  DeviceArray<boundary::WallNode> nodes_;
  DeviceArray<std::uint32_t> near_;
  DeviceArray<double> expected_;
  std::vector<std::uint32_t> within_;
  DeviceArray<Real> shares_;
};

}  // namespace tessera::solver::backend
