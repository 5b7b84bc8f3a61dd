// SPDX-License-Identifier: GPL-3.0-or-later
// The openings of a step on a CUDA device: coefficients, and the pressures of outlets solved for
// without the host. A block adds a chunk of an outlet's links to the outlet's flow, in whole
// numbers, so in any order; one thread then solves for all and leaves the flows empty.
#pragma once

#include <span>
#include <vector>

#include "solver/backend/backend.hpp"
#include "solver/backend/cuda_memory.cuh"

namespace tessera {

template <class Variant>
__global__ void __launch_bounds__(outletChunk)
    outletFlowKernel(const typename Variant::Storage* state, const IncomingLink* links,
                     const std::uint32_t* outletLinks, const FlowChunk* chunks,
                     const StepParameters<typename Variant::Real> parameters, LinearFlow* flows) {
  __shared__ LinearFlow shared[outletChunk];
  const FlowChunk chunk = chunks[blockIdx.x];
  LinearFlow mine{0, 0};
  if (threadIdx.x < chunk.count)
    mine = linearFlow<Variant>(links[outletLinks[chunk.first + threadIdx.x]], state, parameters);
  shared[threadIdx.x] = mine;
  for (unsigned half = outletChunk / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) addFlow(shared[threadIdx.x + half], shared[threadIdx.x]);
  }
  if (threadIdx.x != 0) return;
  using Sum = unsigned long long;
  atomicAdd(reinterpret_cast<Sum*>(&flows[chunk.outlet].atRest), Sum(shared[0].atRest));
  atomicAdd(reinterpret_cast<Sum*>(&flows[chunk.outlet].slope), Sum(shared[0].slope));
}

__global__ inline void solveOutletsKernel(const OutletShape shape, const Outlet* outlets,
                                          LinearFlow* flows, const std::uint32_t* prescribed,
                                          double* coefficients, OutletState* states,
                                          double* reference, bool commit) {
  solveOutlets(shape, outlets, flows, prescribed, coefficients, states, reference, commit);
  for (std::uint32_t k = 0; k < shape.outlets; ++k) flows[k] = {0, 0};
}

class CudaOutlets {
 public:
  explicit CudaOutlets(const Domain& domain)
      : shape_(domain.outletShape()),
        perStep_(domain.coefficients),
        driven_(domain.driven),
        basis_(domain.basis),
        sources_(domain.sources),
        outlets_(domain.outlets),
        states_(domain.outletStates),
        links_(domain.outletLinks),
        chunks_(domain.flowChunks),
        prescribed_(domain.prescribedPressures),
        flows_(std::vector<LinearFlow>(domain.outlets.size(), LinearFlow{0, 0})),
        reference_(1) {}

  // Coefficients of the steps that follow, all at once: nothing is copied between steps.
  void load(std::span<const double> coefficients) {
    if (coefficients_.size() < coefficients.size())
      coefficients_ = DeviceArray<double>(coefficients.size());
    coefficients_.upload({coefficients.begin(), coefficients.end()});
  }

  // What the links of openings are given in step k of those loaded.
  template <class Variant>
  OpeningValues solve(std::uint64_t k, const typename Variant::Storage* state,
                      const IncomingLink* links,
                      const StepParameters<typename Variant::Real>& parameters, bool commit) {
    double* coefficients = coefficients_.data() + k * perStep_;
    if (shape_.outlets != 0) {
      outletFlowKernel<Variant><<<static_cast<unsigned>(chunks_.size()), outletChunk>>>(
          state, links, links_.data(), chunks_.data(), parameters, flows_.data());
      solveOutletsKernel<<<1, 1>>>(shape_, outlets_.data(), flows_.data(), prescribed_.data(),
                                   coefficients, states_.data(), reference_.data(), commit);
      checkCuda(cudaGetLastError(), "outlets");
    }
    return {driven_.data(), basis_.data(), coefficients, sources_.data()};
  }

  [[nodiscard]] OutletReport report() const {
    OutletReport out;
    std::vector<double> reference;
    states_.download(out.states, states_.size());
    reference_.download(reference, 1);
    out.reference = reference[0];
    return out;
  }
  void set(const std::vector<OutletState>& states) { states_.upload(states); }

 private:
  OutletShape shape_;
  std::uint32_t perStep_;
  DeviceArray<DrivenOpening> driven_;
  DeviceArray<double> basis_;
  DeviceArray<std::uint64_t> sources_;
  DeviceArray<Outlet> outlets_;
  DeviceArray<OutletState> states_;
  DeviceArray<std::uint32_t> links_;
  DeviceArray<FlowChunk> chunks_;
  DeviceArray<std::uint32_t> prescribed_;
  DeviceArray<LinearFlow> flows_;
  DeviceArray<double> reference_;
  DeviceArray<double> coefficients_;
};

}  // namespace tessera
