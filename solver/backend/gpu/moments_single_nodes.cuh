// SPDX-License-Identifier: GPL-3.0-or-later
// Single nodes of a state of moments, by way of the neighbour table: nodes at openings, stepped
// from a scratch copy of their populations in two kernels, before and after pressures that follow
// from flow rates are solved for; all nodes when sampled.
#pragma once

#include <cstdint>

#include "solver/backend/backend.hpp"
#include "solver/backend/gpu/intrinsics.hpp"
#include "solver/backend/gpu/sampling.cuh"
#include "solver/boundary/moment_openings.hpp"

namespace tessera::solver::backend {

constexpr int nodeThreads = 128;

// Moments as a device stores them.
template <class Real>
using PlaneView = model::MomentView<Real, model::MomentsByPlane<Real>>;

// stencilOf: by node, its index among those of the stencils, or -1; their values are found as well.
template <class Variant>
__global__ void rebuildOpeningsKernel(
    const PlaneView<typename Variant::Real> view, typename Variant::Real* state,
    const boundary::NodeCopy* copies, std::uint32_t copyCount,
    const boundary::OpeningNodeLocation* nodes, std::uint32_t nodeCount,
    const std::int32_t* stencilOf, const boundary::SmallState<typename Variant::Real> small,
    const model::StepParameters<typename Variant::Real> parameters,
    boundary::StencilNode* stencilValues) {
  using Lattice = typename Variant::Lattice;
  std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < copyCount)
    return boundary::copyNode<model::MomentsByPlane<typename Variant::Real>>(copies[k], state);
  k -= copyCount;
  if (k >= nodeCount) return;
  boundary::rebuildOpeningNode<Lattice>(view, nodes[k], k, small);
  keepRounded();  // sums below are of the populations as stored
  if (stencilOf[k] >= 0)
    stencilValues[stencilOf[k]] = boundary::stencilNode<Variant>(
        small.populations + small.template own<Lattice>(k, 0), parameters);
}

template <class Variant>
__global__ void fillOpeningsKernel(typename Variant::Real* small,
                                   const boundary::IncomingLink* links, std::uint32_t linkCount,
                                   const model::StepParameters<typename Variant::Real> parameters,
                                   const boundary::OpeningValues values) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < linkCount)
    small[links[k].target] =
        boundary::boundaryPopulation<Variant>(links, k, small, parameters, values, nullptr);
}

constexpr std::uint32_t nodesOfOpeningBlock = 16;  // with some 5 links each

// A block for nodesOfOpeningBlock nodes: the populations of their links, one thread each, then the
// nodes. next: the new state, where no other node reads the old one any more; or null, then
// results: ten values per node, put in place once the tiles have been stepped.
template <class Variant, bool forced>
__global__ void __launch_bounds__(nodeThreads)
    stepOpeningsKernel(const PlaneView<typename Variant::Real> view,
                       const boundary::OpeningNodeLocation* nodes, std::uint32_t nodeCount,
                       const boundary::IncomingLink* links, const boundary::OpeningValues values,
                       const boundary::SmallState<typename Variant::Real> small,
                       const model::StepParameters<typename Variant::Real> parameters,
                       const model::MomentRelaxation<typename Variant::Real> relaxation,
                       typename Variant::Real* next, typename Variant::Real* results) {
  using Real = typename Variant::Real;
  const std::uint32_t first = blockIdx.x * nodesOfOpeningBlock;
  const std::uint32_t end = min(first + nodesOfOpeningBlock, nodeCount);
  const boundary::OpeningNodeLocation last = nodes[end - 1];
  const std::uint32_t endLink = last.firstLink + last.links;
  for (std::uint32_t k = nodes[first].firstLink + threadIdx.x; k < endLink; k += nodeThreads)
    small.populations[links[k].target] = boundary::boundaryPopulation<Variant>(
        links, k, small.populations, parameters, values, nullptr);
  __syncthreads();
  const std::uint32_t k = first + threadIdx.x;
  if (k >= end) return;
  const model::MomentSums<Real> sums =
      boundary::sumsOfOpeningNode<typename Variant::Lattice>(view, nodes[k], k, small);
  Real stored[model::moment::count];
  model::collideMoments<typename Variant::Equilibrium, forced>(sums, relaxation, stored);
  model::forEach<model::moment::count>([&](auto m) {
    if (next != nullptr)
      next[model::momentIndex<model::MomentsByPlane<Real>>(nodes[k].slot, m, nodes[k].local)] =
          stored[m];
    else
      results[k * model::moment::count + m] = stored[m];
  });
}

// For nodes in tiles first .. end - 1.
template <class Real>
__global__ void putOpeningsKernel(const Real* results, const boundary::OpeningNodeLocation* nodes,
                                  std::uint32_t nodeCount, std::uint32_t first, std::uint32_t end,
                                  Real* state) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= nodeCount || nodes[k].slot < first || nodes[k].slot >= end) return;
  for (int m = 0; m < model::moment::count; ++m)
    state[model::momentIndex<model::MomentsByPlane<Real>>(nodes[k].slot, m, nodes[k].local)] =
        results[k * model::moment::count + m];
}

// Tiles first .. first + count - 1, one thread per node.
template <class Variant>
__global__ void observeMomentsKernel(const PlaneView<typename Variant::Real> view,
                                     const model::StepParameters<typename Variant::Real> parameters,
                                     std::uint32_t first, std::uint32_t count, float* values) {
  const std::uint32_t k = blockIdx.x * (nodeThreads / 64) + threadIdx.x / 64U;
  if (k >= count) return;
  const auto local = static_cast<int>(threadIdx.x & 63U);
  const model::MomentNode<typename Variant::Lattice, PlaneView<typename Variant::Real>> node(
      view, first + k, local);
  if (node.isSolid()) return;
  float* target = values + static_cast<std::uint64_t>(k) * observedValues * 64U + local;
  model::observeSums<typename Variant::Lattice, typename Variant::Equilibrium>(
      boundary::sumsOfNode(node), parameters,
      [&](auto e, auto value) { target[64 * e] = static_cast<float>(value); });
}

template <class Variant>
__global__ void observeOpeningsKernel(
    const PlaneView<typename Variant::Real> view, const boundary::OpeningNodeLocation* nodes,
    std::uint32_t nodeCount, const boundary::SmallState<typename Variant::Real> small,
    const model::StepParameters<typename Variant::Real> parameters, std::uint32_t first,
    std::uint32_t count, float* values) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= nodeCount || nodes[k].slot < first || nodes[k].slot - first >= count) return;
  float* target = values +
                  static_cast<std::uint64_t>(nodes[k].slot - first) * observedValues * 64U +
                  nodes[k].local;
  model::observeSums<typename Variant::Lattice, typename Variant::Equilibrium>(
      boundary::sumsOfOpeningNode<typename Variant::Lattice>(view, nodes[k], k, small), parameters,
      [&](auto e, auto value) { target[64 * e] = static_cast<float>(value); });
}

// One partial sample per block of `tilesOfBlock` tiles.
template <class Variant>
__global__ void __launch_bounds__(nodeThreads)
    sampleMomentsKernel(const PlaneView<typename Variant::Real> view,
                        const model::StepParameters<typename Variant::Real> parameters,
                        std::uint32_t tiles, std::uint32_t tilesOfBlock, PartialSample* samples) {
  using Real = typename Variant::Real;
  const Real half[3] = {-parameters.halfForce[0], -parameters.halfForce[1],
                        -parameters.halfForce[2]};
  PartialSample mine;
  for (std::uint32_t t = threadIdx.x / 64U; t < tilesOfBlock; t += nodeThreads / 64) {
    const std::uint32_t slot = blockIdx.x * tilesOfBlock + t;
    if (slot >= tiles) break;
    const model::MomentNode<typename Variant::Lattice, PlaneView<Real>> node(
        view, slot, static_cast<int>(threadIdx.x & 63U));
    if (!node.isSolid())
      addEnergy(
          addNode(model::macroscopicOf<typename Variant::Equilibrium, true>(node.stored(), half),
                  mine),
          mine);
  }
  reduceInBlock<nodeThreads>(mine, &samples[blockIdx.x]);
}

}  // namespace tessera::solver::backend
