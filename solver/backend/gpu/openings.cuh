// SPDX-License-Identifier: GPL-3.0-or-later
// Openings of a step on a device: values of the step, pressures of outlets solved for without the
// host, samples of links. The populations themselves are written by ghostKernel
// (populations_kernels.cuh) and fillOpeningsKernel (moments_single_nodes.cuh). Four lanes sum up
// the stencil of a link: each waits for entries and their nodes twice, where one alone waits eight
// times. A block adds links of an outlet to the outlet's flow, in integers, so in any order; one
// thread then solves for all outlets and clears the flows.
#pragma once

#include <span>
#include <vector>

#include "solver/backend/backend.hpp"
#include "solver/backend/gpu/device_ranks.hpp"
#include "solver/backend/gpu/graphs.cuh"
#include "solver/backend/gpu/intrinsics.hpp"
#include "solver/backend/gpu/memory.hpp"

namespace tessera::solver::backend {

// Blocks of kernels that run beside those of the tiles: a warp of up to 128 registers a thread has
// room where a block of two steps on moments fills the rest of a multiprocessor.
constexpr int threadsBeside = 32;
constexpr int blocksBeside = 16;

// Links that a team takes at once: with stencils four lanes sum up one, and the first of them does
// the rest.
constexpr std::uint32_t linksOfTeam(bool stencils) {
  return stencils ? teamLanes / boundary::stencilShares : teamLanes;
}

constexpr std::uint32_t wholeTeams(std::uint32_t threads) {
  return (threads + teamLanes - 1) / teamLanes * teamLanes;
}

// Threads, in whole teams, for links whose stencils are summed up by teams.
constexpr std::uint32_t threadsOfLinks(std::uint32_t links, bool stencils) {
  return (links + linksOfTeam(stencils) - 1) / linksOfTeam(stencils) * teamLanes;
}

// Link of a thread, and the share of its stencil.
struct LinkOfLane {
  std::uint32_t link;
  std::uint32_t share;

  __device__ __forceinline__ LinkOfLane(std::uint32_t thread,
                                        const boundary::StencilValues& stencils)
      : link(thread), share(0) {
    if (stencils.links == nullptr) return;
    constexpr std::uint32_t links = linksOfTeam(true);
    link = thread / teamLanes * links + thread % links;
    share = thread % teamLanes / links;
  }
};

// Sums of the link k of a lane, for its first share. has: whether it has one. All lanes of the team
// take part.
template <class Variant>
__device__ __forceinline__ boundary::AtOpening<typename Variant::Real> atOpeningOfTeam(
    bool has, std::uint32_t k, std::uint32_t share, const boundary::StencilValues& stencils) {
  if (stencils.links == nullptr) return {};
  boundary::LinkStencil link{};
  if (has) link = stencils.links[k];
  boundary::StencilSums sums = boundary::sumsOfShare(link, stencils, share);
  for (std::uint32_t distance = linksOfTeam(true); distance < teamLanes; distance *= 2) {
    const auto lane = static_cast<int>((threadIdx.x & (teamLanes - 1U)) ^ distance);
    sums.add(sums.with([&](double sum) { return fromLane(sum, lane); }));
  }
  return boundary::atOpening<Variant>(link, sums);
}

// Population of links[k], with the sums of its stencil.
template <class Variant>
__device__ __forceinline__ typename Variant::Real populationOfLink(
    const boundary::IncomingLink* links, std::uint32_t k,
    const boundary::AtOpening<typename Variant::Real>& at, const typename Variant::Storage* state,
    const model::StepParameters<typename Variant::Real>& parameters,
    const boundary::OpeningValues& values) {
  return boundary::boundaryPopulation<Variant>(
      links, k, boundary::SharedByLinks<Variant>(links, k, state, parameters, values),
      [&] { return at; }, state, parameters, values, nullptr);
}

// A team for the links of a chunk that it takes at once.
template <class Variant>
__global__ void TESSERA_LAUNCH_BOUNDS(threadsBeside, blocksBeside)
    outletFlowKernel(const typename Variant::Storage* state, const boundary::IncomingLink* links,
                     const boundary::StencilValues stencils, const std::uint32_t* outletLinks,
                     const boundary::FlowChunk* chunks,
                     const model::StepParameters<typename Variant::Real> parameters,
                     boundary::LinearFlow* flows) {
  __shared__ boundary::LinearFlow shared[teamLanes];
  constexpr std::uint32_t blocksOfChunk = boundary::outletChunk / linksOfTeam(true);
  const boundary::FlowChunk chunk = chunks[blockIdx.x / blocksOfChunk];
  const LinkOfLane lane(blockIdx.x % blocksOfChunk * teamLanes + threadIdx.x, stencils);
  const bool has = lane.link < chunk.count;
  const std::uint32_t k = has ? outletLinks[chunk.first + lane.link] : 0;
  const auto at = atOpeningOfTeam<Variant>(has, k, lane.share, stencils);
  boundary::LinearFlow mine{0, 0};
  if (has && lane.share == 0) mine = boundary::linearFlow<Variant>(links[k], at, state, parameters);
  shared[threadIdx.x] = mine;
  for (unsigned half = teamLanes / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) boundary::addFlow(shared[threadIdx.x + half], shared[threadIdx.x]);
  }
  if (threadIdx.x != 0) return;
  using Sum = unsigned long long;
  atomicAdd(reinterpret_cast<Sum*>(&flows[chunk.outlet].atRest), Sum(shared[0].atRest));
  atomicAdd(reinterpret_cast<Sum*>(&flows[chunk.outlet].slope), Sum(shared[0].slope));
}

__global__ inline void solveOutletsKernel(const boundary::OutletShape shape,
                                          const boundary::Outlet* outlets,
                                          boundary::LinearFlow* flows,
                                          const std::uint32_t* prescribed, double* coefficients,
                                          boundary::OutletState* states, double* reference,
                                          bool commit) {
  boundary::solveOutlets(shape, outlets, flows, prescribed, coefficients, states, reference,
                         commit);
  for (std::uint32_t k = 0; k < shape.outlets; ++k) flows[k] = {0, 0};
}

// Pressure and velocity of the nodes of the stencils.
template <class Variant>
__global__ void stencilNodesKernel(const typename Variant::Storage* state,
                                   const std::uint64_t* nodes, std::uint32_t count,
                                   const model::StepParameters<typename Variant::Real> parameters,
                                   boundary::StencilNode* values) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < count) values[k] = boundary::stencilNode<Variant>(state + nodes[k], parameters);
}

template <class Variant>
__global__ void sampleLinksKernel(const typename Variant::Storage* state,
                                  const boundary::IncomingLink* links, std::uint32_t linkCount,
                                  const model::StepParameters<typename Variant::Real> parameters,
                                  const boundary::OpeningValues values,
                                  boundary::LinkSample* samples) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < linkCount)
    boundary::boundaryPopulation<Variant>(links, k, state, parameters, values, &samples[k]);
}

class GpuOpenings {
 public:
  // ranks: null where one rank is alone.
  GpuOpenings(const domain::Domain& domain, DeviceRanks* ranks)
      : GpuOpenings(domain, boundary::sideBySide(domain.stencils, linksOfTeam(true)), ranks) {}
  GpuOpenings(const domain::Domain& domain, const boundary::OpeningStencils& stencils,
              DeviceRanks* ranks)
      : ranks_(ranks),
        shape_(domain.outletShape()),
        perStep_(domain.coefficients),
        driven_(domain.driven),
        basis_(domain.basis),
        sources_(domain.sources),
        outlets_(domain.outlets),
        states_(domain.outletStates),
        links_(domain.links),
        sampledLinks_(static_cast<std::uint32_t>(domain.sampledLinks)),
        stencilNodes_(stencils.nodes),
        stencilLinks_(stencils.links),
        stencilEntries_(stencils.entries),
        stencilValues_(stencils.nodes.size()),
        outletLinks_(domain.outletLinks),
        chunks_(domain.flowChunks),
        prescribed_(domain.prescribedPressures),
        flows_(
            std::vector<boundary::LinearFlow>(domain.outlets.size(), boundary::LinearFlow{0, 0})),
        reference_(1),
        rampCoefficient_(domain.rampCoefficient),
        ofSteps_(mostGraphSteps * domain.coefficients) {}

  // Loads the values of all coming steps at once: none come from the host between steps, and the
  // host does not wait for earlier steps.
  void load(std::span<const double> coefficients, StreamHandle stream) {
    inPlace_ = coefficients.size() == perStep_;
    if (!inPlace_ && coefficients_.size() < coefficients.size())
      coefficients_ = DeviceArray<double>(coefficients.size());
    uploads_.send(coefficients.data(), coefficients.size_bytes(),
                  inPlace_ ? ofSteps_.data() : coefficients_.data(), stream);
  }
  // Steps first .. first + steps - 1 of those loaded, at most mostGraphSteps, become steps 0 ..
  // steps - 1 of what follows in the stream, at the address that kernels of recorded steps read.
  void select(std::uint64_t first, std::uint64_t steps, StreamHandle stream) {
    if (!inPlace_ && perStep_ != 0 && coefficients_.size() != 0)
      copyOnDevice(ofSteps_.data(), coefficients_.data() + first * perStep_,
                   steps * perStep_ * sizeof(double), stream);
  }
  // Whether pressures follow from flow rates, which all ranks then sum in each step.
  [[nodiscard]] bool coupled() const { return shape_.outlets != 0; }
  // Ramp of selected step k, in device memory; null where nothing is driven.
  [[nodiscard]] const double* ramp(std::uint64_t k) const {
    return perStep_ == 0 ? nullptr : ofStep(k) + rampCoefficient_;
  }
  [[nodiscard]] const boundary::IncomingLink* links() const { return links_.data(); }
  [[nodiscard]] std::uint32_t linkCount() const {
    return static_cast<std::uint32_t>(links_.size());
  }
  // Threads of a kernel that fills them.
  [[nodiscard]] std::uint32_t fillThreads() const {
    return threadsOfLinks(linkCount(), stencilNodes_.size() != 0);
  }
  [[nodiscard]] std::uint32_t sampledLinks() const { return sampledLinks_; }
  [[nodiscard]] bool any() const { return links_.size() != 0 || coupled(); }

  // Where a scheme puts the values of the stencils' nodes, by their index in Domain::stencils, if
  // it does not leave that to findStencilNodes().
  [[nodiscard]] boundary::StencilNode* stencilValues() const { return stencilValues_.data(); }
  template <class Variant>
  void findStencilNodes(const typename Variant::Storage* state,
                        const model::StepParameters<typename Variant::Real>& parameters,
                        StreamHandle stream) const {
    constexpr unsigned threads = 128;
    const auto nodes = static_cast<std::uint32_t>(stencilNodes_.size());
    if (nodes != 0)
      launchKernel(&stencilNodesKernel<Variant>, {(nodes + threads - 1) / threads, threads}, stream,
                   state, stencilNodes_.data(), nodes, parameters, stencilValues_.data());
  }
  // Values of links in selected step k, once those of the stencils' nodes are known. state: where
  // links read and write. commit: the step follows and outlets advance.
  template <class Variant>
  boundary::OpeningValues solve(std::uint64_t k, const typename Variant::Storage* state,
                                const model::StepParameters<typename Variant::Real>& parameters,
                                bool commit, StreamHandle stream) {
    double* coefficients = ofStep(k);
    const boundary::StencilValues stencils{
        stencilNodes_.size() != 0 ? stencilLinks_.data() : nullptr, stencilEntries_.data(),
        stencilValues_.data(), linksOfTeam(true)};
    if (shape_.outlets != 0) {
      if (chunks_.size() != 0)
        launchKernel(
            &outletFlowKernel<Variant>,
            {static_cast<unsigned>(chunks_.size()) * (boundary::outletChunk / linksOfTeam(true)),
             threadsBeside},
            stream, state, links_.data(), stencils, outletLinks_.data(), chunks_.data(), parameters,
            flows_.data());
      if (ranks_ != nullptr) ranks_->sum(&flows_.data()->atRest, 2 * flows_.size(), stream);
      launchKernel(&solveOutletsKernel, {1, 1}, stream, shape_, outlets_.data(), flows_.data(),
                   prescribed_.data(), coefficients, states_.data(), reference_.data(), commit);
    }
    return {driven_.data(), basis_.data(), coefficients, sources_.data(), stencils};
  }

  // Samples the first links, with the values of selected step 0 and of the stencils' nodes.
  template <class Variant>
  void sample(const typename Variant::Storage* state,
              const model::StepParameters<typename Variant::Real>& parameters,
              boundary::LinkSample* samples, StreamHandle stream) {
    constexpr unsigned threads = 128;
    const boundary::OpeningValues values = solve<Variant>(0, state, parameters, false, stream);
    if (sampledLinks_ != 0)
      launchKernel(&sampleLinksKernel<Variant>, {(sampledLinks_ + threads - 1) / threads, threads},
                   stream, state, links_.data(), sampledLinks_, parameters, values, samples);
  }

  // Reference of OutletReport, on the device; null where no pressure follows from a flow rate.
  [[nodiscard]] const double* reference() const {
    return shape_.outlets == 0 ? nullptr : reference_.data();
  }
  [[nodiscard]] OutletReport report() const {
    OutletReport out;
    std::vector<double> reference;
    states_.download(out.states, states_.size());
    reference_.download(reference, 1);
    out.reference = reference[0];
    return out;
  }
  void setStates(const std::vector<boundary::OutletState>& states) { states_.upload(states); }

 private:
  // Values of selected step k, in device memory; null where there are none.
  [[nodiscard]] double* ofStep(std::uint64_t k) const {
    return perStep_ == 0 ? nullptr : ofSteps_.data() + k * perStep_;
  }

  DeviceRanks* ranks_;
  boundary::OutletShape shape_;
  std::uint32_t perStep_;
  DeviceArray<boundary::DrivenOpening> driven_;
  DeviceArray<double> basis_;
  DeviceArray<std::uint64_t> sources_;
  DeviceArray<boundary::Outlet> outlets_;
  DeviceArray<boundary::OutletState> states_;
  DeviceArray<boundary::IncomingLink> links_;
  std::uint32_t sampledLinks_;
  DeviceArray<std::uint64_t> stencilNodes_;
  DeviceArray<boundary::LinkStencil> stencilLinks_;
  DeviceArray<boundary::StencilEntry> stencilEntries_;
  DeviceArray<boundary::StencilNode> stencilValues_;  // of the step
  DeviceArray<std::uint32_t> outletLinks_;
  DeviceArray<boundary::FlowChunk> chunks_;
  DeviceArray<std::uint32_t> prescribed_;
  DeviceArray<boundary::LinearFlow> flows_;
  DeviceArray<double> reference_;
  DeviceArray<double> coefficients_;  // as loaded
  bool inPlace_ = false;              // of a single step, loaded to where select() copies
  UploadQueue uploads_;
  std::uint32_t rampCoefficient_;
  DeviceArray<double> ofSteps_;
};

}  // namespace tessera::solver::backend
