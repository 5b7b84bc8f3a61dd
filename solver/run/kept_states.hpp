// SPDX-License-Identifier: GPL-3.0-or-later
// States that a run may go back to when it diverges. The macroscopic fields of a calm state are
// copied to memory of the host, 2560 bytes a tile; the copy replaces the one before once a quarter
// of the interval more was calm, so at most two are kept, 80 bytes a node. The interval is 2000
// steps, ten times as long on a device, which steps faster than its fields are copied, and grows
// with the run: a copy or two cost less than an eighth of the steps so far, and as little is lost
// to a divergence. The steps at which states are kept depend on nothing but the run's own numbers,
// so a run that was killed and resumed goes back to the same state.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "pipelines/stage/system/large_array.hpp"
#include "solver/file/checkpoint_file.hpp"
#include "solver/run/simulation.hpp"

namespace tessera::solver::run {

class KeptStates {
 public:
  // kept: of the checkpoint or the recovery that the run continues from. Takes all memory that
  // keep() needs; where it is missing, no states are kept, with a warning. Collective.
  KeptStates(Simulation& simulation, std::vector<file::KeptState> kept);

  // The case asks for them and there is memory.
  [[nodiscard]] bool on() const { return memory_.front() != nullptr; }
  [[nodiscard]] bool due(std::uint64_t step) const;
  // Keeps the state as it is. rows: of the monitor; cycles: Cycles::state. The states that all()
  // returned must no longer be in use. Collective.
  void keep(std::uint64_t rows, const std::vector<double>& outlets,
            const std::vector<double>& cycles);
  // The run was calm, or not, at a step that is the same however the run was resumed.
  void follow(std::uint64_t step, bool calm);
  // The state to go back to; null: none.
  [[nodiscard]] const file::KeptState* last() const;
  [[nodiscard]] const std::vector<file::KeptState>& all() const { return kept_; }

 private:
  void takeMemory();
  [[nodiscard]] std::uint64_t intervalAt(std::uint64_t step) const;

  Simulation& simulation_;
  std::vector<file::KeptState> kept_;  // the last of two is not known to be calm
  std::array<std::shared_ptr<stage::LargeArray<float>>, file::mostKept> memory_;
};

// Largest speed in a kept state, lattice units of then. Collective.
double fastestOf(const file::KeptState& kept, comm::Ranks& ranks);

// Populations of that state, for the time step and the lattice of a simulation at the same time.
// ratio: of that time step to the one that the state was kept with. Collective.
void startFrom(const file::KeptState& kept, double ratio, Simulation& simulation);

}  // namespace tessera::solver::run
