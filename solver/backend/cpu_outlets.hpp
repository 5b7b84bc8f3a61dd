// SPDX-License-Identifier: GPL-3.0-or-later
// The openings of a step on the CPU: coefficients, and the pressures of outlets solved for.
#pragma once

#include <tbb/parallel_for.h>

#include <span>
#include <vector>

#include "solver/backend/backend.hpp"

namespace tessera {

class CpuOutlets {
 public:
  // domain must outlive this.
  explicit CpuOutlets(const Domain& domain)
      : domain_(domain), states_(domain.outletStates), chunks_(domain.flowChunks.size()) {}

  // What the links of openings are given in the step that these coefficients belong to.
  template <class Variant>
  OpeningValues solve(std::span<const double> coefficients, const typename Variant::Storage* state,
                      const StepParameters<typename Variant::Real>& parameters, bool commit) {
    coefficients_.assign(coefficients.begin(), coefficients.end());
    if (!domain_.outlets.empty()) {
      tbb::parallel_for(std::size_t{0}, chunks_.size(), [&](std::size_t c) {
        chunks_[c] = {0, 0};
        const FlowChunk& chunk = domain_.flowChunks[c];
        for (std::uint32_t k = chunk.first; k < chunk.first + chunk.count; ++k)
          addFlow(linearFlow<Variant>(domain_.links[domain_.outletLinks[k]], state, parameters),
                  chunks_[c]);
      });
      addUpChunks();
      solveOutlets(domain_.outletShape(), domain_.outlets.data(), flows_.data(),
                   domain_.prescribedPressures.data(), coefficients_.data(), states_.data(),
                   &reference_, commit);
    }
    return {domain_.driven.data(), domain_.basis.data(), coefficients_.data(),
            domain_.sources.data()};
  }

  [[nodiscard]] OutletReport report() const { return {states_, reference_}; }
  void set(const std::vector<OutletState>& states) { states_ = states; }

 private:
  void addUpChunks() {
    flows_.assign(domain_.outlets.size(), {0, 0});
    for (std::size_t c = 0; c < chunks_.size(); ++c)
      addFlow(chunks_[c], flows_[domain_.flowChunks[c].outlet]);
    static_assert(sizeof(LinearFlow) == 2 * sizeof(std::int64_t));
    domain_.ranks->sum({&flows_[0].atRest, 2 * flows_.size()});
  }

  const Domain& domain_;
  std::vector<double> coefficients_;
  std::vector<OutletState> states_;
  std::vector<LinearFlow> chunks_;
  std::vector<LinearFlow> flows_;  // of the outlets
  double reference_ = 0.0;
};

}  // namespace tessera
