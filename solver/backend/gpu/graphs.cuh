// SPDX-License-Identifier: GPL-3.0-or-later
// Graphs of several passes, recorded once and launched by one call. A graph holds an even number of
// passes, so the state ends in the buffer it began in, and each of the two buffers has its own. On
// an H200 at 0.6 million nodes (dense, steps of 13 to 48 us) a step launched alone costs some 2 us
// more.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "solver/backend/gpu/runtime.hpp"

namespace tessera::solver::backend {

// Steps of a graph, largest first; remaining steps are launched pass by pass.
constexpr std::array<std::uint64_t, 2> graphSteps{32, 4};
constexpr std::uint64_t mostGraphSteps = graphSteps[0];

class StepGraphs {
 public:
  // Steps of the next graph of passes of `perPass` steps, or of one pass where none is as short.
  static std::uint64_t nextSteps(std::uint64_t left, std::uint64_t perPass) {
    for (const std::uint64_t steps : graphSteps)
      if (steps <= left && steps % (2 * perPass) == 0) return steps;
    return std::min(left, perPass);
  }
  // Launches make(steps) on the state at `state`, recorded when it is first called for.
  template <class Make>
  void launch(std::uint64_t steps, const void* state, StreamHandle stream, const Make& make) {
    auto found = std::find_if(recorded_.begin(), recorded_.end(), [&](const Recorded& one) {
      return one.steps == steps && one.state == state;
    });
    if (found == recorded_.end())
      found = recorded_.insert(found, {steps, state, DeviceGraph(stream, [&] { make(steps); })});
    found->graph.launch(stream);
  }

 private:
  struct Recorded {
    std::uint64_t steps;
    const void* state;
    DeviceGraph graph;
  };
  std::vector<Recorded> recorded_;
};

}  // namespace tessera::solver::backend
