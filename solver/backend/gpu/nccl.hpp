// SPDX-License-Identifier: GPL-3.0-or-later
// NCCL where it is found when the program runs: it is looked for by name (libnccl.so.2), so that
// the same program starts where there is none.
#pragma once

#include <nccl.h>

#include <string>

namespace tessera::solver::backend {

// The functions of the library that are used here, as nccl.h declares them.
struct Nccl {
  decltype(&ncclGetVersion) getVersion = nullptr;
  decltype(&ncclGetErrorString) getErrorString = nullptr;
  decltype(&ncclGetUniqueId) getUniqueId = nullptr;
  decltype(&ncclCommInitRank) commInitRank = nullptr;
  decltype(&ncclCommGetAsyncError) commGetAsyncError = nullptr;
  decltype(&ncclCommAbort) commAbort = nullptr;
  decltype(&ncclCommDestroy) commDestroy = nullptr;
  decltype(&ncclGroupStart) groupStart = nullptr;
  decltype(&ncclGroupEnd) groupEnd = nullptr;
  decltype(&ncclSend) send = nullptr;
  decltype(&ncclRecv) receive = nullptr;
  decltype(&ncclAllReduce) allReduce = nullptr;
  std::string version{};
};

// Loaded once; null where there is none, one of another major version than nccl.h, or one older
// than 2.7, which cannot send and receive.
const Nccl* findNccl();

}  // namespace tessera::solver::backend
