// SPDX-License-Identifier: GPL-3.0-or-later
// Timing of anything that steps: a Simulation, a TrialState, a Comparator.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "solver/bench/bench.hpp"
#include "solver/comm/ranks.hpp"

namespace tessera::solver::bench {

// s, of the slowest rank. All begin together.
template <class Steps, class Work>
double timeOf(Steps& steps, comm::Ranks& ranks, const Work& work) {
  steps.finish();
  comm::largestOf(ranks, 0.0);
  const auto start = std::chrono::steady_clock::now();
  work();
  steps.finish();
  return comm::largestOf(
      ranks, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

template <class Steps>
double timeSteps(Steps& steps, std::uint64_t count, comm::Ranks& ranks = comm::noOthers()) {
  return timeOf(steps, ranks, [&] { steps.advance(count); });
}

struct Measured {
  Spread mflups;
  Spread bandwidth;  // of a copy, bytes per second
  Spread fraction;   // of the bound: MFLUPS x bytes of a node / bandwidth
};

// nodes: that a step updates. The bound is measured right before each repeat: others on the machine
// take from both.
template <class Steps>
Measured measure(Steps& steps, std::uint64_t nodes, double bytesPerNode, const BenchEffort& effort,
                 comm::Ranks& ranks = comm::noOthers()) {
  timeSteps(steps, 2, ranks);
  const double one = timeSteps(steps, 4, ranks) / 4.0;
  const auto count = static_cast<std::uint64_t>(std::clamp(effort.seconds / one, 3.0, 1000.0));
  std::vector<double> mflups, bandwidth, fraction;
  for (int k = 0; k < effort.repeats; ++k) {
    bandwidth.push_back(steps.copyBandwidth() * ranks.size());
    mflups.push_back(static_cast<double>(nodes) * static_cast<double>(count) /
                     (1e6 * timeSteps(steps, count, ranks)));
    fraction.push_back(1e6 * mflups.back() * bytesPerNode / bandwidth.back());
  }
  return {spreadOf(std::move(mflups)), spreadOf(std::move(bandwidth)),
          spreadOf(std::move(fraction))};
}

}  // namespace tessera::solver::bench
