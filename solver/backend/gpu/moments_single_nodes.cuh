// SPDX-License-Identifier: GPL-3.0-or-later
// Single nodes of a state of moments: nodes at openings, rebuilt as populations, given those that
// enter once pressures that follow from flow rates are solved for, and stepped, for two steps in a
// pass with the nodes around them; all nodes when sampled.
#pragma once

#include <cstdint>
#include <type_traits>

#include "solver/backend/backend.hpp"
#include "solver/backend/gpu/intrinsics.hpp"
#include "solver/backend/gpu/openings.cuh"
#include "solver/backend/gpu/sampling.cuh"
#include "solver/boundary/moment_openings.hpp"

namespace tessera::solver::backend {

constexpr int nodeThreads = 128;

// Moments as a device stores them.
template <class Real>
using PlaneView = model::MomentView<Real, model::MomentsByPlane<Real>>;

// Moments of nodes by place: in a state, 64 slot + local; in a list, the index.
template <class Real>
struct StatePlaces {
  Real* state;
  __device__ __forceinline__ Real& at(std::uint32_t place, int m) const {
    return state[model::momentIndex<model::MomentsByPlane<Real>>(place >> 6U, m,
                                                                 static_cast<int>(place & 63U))];
  }
};
template <class Real>
struct ListPlaces {
  Real* values;
  std::uint32_t count;
  __device__ __forceinline__ Real& at(std::uint32_t place, int m) const {
    return values[static_cast<std::uint64_t>(m) * count + place];
  }
};

// Nodes to step, with those from which populations arrive (domain/opening_surroundings.hpp): the
// node itself at a wall.
struct GatheringNodes {
  const boundary::OpeningNodeLocation* nodes;
  std::uint32_t count;
  const std::uint32_t* sources;
  std::uint32_t ofDirection;  // sources of a direction

  [[nodiscard]] __device__ __forceinline__ std::uint32_t place(std::uint32_t k) const {
    return nodes[k].slot * 64U + nodes[k].local;
  }
};

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

// Populations that enter through openings.
template <class Variant>
__global__ void TESSERA_LAUNCH_BOUNDS(threadsBeside, blocksBeside)
    fillOpeningsKernel(typename Variant::Real* small, const boundary::IncomingLink* links,
                       std::uint32_t linkCount,
                       const model::StepParameters<typename Variant::Real> parameters,
                       const boundary::OpeningValues values) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < linkCount)
    small[links[k].target] =
        boundary::boundaryPopulation<Variant>(links, k, small, parameters, values, nullptr);
}

// Nodes that are rebuilt for the step that follows. indexOf: by node, its index among those at
// openings and of the stencils, or -1; null where nothing is rebuilt.
struct RebuiltNodes {
  const std::int32_t* indexOf;
  const std::int32_t* stencilOf;  // by that index, as for rebuildOpeningsKernel
  boundary::StencilNode* stencilValues;
};

// Steps nodes, of which the first are those at openings, in their order. From, To: StatePlaces, or
// ListPlaces by index k.
template <class Variant, bool forced, class From, class To>
__global__ void TESSERA_LAUNCH_BOUNDS(threadsBeside, blocksBeside)
    stepNodesKernel(const From from, const GatheringNodes list, const To to,
                    const boundary::SmallState<typename Variant::Real> small,
                    const model::StepParameters<typename Variant::Real> parameters,
                    const model::MomentRelaxation<typename Variant::Real> relaxation,
                    const RebuiltNodes rebuilt) {
  using Lattice = typename Variant::Lattice;
  using Real = typename Variant::Real;
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= list.count) return;
  const std::uint32_t incoming = list.nodes[k].incoming;
  const std::uint32_t inState = list.place(k);
  const std::uint32_t own = std::is_same_v<From, StatePlaces<Real>> ? inState : k;
  Real arrived[Lattice::q];
  model::forEach<Lattice::q - 1>([&](auto n) {
    constexpr int i = n + 1;
    const std::uint32_t source = list.sources[n * list.ofDirection + k];
    arrived[i] = model::populationByWeight<Lattice, i, Real>(
        [&](int m) { return from.at(source, m); }, source == own);
  });
  model::forEach<Lattice::q - 1>([&](auto n) {
    constexpr int i = n + 1;
    if ((incoming >> i & 1U) != 0)
      arrived[i] = small.populations[small.template arriving<Lattice>(k, i)] /
                   Real(model::weight<Lattice>(i));
  });
  const Real rest =
      model::populationByWeight<Lattice, 0, Real>([&](int m) { return from.at(own, m); });
  Real stored[model::moment::count];
  model::collideMoments<typename Variant::Equilibrium, forced>(
      model::sumUp<Lattice, Real>(rest, [&](auto i) { return arrived[i]; }), relaxation, stored);
  const std::uint32_t target = std::is_same_v<To, StatePlaces<Real>> ? inState : k;
  model::forEach<model::moment::count>([&](auto m) { to.at(target, m) = stored[m]; });
  if (rebuilt.indexOf == nullptr || rebuilt.indexOf[k] < 0) return;
  const auto index = static_cast<std::uint32_t>(rebuilt.indexOf[k]);
  boundary::rebuildOpeningNode<Lattice>(stored, index, small);
  keepRounded();
  if (rebuilt.stencilOf[index] >= 0)
    rebuilt.stencilValues[rebuilt.stencilOf[index]] = boundary::stencilNode<Variant>(
        small.populations + small.template own<Lattice>(index, 0), parameters);
}

// For nodes in tiles first .. end - 1.
template <class Real>
__global__ void putOpeningsKernel(const ListPlaces<Real> results,
                                  const boundary::OpeningNodeLocation* nodes,
                                  std::uint32_t nodeCount, std::uint32_t first, std::uint32_t end,
                                  const StatePlaces<Real> state) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= nodeCount || nodes[k].slot < first || nodes[k].slot >= end) return;
  for (int m = 0; m < model::moment::count; ++m)
    state.at(nodes[k].slot * 64U + nodes[k].local, m) = results.at(k, m);
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
