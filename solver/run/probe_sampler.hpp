// SPDX-License-Identifier: GPL-3.0-or-later
// Samples at the probes of the case: trilinear between the fluid nodes around a point, by their
// weights alone where some are solid, as fields are interpolated.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solver/backend/backend.hpp"
#include "solver/run/setup.hpp"

namespace tessera::solver::run {

// Lattice units.
struct ProbeSample {
  double r = 0.0;  // 3 times the pressure
  Double3 velocity{};
};

class ProbeSampler {
 public:
  ProbeSampler() = default;
  // geometry: of this rank. Collective.
  ProbeSampler(const Setup& setup, const tiler::TiledGeometry& geometry);

  // In the order of the case, the same bits for any number of ranks. openings: values of their
  // series at this step. Collective.
  std::vector<ProbeSample> sample(backend::Sampler& sampler, std::span<const double> openings);

 private:
  // A node of this rank next to a probe.
  struct Corner {
    std::uint32_t probe = 0;
    std::uint32_t corner = 0;  // 0 .. 7
    std::uint32_t slot = 0;
    std::uint32_t local = 0;
    double weight = 0.0;
  };
  void addCorners(const Setup& setup, const tiler::TiledGeometry& geometry,
                  std::span<const std::uint32_t> slotOfTile, std::uint32_t probe);

  std::size_t probes_ = 0;
  std::vector<Corner> corners_;       // by slot
  std::vector<std::uint32_t> slots_;  // of theirs, ascending
  std::uint32_t calls_ = 0;           // of sampleTiles, the same on all ranks
  comm::Ranks* ranks_ = nullptr;
  std::vector<float> values_;
};

}  // namespace tessera::solver::run
