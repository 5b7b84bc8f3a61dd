// SPDX-License-Identifier: GPL-3.0-or-later
// Two ranks of which the last does what it should not, for test_launch: "rank_waits asked" has it
// watch something that takes its time to say how it is, "rank_waits end" has it never end.
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

// Rank 0 waits for longer than the limit of 2 s, while the last one works and is asked.
void askSlowly(Ranks& ranks) {
  const std::chrono::seconds longer(7);
  if (!ranks.isRoot()) {
    ranks.watch([&] {
      std::this_thread::sleep_for(longer);
      return OtherWait{};
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
