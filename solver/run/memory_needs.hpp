// SPDX-License-Identifier: GPL-3.0-or-later
// Memory that a run needs: state, checkpoints, fields; checked before the first step.
#pragma once

#include <cstdint>

#include "solver/run/setup.hpp"

namespace tessera::solver::run {

// Bytes on the device (CUDA) or in memory (CPU): copies of the state, neighbour table, masks,
// links.
std::uint64_t stateBytes(const Setup& setup);
// Bytes in memory of a checkpoint: the copy of the state that it is written from, and
// besideCopyBytes().
std::uint64_t checkpointBytes(const Setup& setup);
// What writing a checkpoint needs besides that copy: sums of means, memory of walls, with several
// ranks this rank's part of the file, and chunks on their way to the file.
std::uint64_t besideCopyBytes(const Setup& setup);
// Bytes in memory of the fields of the end or of intermediate output.
std::uint64_t resultBytes(const Setup& setup);
// Throws StageError(NoResource) when the states of all ranks on this host, or with checkpoints the
// sum of all these, exceed the free memory. Collective.
void checkMemory(const Setup& setup, bool checkpoints = true);

}  // namespace tessera::solver::run
