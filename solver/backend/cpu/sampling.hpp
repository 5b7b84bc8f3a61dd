// SPDX-License-Identifier: GPL-3.0-or-later
// Samples of a state on the CPU, taken at once: reductions over nodes, links and walls,
// macroscopic fields.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "solver/backend/cpu/parallel.hpp"
#include "solver/backend/sample.hpp"

namespace tessera::solver::backend {

class CpuSampling {
 public:
  template <class Target, class Forces>
  CpuSampling(const Target&, std::uint32_t tiles, std::size_t links, const Forces&)
      : perTile_(tiles) {
    sample_.links.resize(links);
    kept_.resize(links);
  }

  template <class Scheme>
  void begin(Scheme& scheme, std::span<const double> coefficients) {
    const auto start = std::chrono::steady_clock::now();
    select(scheme, coefficients);
    scheme.sampleLinks(sample_.links);
    scheme.sampleForces(false);
    sample_.walls = scheme.forces().sums();
    sample_.wallSteps = scheme.forces().steps();
    if (sample_.wallSteps > 1)
      for (std::size_t k = 0; k < kept_.size(); ++k) sample_.links[k].addKept(kept_[k]);
    parallelIndices(perTile_.size(), 1, [&](std::size_t slot) {
      perTile_[slot] = scheme.sampleTile(static_cast<std::uint32_t>(slot));
    });
    sample_.nodes = {};
    for (const PartialSample& sample : perTile_) addSample(sample, sample_.nodes);
    sample_.reference = scheme.openings().reference();
    sample_.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  StateSample end() { return sample_; }
  template <class Scheme>
  void keepForces(Scheme& scheme, std::span<const double> coefficients) {
    select(scheme, coefficients);
    scheme.sampleLinks(kept_);
    scheme.sampleForces(true);
  }

  template <class Scheme>
  void tiles(Scheme& scheme, std::span<const double> coefficients, std::uint32_t first,
             std::uint32_t count, std::vector<float>& values) {
    values.resize(static_cast<std::size_t>(count) * observedValues * 64);
    select(scheme, coefficients);
    scheme.sampleFields(first, count, values);
  }
  template <class Scheme>
  const float* allTiles(Scheme& scheme, std::span<const double> coefficients) {
    tiles(scheme, coefficients, 0, scheme.tiles(), fields_);
    return fields_.data();
  }

 private:
  template <class Scheme>
  static void select(Scheme& scheme, std::span<const double> coefficients) {
    scheme.loadValues(coefficients, {});
    scheme.selectValues(0, 1, {});
  }

  std::vector<PartialSample> perTile_;
  StateSample sample_;
  std::vector<boundary::LinkSample> kept_;  // of the step before
  std::vector<float> fields_;               // of allTiles()
};

}  // namespace tessera::solver::backend
