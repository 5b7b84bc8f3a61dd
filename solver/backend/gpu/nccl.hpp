// SPDX-License-Identifier: GPL-3.0-or-later
// NCCL, loaded by name (libnccl.so.2) at run time, so that the program starts without it.
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

// Loaded once; null if absent, of another major version than nccl.h, or older than 2.7, which lacks
// send and receive.
const Nccl* findNccl();

}  // namespace tessera::solver::backend
