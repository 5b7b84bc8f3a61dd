// SPDX-License-Identifier: GPL-3.0-or-later
// What limits a step, measured by leaving parts of it out: each node's own populations read and
// written, or gathered and scattered by the shipped step without a collision between. D3Q19 in two
// copies, walls but no openings. Bytes a node: 2 x 19 of the storage type; no flops.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "solver/model/axes.hpp"
#include "solver/tiles/tile_order.hpp"

namespace tessera::solver::bench {

class TrialState {
 public:
  virtual ~TrialState() = default;
  virtual void advance(std::uint64_t steps) = 0;
  virtual void finish() = 0;  // waits until all steps are done
  // Deviations in XYZ, 19 x 64 a slot.
  virtual void set(std::span<const double> populations) = 0;
  virtual std::vector<double> get() = 0;
  virtual void setNoise() = 0;  // where the state lies; see solver/model/noise.hpp
  // Bytes per second, reads and writes counted; a median.
  virtual double copyBandwidth() = 0;
};

using TrialMaker = std::unique_ptr<TrialState> (*)(const tiles::TileOrder&);

struct Trial {
  const char* operation;  // "read-write" or "propagation"
  const char* layouts;    // by the names of tiler/analysis/layouts.hpp
  model::PrecisionId precision;
  unsigned storageBytes;
  TrialMaker makeCpu;   // null for other layouts than XYZ
  TrialMaker makeCuda;  // null without CUDA

  [[nodiscard]] double bytesPerNode() const { return 2.0 * 19 * storageBytes; }
};

// Each operation in f64, f32 and f16; propagation with the papers' layouts too.
std::span<const Trial> trials();
constexpr const char* plainLayout = "XYZ";

// The order of a geometry in D3Q19. Throws StageError(Usage) where it has openings, tiles in rows
// or a periodic axis that whole tiles do not fill.
tiles::TileOrder orderForTrials(const tiler::TiledGeometry& geometry);

// Whether it is to run on CUDA; backend: auto, cpu or cuda. Throws StageError(NoResource) for cuda
// where there is none.
bool trialOnCuda(const std::string& backend);

}  // namespace tessera::solver::bench
