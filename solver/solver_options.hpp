// SPDX-License-Identifier: GPL-3.0-or-later
// The command line of tessera-solver: what it may say, and which of it goes together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "pipelines/stage/command_line.hpp"

namespace tessera {

struct SolverOptions {
  CommonOptions common;
  std::string backend = "auto";
  std::optional<std::string> precision;
  std::optional<std::int64_t> steps;
  bool resume = false;
  std::optional<std::string> initial;
  std::optional<std::string> maxWalltime;
  std::string state;
  std::string copies = "auto";
  std::string bench;
  std::optional<std::int64_t> certify;
  std::optional<std::int64_t> ranks;
};

// Nothing after --help and what else only prints. Throws StageError(Usage).
std::optional<SolverOptions> parseSolverOptions(int argc, const char* const* argv);

// Throws StageError(Usage) for options that do not go together, or lack another.
void checkCombination(const SolverOptions& options);

// s, of --max-walltime, which is there. Throws StageError(Usage).
double maxWalltime(const SolverOptions& options);

}  // namespace tessera
