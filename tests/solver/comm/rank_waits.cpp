// SPDX-License-Identifier: GPL-3.0-or-later
// Two ranks for the watchdog's tests in test_launch. "rank_waits asked": the device query of the
// last rank takes longer than the limit. "rank_waits end": the last rank never ends.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <string_view>
#include <thread>

#include "solver/comm/ranks.hpp"

using namespace tessera;
using namespace tessera::solver::comm;
using namespace tessera::stage;

namespace {

// Rank 0 waits for longer than the limit of 4 s, while the last one works in a slow device query.
void askSlowly(Ranks& ranks) {
  const std::chrono::seconds longer(10);
  if (!ranks.isRoot()) {
    ranks.watch([&] {
      std::this_thread::sleep_for(longer);
      return PendingOperation{};
    });
    std::this_thread::sleep_for(longer);
  }
  if (sumOf(ranks, 1) != 2) std::puts("a wrong sum");
  ranks.watch(nullptr);
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return 2;
  const std::unique_ptr<Ranks> ranks = launchedRanks();
  const std::string_view what = words[1];
  const int code = runTogether(*ranks, "rank_waits", [&] {
    if (what == "asked") askSlowly(*ranks);
    return 0;
  });
  if (what == "end" && !ranks->isRoot()) ::kill(::getpid(), SIGSTOP);
  return code;
}
