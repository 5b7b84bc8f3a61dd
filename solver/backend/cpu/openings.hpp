// SPDX-License-Identifier: GPL-3.0-or-later
// Openings of a step on the CPU: values of the step, pressures of outlets solved for, populations
// that enter through links.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "solver/backend/backend.hpp"
#include "solver/backend/cpu/parallel.hpp"

namespace tessera::solver::backend {

class CpuOpenings {
 public:
  // domain must outlive this.
  explicit CpuOpenings(const domain::Domain& domain)
      : domain_(domain),
        states_(domain.outletStates),
        chunks_(domain.flowChunks.size()),
        stencilNodes_(domain.stencils.nodes.size()) {}

  // Values of all steps to come, one step after the other; valid until select() is called for the
  // last of them.
  void load(std::span<const double> coefficients) { loaded_ = coefficients; }
  // Step 0 of what follows is step `first` of those loaded.
  void select(std::uint64_t first) { first_ = first; }
  [[nodiscard]] std::size_t sampledLinks() const { return domain_.sampledLinks; }
  // Ramp of a selected step; 1 where nothing is driven.
  [[nodiscard]] double ramp(std::uint64_t step) const {
    const std::span<const double> values = ofStep(step);
    return values.empty() ? 1.0 : values[domain_.rampCoefficient];
  }

  // Writes the populations that enter in a selected step. populations: where the domain's links
  // read and write. commit: a step follows, outlets move on.
  template <class Variant>
  void apply(std::uint64_t step, typename Variant::Storage* populations,
             const model::StepParameters<typename Variant::Real>& parameters, bool commit) {
    const boundary::OpeningValues values = solve<Variant>(step, populations, parameters, commit);
    const std::span<const boundary::IncomingLink> links = domain_.links;
    // Links of a node follow each other.
    const auto fill = [&](std::size_t begin, std::size_t end) {
      std::optional<boundary::SharedByLinks<Variant>> shared;
      for (std::size_t k = begin; k < end; ++k) {
        if (k == begin || links[k].siblingsBefore == 0)
          shared.emplace(links.data(), k, populations, parameters, values);
        populations[links[k].target] =
            typename Variant::Storage(boundary::boundaryPopulation<Variant>(
                links.data(), k, *shared, populations, parameters, values, nullptr));
      }
    };
    parallelRanges(links.size(), 512, RangeBody(fill));
  }
  // Samples the first links, with the values of the first selected step.
  template <class Variant>
  void sample(const typename Variant::Storage* populations,
              const model::StepParameters<typename Variant::Real>& parameters,
              std::span<boundary::LinkSample> samples) {
    const boundary::OpeningValues values = solve<Variant>(0, populations, parameters, false);
    parallelIndices(samples.size(), 1, [&](std::size_t k) {
      boundary::boundaryPopulation<Variant>(domain_.links.data(), k, populations, parameters,
                                            values, &samples[k]);
    });
  }

  [[nodiscard]] double reference() const { return reference_; }
  [[nodiscard]] OutletReport report() const { return {states_, reference_}; }
  void setStates(const std::vector<boundary::OutletState>& states) { states_ = states; }

 private:
  [[nodiscard]] std::span<const double> ofStep(std::uint64_t step) const {
    return loaded_.subspan((first_ + step) * domain_.coefficients, domain_.coefficients);
  }
  // Values of links in a selected step.
  template <class Variant>
  boundary::OpeningValues solve(std::uint64_t step, const typename Variant::Storage* state,
                                const model::StepParameters<typename Variant::Real>& parameters,
                                bool commit) {
    const std::span<const double> values = ofStep(step);
    coefficients_.assign(values.begin(), values.end());
    const boundary::OpeningStencils& stencils = domain_.stencils;
    parallelIndices(stencilNodes_.size(), 512, [&](std::size_t k) {
      stencilNodes_[k] = boundary::stencilNode<Variant>(state + stencils.nodes[k], parameters);
    });
    const boundary::StencilValues sums{stencils.links.empty() ? nullptr : stencils.links.data(),
                                       stencils.entries.data(), stencilNodes_.data()};
    if (!domain_.outlets.empty()) {
      parallelIndices(chunks_.size(), 1, [&](std::size_t c) {
        chunks_[c] = {0, 0};
        const boundary::FlowChunk& chunk = domain_.flowChunks[c];
        for (std::uint32_t k = chunk.first; k < chunk.first + chunk.count; ++k)
          boundary::addFlow(
              boundary::linearFlow<Variant>(
                  domain_.links[domain_.outletLinks[k]],
                  boundary::atOpening<Variant>(domain_.outletLinks[k], sums), state, parameters),
              chunks_[c]);
      });
      addUpChunks();
      boundary::solveOutlets(domain_.outletShape(), domain_.outlets.data(), flows_.data(),
                             domain_.prescribedPressures.data(), coefficients_.data(),
                             states_.data(), &reference_, commit);
    }
    return {domain_.driven.data(), domain_.basis.data(), coefficients_.data(),
            domain_.sources.data(), sums};
  }
  void addUpChunks() {
    flows_.assign(domain_.outlets.size(), {0, 0});
    for (std::size_t c = 0; c < chunks_.size(); ++c)
      boundary::addFlow(chunks_[c], flows_[domain_.flowChunks[c].outlet]);
    static_assert(sizeof(boundary::LinearFlow) == 2 * sizeof(std::int64_t));
    domain_.ranks->sum({&flows_[0].atRest, 2 * flows_.size()});
  }

  const domain::Domain& domain_;
  std::span<const double> loaded_;
  std::uint64_t first_ = 0;
  std::vector<double> coefficients_;  // of the step
  std::vector<boundary::OutletState> states_;
  std::vector<boundary::LinearFlow> chunks_;
  std::vector<boundary::LinearFlow> flows_;  // of the outlets
  std::vector<boundary::StencilNode> stencilNodes_;
  double reference_ = 0.0;
};

}  // namespace tessera::solver::backend
