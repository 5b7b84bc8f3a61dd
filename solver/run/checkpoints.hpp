// SPDX-License-Identifier: GPL-3.0-or-later
// Checkpoints of a run: when one is due, writing it while steps go on, restoring the newest.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "solver/case/solver_case.hpp"
#include "solver/comm/ranks.hpp"
#include "solver/run/checkpoint_writer.hpp"
#include "solver/run/cycle_means.hpp"
#include "solver/run/memory_needs.hpp"
#include "solver/run/monitor.hpp"
#include "solver/run/simulation.hpp"

namespace tessera::solver::run {

// Notes the state of the newest checkpoint of that path, if there is one, as the one that a case
// with an automatic state is to go on with. Collective.
void keepState(const std::filesystem::path& path, comm::Ranks& ranks, cases::SolverCase& run);

// Restores the newest valid checkpoint of that path into both; nullopt: there is none. The state is
// taken out of what is returned. Collective. Throws StageError(BadInput) as readCheckpoint, and for
// sections that do not fit the case or the geometry.
std::optional<file::Checkpoint> restoreNewest(const std::filesystem::path& path,
                                              Simulation& simulation, CycleMeans& means);

// Walls with columns of the monitor in a run resumed from a checkpoint: all of them, or none, if a
// version without forces wrote it.
std::size_t monitoredWalls(const file::Checkpoint& checkpoint, std::size_t walls);

// Length of Checkpoint::forces, where it has any: force and torque of walls and of openings.
std::size_t forceValuesOf(const tiler::TiledGeometry& geometry);

// Checkpoint::outlets: states of outlets whose pressure follows from their flow rate.
std::vector<double> outletValues(const Simulation& simulation);
// Throws StageError(BadInput) for values that do not fit the case. path: for the message.
void restoreOutlets(const std::filesystem::path& path, const std::vector<double>& values,
                    Simulation& simulation);

// Progress of a run besides its state, for checkpoints.
struct RunProgress {
  std::vector<double> cycles;  // Cycles::state
  std::vector<file::KeptState> kept;
  file::MarchState march{};
};

// All functions are collective unless they are const.
class Checkpoints {
 public:
  // Reserves the memory of a checkpoint, so that a run that was begun can always be stopped. Throws
  // StageError(NoResource) when there is none. withKept: they will have states that the run may go
  // back to. resumed: the step that the run was restored at.
  Checkpoints(Simulation& simulation, const CycleMeans& means, const std::filesystem::path& path,
              const stage::Provenance& provenance, bool withKept,
              std::optional<std::uint64_t> resumed);

  // Due by [output] checkpoint_every: by time, if no other is being written, or by steps.
  bool due();
  // Begins to write one of the state as it is. A checkpoint that cannot be written is reported, and
  // the run goes on.
  void save(const MonitorTable& monitor, const RunProgress& progress);
  // Returns when it is written, or failure() says why it is not. Where a full disk has no room for
  // it, the previous one is given up.
  void saveAndWait(const MonitorTable& monitor, const RunProgress& progress);
  // Waits for the one that is being written.
  void wait() { writer_.wait(); }
  // Gives up the reserved memory, for other work at the end of a run.
  void releaseMemory() { memory_.release(); }

  // A checkpoint of this step exists.
  [[nodiscard]] bool kept(std::uint64_t step) const { return writer_.keptStep() == step; }
  // Step of the newest checkpoint.
  [[nodiscard]] std::optional<std::uint64_t> keptStep() const {
    return writer_.keptStep() ? writer_.keptStep() : before_;
  }
  // The same for messages, if its file is still there.
  [[nodiscard]] std::optional<std::uint64_t> stillKept() const {
    return writer_.fileExists() ? keptStep() : std::nullopt;
  }
  // The newest checkpoint is of another set-up, which the run had before it recovered.
  void follow(std::optional<std::uint64_t> before) { before_ = before; }
  // Why the last one could not be written; empty: it was.
  [[nodiscard]] std::string failure() const;
  // Which checkpoint --resume continues from, for messages.
  [[nodiscard]] std::string keptText() const;
  // Time that writing one takes, s.
  [[nodiscard]] double expectedSeconds() const { return writer_.expectedSeconds(); }
  // Longest time that the run waited for one, s.
  [[nodiscard]] double blockedSeconds() const { return blocked_; }

 private:
  using Clock = std::chrono::steady_clock;

  Simulation& simulation_;
  const CycleMeans& means_;
  ReservedMemory memory_;  // besides the copy of the state, which the backend keeps
  CheckpointWriter writer_;
  std::optional<std::uint64_t> before_;  // step by the set-up before
  Clock::time_point savedAt_ = Clock::now();
  double blocked_ = 0.0;
};

}  // namespace tessera::solver::run
