// SPDX-License-Identifier: GPL-3.0-or-later
// Threads beside the one that works, which signals are for: one that landed elsewhere could
// interrupt a write.
#pragma once

#include <csignal>
#include <thread>

namespace tessera::stage {

// Throws std::system_error where there is no thread to be had; signals then come as before.
template <class Body>
std::thread threadWithoutSignals(const Body& body) {
  struct Blocked {
    Blocked() {
      sigset_t all;
      sigfillset(&all);
      pthread_sigmask(SIG_SETMASK, &all, &before);
    }
    ~Blocked() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
    sigset_t before;
  };
  const Blocked blocked;
  return std::thread(body);
}

}  // namespace tessera::stage
