// SPDX-License-Identifier: GPL-3.0-or-later
// Accelerated march to a steady state. Every 100 steps (CUDA: 1000; more rarely the longer the run
// lasts) the linear moments of all nodes are taken, in memory of the host. Once there are eight
// changes between them, or four that fall fast, the state is extrapolated to the limit of the modes
// that decay (mode_extrapolation.hpp), and the march goes on from there. Openings and walls, and
// what they remember, are those of the plain march, so the steady states are the same. An
// extrapolation helps when the change of the state falls below all that it was before; after one
// that did not, the next ones come ever later, and at last the plain march is left alone. The steps
// at which this happens depend on nothing but the run's own numbers, and checkpoints have all of
// it.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pipelines/stage/system/large_array.hpp"
#include "solver/file/checkpoint_file.hpp"
#include "solver/run/simulation.hpp"

namespace tessera::solver::run {

// The case asks for a steady state.
bool steadyCase(const Setup& setup);
// Why its march is not accelerated; empty: it is.
std::string whyPlain(const Setup& setup);

class SteadyMarch {
 public:
  // from: of the checkpoint that the run continues from. Takes all memory that it needs; where it
  // is missing the march is plain, with a warning. Collective.
  SteadyMarch(Simulation& simulation, file::MarchState from);

  [[nodiscard]] bool on() const { return memory_ != nullptr && !state_.givenUp; }
  // A sample is due, or at least one step later.
  [[nodiscard]] bool due() const;
  [[nodiscard]] std::uint64_t stepsToNext() const;
  // Takes the state as a sample when one is due. The states that state() returned must no longer be
  // in use. mayLeave: the state may be extrapolated. True: it was. Collective.
  bool follow(bool mayLeave);
  [[nodiscard]] const file::MarchState& state() const { return state_; }

 private:
  static constexpr std::size_t mostChanges = file::mostMarchChanges;
  struct Memory {
    std::shared_ptr<std::vector<double>> moments;
    std::array<std::shared_ptr<stage::LargeArray<float>>, mostChanges> changes;
  };

  void takeMemory();
  void begin();
  void addChange();
  bool leave();
  bool extrapolate(const std::vector<double>& weights);
  void pause();
  [[nodiscard]] std::uint64_t next() const;
  [[nodiscard]] std::uint64_t intervalAt(std::uint64_t step) const;
  [[nodiscard]] std::vector<double> gramMatrix() const;
  backend::GlobalSample addToState(const std::vector<double>& weights, double sign);
  void addToOutlets(const std::vector<double>& weights);

  Simulation& simulation_;
  file::MarchState state_;
  std::unique_ptr<Memory> memory_;
};

}  // namespace tessera::solver::run
