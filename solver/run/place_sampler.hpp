// SPDX-License-Identifier: GPL-3.0-or-later
// Samples at the probes and stations of the case: means over fluid nodes with weights that are
// planned once. A probe's are trilinear between the nodes around it, by their weights alone where
// some are solid, as fields are interpolated; a station's are those of section_nodes.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solver/backend/backend.hpp"
#include "solver/run/section_nodes.hpp"
#include "solver/run/setup.hpp"

namespace tessera::solver::run {

// Mean at a probe or over a station, lattice units.
struct PlaceSample {
  double r = 0.0;  // 3 times the pressure
  Double3 velocity{};
};

class PlaceSampler {
 public:
  PlaceSampler() = default;
  // geometry: of this rank. Throws StageError(Usage), see sectionNodes(). Collective.
  PlaceSampler(const Setup& setup, const tiler::TiledGeometry& geometry);

  // Probes, then stations, in the order of the case, the same bits for any number of ranks.
  // openings: values of their series at this step. Collective.
  std::vector<PlaceSample> sample(backend::Sampler& sampler, std::span<const double> openings);
  // m2, of each station.
  [[nodiscard]] const std::vector<double>& areas() const { return areas_; }

 private:
  // A node of this rank and its part of a place's mean.
  struct Node {
    std::uint32_t slot = 0;
    std::uint32_t place = 0;
    std::uint32_t fileTile = 0;
    std::uint32_t local = 0;
    double pressure = 0.0;
    double velocity = 0.0;
  };
  // Slots first .. first + count - 1, sampled by one call.
  struct Range {
    std::uint32_t first = 0;
    std::uint32_t count = 1;
  };
  void planRanges();

  std::size_t places_ = 0;
  std::vector<double> areas_;
  std::vector<Node> nodes_;    // by slot
  std::vector<Range> ranges_;  // that have them, ascending
  std::uint32_t calls_ = 0;    // of sampleTiles, the same on all ranks
  comm::Ranks* ranks_ = nullptr;
  std::vector<float> values_;
};

}  // namespace tessera::solver::run
