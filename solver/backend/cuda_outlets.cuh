// SPDX-License-Identifier: GPL-3.0-or-later
// The openings of a step on a CUDA device: coefficients, and the pressures of outlets solved for
// without the host. A block adds a chunk of an outlet's links to the outlet's flow, in whole
// numbers, so in any order; one thread then solves for all and leaves the flows empty.
#pragma once

#include <span>
#include <vector>

#include "solver/backend/backend.hpp"
#include "solver/backend/cuda_graphs.cuh"
#include "solver/backend/gpu/memory.hpp"
#include "solver/ranks/device_ranks.hpp"

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
  // others: null where one rank is alone.
  CudaOutlets(const Domain& domain, DeviceRanks* others)
      : others_(others),
        shape_(domain.outletShape()),
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
        reference_(1),
        ofSteps_(mostGraphSteps * domain.coefficients) {}

  // Coefficients of the steps that follow, all at once: none come from the host between steps.
  // The host need not wait for the steps before.
  void load(std::span<const double> coefficients, StreamHandle stream) {
    inPlace_ = coefficients.size() == perStep_;
    if (!inPlace_ && coefficients_.size() < coefficients.size())
      coefficients_ = DeviceArray<double>(coefficients.size());
    onTheirWay_.send(coefficients.data(), coefficients.size_bytes(),
                     inPlace_ ? ofSteps_.data() : coefficients_.data(), stream);
  }
  // Of those loaded the steps first .. first + steps - 1, at most mostGraphSteps, become steps 0 ..
  // steps - 1 of what follows in the stream: kernels read them where they were for the steps
  // before.
  void begin(std::uint64_t first, std::uint64_t steps, StreamHandle stream) {
    if (!inPlace_ && perStep_ != 0 && coefficients_.size() != 0)
      copyOnDevice(ofSteps_.data(), coefficients_.data() + first * perStep_,
                   steps * perStep_ * sizeof(double), stream);
  }
  // Whether pressures follow from flow rates, which all ranks then find together in each step.
  [[nodiscard]] bool coupled() const { return shape_.outlets != 0; }
  // Of step k of those begun, in device memory; null where there are none.
  [[nodiscard]] double* ofStep(std::uint64_t k) const {
    return perStep_ == 0 ? nullptr : ofSteps_.data() + k * perStep_;
  }

  // What the links of openings are given in step k of those begun.
  template <class Variant>
  OpeningValues solve(std::uint64_t k, const typename Variant::Storage* state,
                      const IncomingLink* links,
                      const StepParameters<typename Variant::Real>& parameters, bool commit,
                      StreamHandle stream) {
    double* coefficients = ofStep(k);
    if (shape_.outlets != 0) {
      if (chunks_.size() != 0)
        launchKernel(&outletFlowKernel<Variant>,
                     {static_cast<unsigned>(chunks_.size()), outletChunk}, stream, state, links,
                     links_.data(), chunks_.data(), parameters, flows_.data());
      if (others_ != nullptr) others_->sum(&flows_.data()->atRest, 2 * flows_.size(), stream);
      launchKernel(&solveOutletsKernel, {1, 1}, stream, shape_, outlets_.data(), flows_.data(),
                   prescribed_.data(), coefficients, states_.data(), reference_.data(), commit);
    }
    return {driven_.data(), basis_.data(), coefficients, sources_.data()};
  }

  // OutletReport's, on the device; null where no pressure follows from a flow rate.
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
  void set(const std::vector<OutletState>& states) { states_.upload(states); }

 private:
  DeviceRanks* others_;
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
  DeviceArray<double> coefficients_;  // as loaded
  bool inPlace_ = false;              // a single step's, where begin() would put them
  UploadQueue onTheirWay_;
  DeviceArray<double> ofSteps_;
};

}  // namespace tessera
