// SPDX-License-Identifier: GPL-3.0-or-later
// Entry point of libtessera_mpi.so. Its name contains a hash of the declarations that both sides
// share (solver/CMakeLists.txt), so that a module of another build is not called.
#pragma once

#include <string>

#include "solver/comm/ranks.hpp"

#define TESSERA_TEXT_OF(name) #name
#define TESSERA_TEXT(name) TESSERA_TEXT_OF(name)
#define TESSERA_MPI_RANKS_NAME TESSERA_TEXT(TESSERA_MPI_RANKS)

namespace tessera::solver::comm {

// seconds: limit of the watchdog. Returns null and a message when MPI does not start; throws
// nothing.
using MpiRanksFunction = Ranks*(double seconds, std::string& error);

}  // namespace tessera::solver::comm
