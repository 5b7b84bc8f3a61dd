// SPDX-License-Identifier: GPL-3.0-or-later
// The one way into libtessera_mpi.so, the only thing that needs an MPI library. The name says by
// which declarations both sides were compiled (solver/CMakeLists.txt), so that a module beside a
// program of another build is not called.
#pragma once

#include <string>

#include "solver/comm/ranks.hpp"

#define TESSERA_TEXT_OF(name) #name
#define TESSERA_TEXT(name) TESSERA_TEXT_OF(name)
#define TESSERA_MPI_RANKS_NAME TESSERA_TEXT(TESSERA_MPI_RANKS)

namespace tessera::solver::comm {

// seconds: how long a rank waits for one that does not answer. Null and a sentence when MPI does
// not start; throws nothing.
using MpiRanksFunction = Ranks*(double seconds, std::string& error);

}  // namespace tessera::solver::comm
