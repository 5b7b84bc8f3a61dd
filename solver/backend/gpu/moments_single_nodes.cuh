// SPDX-License-Identifier: GPL-3.0-or-later
// Single nodes of a state of moments: nodes at openings, rebuilt as populations and given those
// that enter once pressures that follow from flow rates are solved for; nodes at openings and
// walls, stepped, for two steps in a pass with the nodes around them; all nodes when sampled.
#pragma once

#include <cstdint>

#include "solver/backend/backend.hpp"
#include "solver/backend/gpu/intrinsics.hpp"
#include "solver/backend/gpu/openings.cuh"
#include "solver/backend/gpu/sampling.cuh"
#include "solver/boundary/moment_openings.hpp"
#include "solver/boundary/separate_node.hpp"

namespace tessera::solver::backend {

constexpr int nodeThreads = 128;

// Moments as a device stores them.
template <class Variant>
using PlaneOrder = model::MomentsByPlane<model::MomentFormat<Variant>>;
template <class Variant>
using PlaneWord = typename PlaneOrder<Variant>::Word;
template <class Variant>
using PlaneView = model::MomentView<PlaneOrder<Variant>>;

// Moments that separate nodes read.
template <class Variant>
using PlaneState = boundary::StateMoments<PlaneOrder<Variant>>;
template <class Variant>
using PlaneList = boundary::ListedMoments<PlaneOrder<Variant>>;

// stencilOf: by node, its index among those of the stencils, or -1; their values are found as well.
template <class Variant>
__global__ void rebuildOpeningsKernel(
    const PlaneView<Variant> view, PlaneWord<Variant>* state, const boundary::NodeCopy* copies,
    std::uint32_t copyCount, const boundary::OpeningNodeLocation* nodes, std::uint32_t nodeCount,
    const std::int32_t* stencilOf, const boundary::SmallState<typename Variant::Real> small,
    const model::StepParameters<typename Variant::Real> parameters,
    boundary::StencilNode* stencilValues) {
  using Lattice = typename Variant::Lattice;
  std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < copyCount) return boundary::copyNode<PlaneOrder<Variant>>(copies[k], state);
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
  const LinkOfLane lane(blockIdx.x * blockDim.x + threadIdx.x, values.stencils);
  const bool has = lane.link < linkCount;
  const auto at = atOpeningOfTeam<Variant>(has, lane.link, lane.share, values.stencils);
  if (has && lane.share == 0)
    small[links[lane.link].target] =
        populationOfLink<Variant>(links, lane.link, at, small, parameters, values);
}

// Nodes that are rebuilt for the step that follows.
struct RebuiltNodes {
  const std::int32_t* stencilOf;  // as for rebuildOpeningsKernel; null: none are
  boundary::StencilNode* stencilValues;
};

// Threads of a block that steps separate nodes. Few nodes: one warp of 128 registers a thread,
// which finds room beside the tiles; many: more, whose reads share the first level of the cache,
// with so few registers that more of these reads are under way.
template <bool many>
constexpr int separateThreads = many ? 256 : threadsBeside;
// Such blocks on a multiprocessor.
template <class Real, bool many>
constexpr int separateBlocks = many ? (sizeof(Real) == 8 ? 3 : 4) : blocksBeside;

// Steps nodes at places, of a state or, with listed, of a list, in their order.
template <class Variant, bool forced, bool many, class Source>
__global__ void TESSERA_LAUNCH_BOUNDS(separateThreads<many>,
                                      separateBlocks<typename Variant::Real, many>)
    stepSeparateKernel(const PlaneView<Variant> view, const Source from,
                       const std::uint32_t* places, std::uint32_t count, PlaneWord<Variant>* to,
                       bool listed, const boundary::SeparateView<Variant> separate,
                       const model::StepParameters<typename Variant::Real> parameters,
                       const model::MomentRelaxation<typename Variant::Real> relaxation,
                       const RebuiltNodes rebuilt) {
  using Lattice = typename Variant::Lattice;
  using Format = model::MomentFormat<Variant>;
  using Order = PlaneOrder<Variant>;
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= count) return;
  const std::uint32_t slot = places[k] >> 6U;
  const auto local = static_cast<int>(places[k] & 63U);
  PlaneWord<Variant> words[Format::words];
  model::collideToWords<Format, typename Variant::Equilibrium, forced>(
      boundary::sumsOfSeparateNode<Variant>(view, from, separate, slot, local), relaxation, words);
  const std::uint32_t target = listed ? k : places[k];
  Order::store(words, to + model::momentTile<Order>(target >> 6U), static_cast<int>(target & 63U));
  if (rebuilt.stencilOf == nullptr || !separate.set.has(slot, local)) return;
  const std::int32_t opening = separate.nodes[separate.set.indexOf(slot, local)].opening;
  if (opening < 0) return;
  const auto index = static_cast<std::uint32_t>(opening);
  boundary::rebuildOpeningNode<Lattice>(model::unpack<Format>(words), index, separate.small);
  keepRounded();
  if (rebuilt.stencilOf[index] >= 0)
    rebuilt.stencilValues[rebuilt.stencilOf[index]] = boundary::stencilNode<Variant>(
        separate.small.populations + separate.small.template own<Lattice>(index, 0), parameters);
}

// Nodes at openings and of their stencils in other ranks' tiles, from slot firstOther on, whose
// moments have been received into a list: as rebuildOpeningsKernel.
template <class Variant>
__global__ void rebuildReceivedKernel(
    const PlaneList<Variant> from, const boundary::OpeningNodeLocation* nodes,
    std::uint32_t nodeCount, std::uint32_t firstOther,
    const boundary::SmallState<typename Variant::Real> small,
    const model::StepParameters<typename Variant::Real> parameters, const RebuiltNodes rebuilt) {
  using Lattice = typename Variant::Lattice;
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= nodeCount || nodes[k].slot < firstOther) return;
  boundary::rebuildOpeningNode<Lattice>(from.at(nodes[k].slot, nodes[k].local).load(), k, small);
  keepRounded();
  if (rebuilt.stencilOf[k] >= 0)
    rebuilt.stencilValues[rebuilt.stencilOf[k]] = boundary::stencilNode<Variant>(
        small.populations + small.template own<Lattice>(k, 0), parameters);
}

// Moments of a list to their places, where these are in tiles first .. end - 1.
template <class Order>
__global__ void putSeparateKernel(const typename Order::Word* list, const std::uint32_t* places,
                                  std::uint32_t count, std::uint32_t first, std::uint32_t end,
                                  typename Order::Word* state) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= count || places[k] >> 6U < first || places[k] >> 6U >= end) return;
  for (int w = 0; w < Order::Format::words; ++w)
    state[model::momentIndex<Order>(places[k] >> 6U, w, static_cast<int>(places[k] & 63U))] =
        list[model::momentIndex<Order>(k >> 6U, w, static_cast<int>(k & 63U))];
}

// Tiles first .. first + count - 1, one thread per node.
template <class Variant>
__global__ void observeMomentsKernel(const PlaneView<Variant> view,
                                     const model::StepParameters<typename Variant::Real> parameters,
                                     std::uint32_t first, std::uint32_t count, float* values) {
  const std::uint32_t k = blockIdx.x * (nodeThreads / 64) + threadIdx.x / 64U;
  if (k >= count) return;
  const auto local = static_cast<int>(threadIdx.x & 63U);
  const model::MomentNode<typename Variant::Lattice, PlaneView<Variant>> node(view, first + k,
                                                                              local);
  if (node.isSolid()) return;
  float* target = values + static_cast<std::uint64_t>(k) * observedValues * 64U + local;
  model::observeSums<typename Variant::Lattice, typename Variant::Equilibrium>(
      boundary::sumsOfNode(node), parameters,
      [&](auto e, auto value) { target[64 * e] = static_cast<float>(value); });
}

template <class Variant>
__global__ void observeSeparateKernel(
    const PlaneView<Variant> view, const PlaneState<Variant> from, const std::uint32_t* places,
    std::uint32_t nodeCount, const boundary::SeparateView<Variant> separate,
    const model::StepParameters<typename Variant::Real> parameters, std::uint32_t first,
    std::uint32_t count, float* values) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= nodeCount) return;
  const std::uint32_t slot = places[k] >> 6U;
  const auto local = static_cast<int>(places[k] & 63U);
  if (slot < first || slot - first >= count) return;
  float* target = values + static_cast<std::uint64_t>(slot - first) * observedValues * 64U + local;
  model::observeSums<typename Variant::Lattice, typename Variant::Equilibrium>(
      boundary::sumsOfSeparateNode<Variant>(view, from, separate, slot, local), parameters,
      [&](auto e, auto value) { target[64 * e] = static_cast<float>(value); });
}

// One partial sample per block of `tilesOfBlock` tiles.
template <class Variant>
__global__ void __launch_bounds__(nodeThreads)
    sampleMomentsKernel(const PlaneView<Variant> view,
                        const model::StepParameters<typename Variant::Real> parameters,
                        std::uint32_t tiles, std::uint32_t tilesOfBlock, PartialSample* samples) {
  using Real = typename Variant::Real;
  const Real half[3] = {-parameters.halfForce[0], -parameters.halfForce[1],
                        -parameters.halfForce[2]};
  PartialSample mine;
  for (std::uint32_t t = threadIdx.x / 64U; t < tilesOfBlock; t += nodeThreads / 64) {
    const std::uint32_t slot = blockIdx.x * tilesOfBlock + t;
    if (slot >= tiles) break;
    const model::MomentNode<typename Variant::Lattice, PlaneView<Variant>> node(
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
