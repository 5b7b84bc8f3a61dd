// SPDX-License-Identifier: GPL-3.0-or-later
// Bounds of a step, measured without parts of it: each node's populations read and written in
// place, or gathered and scattered by the shipped step without collision. D3Q19 in two copies,
// walls but no openings. Bytes per node: 2 x 19 of the storage type; no flops.
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
  // Deviations in XYZ, 19 x 64 per slot.
  virtual void set(std::span<const double> populations) = 0;
  virtual std::vector<double> get() = 0;
  virtual void setNoise() = 0;  // generated in place; see noiseAt()
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

// Tile order of a geometry in D3Q19. Throws StageError(Usage) for openings, the shifted tiling, or
// a periodic axis that whole tiles do not fill.
tiles::TileOrder orderForTrials(const tiler::TiledGeometry& geometry);

// Whether to run on CUDA; backend: auto, cpu or cuda. Throws StageError(NoResource) for cuda
// without a device.
bool trialOnCuda(const std::string& backend);

}  // namespace tessera::solver::bench
