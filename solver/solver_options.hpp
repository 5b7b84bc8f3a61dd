// SPDX-License-Identifier: GPL-3.0-or-later
// Command line of tessera-solver: options and their valid combinations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "pipelines/stage/cli/command_line.hpp"

namespace tessera::solver {

struct SolverOptions {
  stage::CommonOptions common;
  std::string backend = "auto";
  std::optional<std::string> precision;
  std::optional<std::int64_t> steps;
  bool resume = false;
  std::optional<std::string> initial;
  std::optional<std::string> maxWalltime;
  std::string state;
  std::string copies = "auto";
  std::string scheme = "auto";
  bool check = false;
  std::string bench;
  std::optional<std::int64_t> certify;
  std::optional<std::int64_t> ranks;
  bool structures = false;
};

// nullopt after --help and other options that only print. state and copies are as scheme says.
// Throws StageError(Usage).
std::optional<SolverOptions> parseSolverOptions(int argc, const char* const* argv);

// Throws StageError(Usage) for options that exclude or lack one another.
void checkCombination(const SolverOptions& options);

// Time given by --max-walltime, s. Throws StageError(Usage).
double maxWalltime(const SolverOptions& options);

}  // namespace tessera::solver
