// SPDX-License-Identifier: GPL-3.0-or-later
// Hosts and devices of ranks.
#pragma once

#include <string>

#include "solver/comm/ranks.hpp"

namespace tessera::solver::backend {

// Chooses one device per rank: the ranks of a host take its devices in turn, or those that the
// batch system assigns. False if some rank sees none: all run on CPUs. Logs hosts, devices and the
// transport of halos. backend: as --backend; built: CUDA is available. Throws
// StageError(NoResource) when CUDA was requested and a rank sees no device, and for fewer devices
// than ranks. Collective.
bool chooseDevices(const std::string& backend, bool built, comm::Ranks& ranks);

}  // namespace tessera::solver::backend
