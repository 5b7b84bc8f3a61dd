// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/backend/gpu/nccl.hpp"

#include <dlfcn.h>

#include <optional>

namespace tessera::solver::backend {

namespace {

template <class Function>
bool take(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

std::optional<Nccl> load() {
  void* library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return std::nullopt;
  Nccl n;
  const bool all = take(library, "ncclGetVersion", n.getVersion) &&
                   take(library, "ncclGetErrorString", n.getErrorString) &&
                   take(library, "ncclGetUniqueId", n.getUniqueId) &&
                   take(library, "ncclCommInitRank", n.commInitRank) &&
                   take(library, "ncclCommGetAsyncError", n.commGetAsyncError) &&
                   take(library, "ncclCommAbort", n.commAbort) &&
                   take(library, "ncclCommDestroy", n.commDestroy) &&
                   take(library, "ncclGroupStart", n.groupStart) &&
                   take(library, "ncclGroupEnd", n.groupEnd) && take(library, "ncclSend", n.send) &&
                   take(library, "ncclRecv", n.receive) &&
                   take(library, "ncclAllReduce", n.allReduce);
  int version = 0;
  if (!all || n.getVersion(&version) != ncclSuccess) return std::nullopt;
  // 21000 is 2.10.0 since 2.9, 2708 was 2.7.8 before.
  const int major = version < 10000 ? version / 1000 : version / 10000;
  const int minor = version < 10000 ? version / 100 % 10 : version / 100 % 100;
  // Another major version may have other arguments.
  if (major != NCCL_MAJOR) return std::nullopt;
  n.version =
      std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(version % 100);
  return n;
}

}  // namespace

const Nccl* findNccl() {
  static const std::optional<Nccl> library = load();
  return library ? &*library : nullptr;
}

}  // namespace tessera::solver::backend
