// SPDX-License-Identifier: GPL-3.0-or-later
// Result of a run: its numbers, and the fields of a state for files of the end or of intermediate
// output.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pipelines/stage/error.hpp"
#include "solver/file/fields_file.hpp"
#include "solver/run/monitor.hpp"
#include "solver/run/simulation.hpp"

namespace tessera::solver::run {

struct RunResult {
  std::uint64_t step = 0;       // of the fields
  double seconds = 0.0;         // of stepping, samples included
  std::uint64_t stepsMade = 0;  // by this program, those that a recovery gave up included
  double mflups = 0.0;
  double bandwidthFraction = 0.0;  // of the copy bandwidth measured in this run
  double watchFraction = 0.0;      // of the time, for samples
  bool converged = false;
  double change = 1.0;                  // of the monitored quantities at the last sample, relative
  std::optional<double> errorEstimate;  // how far they are from their limit, SteadyRule
  std::uint64_t cycles = 0;             // completed, of a pulsatile run
  double cycleChange = 1.0;             // between the last two, relative
  double cycleDistance = 1.0;           // Cycles::distance()
  bool stopped = false;                 // asked to stop: a checkpoint was written, no fields
  std::string stoppedBy;                // by what: StopRequests::reason
  double checkpointBlocked = 0.0;       // s; longest that the run waited for a checkpoint
  std::vector<std::uint64_t> jumps;     // steps at which the state was extrapolated, SteadyMarch
  bool marchGivenUp = false;            // which no longer helped
  MonitorSample last;
  MonitorTable monitor;
};

// Moments of every non-solid node of this rank's tiles, in the order of the .tiles file, and the
// meta data of the run. Collective. Throws StageError(RunFailed), on all ranks, for values that are
// not numbers.
file::Fields fieldsOf(Simulation& simulation, const RunResult& result);
// To one file, by all ranks together. Throws as writeFieldsFile, on all ranks.
void writeFields(const std::filesystem::path& path, const file::Fields& fields, const Setup& setup);

// Sets the share of the copy bandwidth, unless there is no memory to measure it in. Collective.
void measureBandwidth(Simulation& simulation, RunResult& result);

// The resource, space in a file or memory, that body ran out of; nullopt: none, it came to its end.
// Other errors pass.
std::optional<stage::StageError> missingResource(comm::Ranks& ranks,
                                                 const std::function<void()>& body);

}  // namespace tessera::solver::run
