// SPDX-License-Identifier: GPL-3.0-or-later
// Checks of output files before any work.
#pragma once

#include <filesystem>
#include <vector>

#include "pipelines/stage/cli/command_line.hpp"

namespace tessera::stage {

// Throws StageError(Usage) if -o or --report names an input, the case, or each other.
void refuseOverwriting(const CommonOptions& options);

// The same for files that a stage writes next to its output (`beside`).
void refuseOverwriting(const std::vector<std::filesystem::path>& beside,
                       const std::vector<std::filesystem::path>& others);

// Throws StageError(OutputFailed) if a file that a stage writes next to its output, unasked, exists
// and is a link, folder, fifo or device.
void requireRegular(const std::vector<std::filesystem::path>& beside);

// Throws StageError(OutputFailed) for the first file that cannot be created; empty names are
// skipped.
void requireWritable(const std::vector<std::filesystem::path>& targets);

// Both checks, for stages whose -o is a file; --plan needs nothing writable.
void checkTargets(const CommonOptions& options);

}  // namespace tessera::stage
