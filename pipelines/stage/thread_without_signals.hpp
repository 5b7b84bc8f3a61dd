// SPDX-License-Identifier: GPL-3.0-or-later
// Threads beside the one that works, which signals are for: one that landed elsewhere could
// interrupt a write.
#pragma once

#include <csignal>
#include <thread>

namespace tessera {

// Throws std::system_error where there is no thread to be had.
template <class Body>
std::thread threadWithoutSignals(const Body& body) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(body);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace tessera
