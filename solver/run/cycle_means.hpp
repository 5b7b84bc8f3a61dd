// SPDX-License-Identifier: GPL-3.0-or-later
// Means over the recorded cycle of a pulsatile run: sums next to the state, and their values in
// files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "solver/backend/cpu/accumulator.hpp"
#include "solver/backend/cpu/halo.hpp"
#include "solver/file/checkpoint_file.hpp"
#include "solver/file/fields_file.hpp"
#include "solver/run/simulation.hpp"

namespace tessera::solver::run {

class CycleMeans {
 public:
  // simulation must outlive this.
  explicit CycleMeans(Simulation& simulation) : simulation_(simulation) {}
  CycleMeans(const CycleMeans&) = delete;
  CycleMeans& operator=(const CycleMeans&) = delete;

  [[nodiscard]] bool recording() const { return accumulator_ != nullptr; }
  // Sums from zero. Takes all memory that add() needs, so that a run fails here or not at all.
  // Collective.
  void start();
  // Drops the sums.
  void discard();
  // Adds the state as it is. Collective.
  void add();

  // All samples of the cycle have been added.
  [[nodiscard]] bool complete() const;
  // lastStep: of the cycle, as fields count steps.
  [[nodiscard]] file::MeanFields fields(std::uint64_t lastStep) const;

  // The sums for a checkpoint; CycleState::cycles is left empty.
  [[nodiscard]] file::CycleState state() const;
  // Takes the sums out of the state; none: nothing was recorded. path: of the checkpoint, for the
  // message. Throws StageError(BadInput) when they do not fit the geometry.
  void restore(const std::filesystem::path& path, file::CycleState& state);

 private:
  void makeAccumulator();
  const float* observeAll();
  const float* observeWithOtherRanks();

  Simulation& simulation_;
  std::unique_ptr<backend::Accumulator> accumulator_;
  std::uint64_t samples_ = 0;
  double pressureReference_ = 0.0;  // Pa, sum
  // With several ranks: moments of all slots, with those at wall points of other ranks' tiles.
  domain::HaloPlan plan_;
  std::vector<float> observed_;
  std::optional<backend::CpuHalo<float>> halo_;
};

}  // namespace tessera::solver::run
