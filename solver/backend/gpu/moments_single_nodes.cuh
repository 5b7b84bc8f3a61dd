// SPDX-License-Identifier: GPL-3.0-or-later
// Single nodes of a state of moments, one thread each, by way of the neighbour table: nodes at
// openings, stepped from a scratch copy of their populations; all nodes when sampled.
#pragma once

#include <cstdint>

#include "solver/backend/backend.hpp"
#include "solver/backend/gpu/sampling.cuh"
#include "solver/boundary/moment_openings.hpp"

namespace tessera::solver::backend {

constexpr int nodeThreads = 128;

template <class Lattice, class Real>
__global__ void rebuildOpeningsKernel(const model::MomentView<Real> view, Real* state,
                                      const boundary::NodeCopy* copies, std::uint32_t copyCount,
                                      const boundary::OpeningNodeLocation* nodes,
                                      std::uint32_t nodeCount,
                                      const boundary::SmallState<Real> small) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < copyCount) {
    boundary::copyNode(copies[k], state);
  } else if (k - copyCount < nodeCount) {
    boundary::rebuildOpeningNode<Lattice>(view, nodes[k - copyCount], k - copyCount, small);
  }
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

// results: ten values per node, put in place once the tiles have been stepped.
template <class Variant, bool forced>
__global__ void stepOpeningsKernel(const model::MomentView<typename Variant::Real> view,
                                   const boundary::OpeningNodeLocation* nodes,
                                   std::uint32_t nodeCount,
                                   const boundary::SmallState<typename Variant::Real> small,
                                   const model::StepParameters<typename Variant::Real> parameters,
                                   typename Variant::Real* results) {
  using Real = typename Variant::Real;
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= nodeCount) return;
  const model::MomentSums<Real> sums =
      boundary::sumsOfOpeningNode<typename Variant::Lattice>(view, nodes[k], k, small);
  Real stored[model::moment::count];
  model::collideMoments<typename Variant::Equilibrium, forced>(sums, parameters, stored);
  for (int m = 0; m < model::moment::count; ++m) results[k * model::moment::count + m] = stored[m];
}

// For nodes in tiles first .. end - 1.
template <class Real>
__global__ void putOpeningsKernel(const Real* results, const boundary::OpeningNodeLocation* nodes,
                                  std::uint32_t nodeCount, std::uint32_t first, std::uint32_t end,
                                  Real* state) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= nodeCount || nodes[k].slot < first || nodes[k].slot >= end) return;
  for (int m = 0; m < model::moment::count; ++m)
    state[model::momentIndex(nodes[k].slot, m, nodes[k].local)] =
        results[k * model::moment::count + m];
}

// Tiles first .. first + count - 1, one thread per node.
template <class Variant>
__global__ void observeMomentsKernel(const model::MomentView<typename Variant::Real> view,
                                     const model::StepParameters<typename Variant::Real> parameters,
                                     std::uint32_t first, std::uint32_t count, float* values) {
  const std::uint32_t k = blockIdx.x * (nodeThreads / 64) + threadIdx.x / 64U;
  if (k >= count) return;
  const auto local = static_cast<int>(threadIdx.x & 63U);
  const model::MomentNode<typename Variant::Lattice, typename Variant::Real> node(view, first + k,
                                                                                  local);
  if (node.isSolid()) return;
  float* target = values + static_cast<std::uint64_t>(k) * observedValues * 64U + local;
  model::observeSums<typename Variant::Equilibrium>(
      boundary::sumsOfNode(node), parameters,
      [&](auto e, auto value) { target[64 * e] = static_cast<float>(value); });
}

template <class Variant>
__global__ void observeOpeningsKernel(
    const model::MomentView<typename Variant::Real> view,
    const boundary::OpeningNodeLocation* nodes, std::uint32_t nodeCount,
    const boundary::SmallState<typename Variant::Real> small,
    const model::StepParameters<typename Variant::Real> parameters, std::uint32_t first,
    std::uint32_t count, float* values) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= nodeCount || nodes[k].slot < first || nodes[k].slot - first >= count) return;
  float* target = values +
                  static_cast<std::uint64_t>(nodes[k].slot - first) * observedValues * 64U +
                  nodes[k].local;
  model::observeSums<typename Variant::Equilibrium>(
      boundary::sumsOfOpeningNode<typename Variant::Lattice>(view, nodes[k], k, small), parameters,
      [&](auto e, auto value) { target[64 * e] = static_cast<float>(value); });
}

// One partial sample per block of `tilesOfBlock` tiles.
template <class Variant>
__global__ void __launch_bounds__(nodeThreads)
    sampleMomentsKernel(const model::MomentView<typename Variant::Real> view,
                        const model::StepParameters<typename Variant::Real> parameters,
                        std::uint32_t tiles, std::uint32_t tilesOfBlock, PartialSample* samples) {
  using Real = typename Variant::Real;
  const Real half[3] = {-parameters.halfForce[0], -parameters.halfForce[1],
                        -parameters.halfForce[2]};
  PartialSample mine;
  for (std::uint32_t t = threadIdx.x / 64U; t < tilesOfBlock; t += nodeThreads / 64) {
    const std::uint32_t slot = blockIdx.x * tilesOfBlock + t;
    if (slot >= tiles) break;
    const model::MomentNode<typename Variant::Lattice, Real> node(
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
