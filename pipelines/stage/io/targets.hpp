// SPDX-License-Identifier: GPL-3.0-or-later
// What a stage is asked to write, looked at before any work.
#pragma once

#include <filesystem>
#include <vector>

#include "pipelines/stage/cli/command_line.hpp"

namespace tessera::stage {

// Throws StageError(Usage) when -o or --report names an input, the case or the other of the two.
void refuseOverwriting(const CommonOptions& options);

// The same for files that a stage writes beside its output, and others that it reads or writes.
void refuseOverwriting(const std::vector<std::filesystem::path>& beside,
                       const std::vector<std::filesystem::path>& others);

// Throws StageError(OutputFailed) for the first file that cannot be made in its folder; empty names
// are passed over.
void requireWritable(const std::vector<std::filesystem::path>& targets);

// Both, for stages whose -o is a file; with --plan nothing has to be writable.
void checkTargets(const CommonOptions& options);

}  // namespace tessera::stage
