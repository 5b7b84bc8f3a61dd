// SPDX-License-Identifier: GPL-3.0-or-later
// On which hosts and devices ranks run.
#pragma once

#include <string>

#include "solver/comm/ranks.hpp"

namespace tessera::solver::backend {

// Chooses devices, one a rank: the ranks of a host take its devices in turn, or those that the
// batch system shows each of them. False where some rank sees none: all run on CPUs then. Says in
// the log who runs where, and how halos go between them. backend: as --backend; built: there is one
// for CUDA. Throws StageError(NoResource) when CUDA was asked for and a rank sees no device, and
// for fewer devices than ranks. Collective.
bool chooseDevices(const std::string& backend, bool built, comm::Ranks& ranks);

}  // namespace tessera::solver::backend
