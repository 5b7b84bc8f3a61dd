// SPDX-License-Identifier: GPL-3.0-or-later
// Graphs of several steps, recorded once and launched by one call. A graph holds an even number of
// steps, so the state ends in the buffer it began in, and each of the two buffers has its own. On
// an H200 at 0.6 million nodes (dense, steps of 13 to 48 us) a step launched alone costs some 2 us
// more.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "solver/backend/gpu/runtime.hpp"

namespace tessera {

// Steps of a graph, the most first; what is left over is stepped one by one.
constexpr std::array<std::uint64_t, 2> graphSteps{32, 4};
constexpr std::uint64_t mostGraphSteps = graphSteps[0];

class StepsTogether {
 public:
  // record: whether the same memory is read and written every second step; not so in one copy.
  explicit StepsTogether(bool record) : record_(record) {}
  StepsTogether(const StepsTogether&) = delete;
  StepsTogether& operator=(const StepsTogether&) = delete;

  // Where steps and what comes between them are launched. What is not recorded stays in the default
  // stream: one copy is stepped in streams of its own that go in turn with that.
  [[nodiscard]] StreamHandle stream() const { return record_ ? stream_.get() : defaultStream; }

  // Whether steps are recorded and repeated.
  [[nodiscard]] bool repeats() const { return record_; }

  // Launches steps 0 .. steps - 1 in pieces: begin(first, count), then launch(count), which puts so
  // many into the stream. state(): where the state is now. alone: the first step is not as those
  // after it.
  template <class State, class Begin, class Launch>
  void go(std::uint64_t steps, bool alone, const State& state, const Begin& begin,
          const Launch& launch) {
    for (std::uint64_t done = 0; done < steps;) {
      const std::uint64_t count = stepsOfPiece(steps - done, alone);
      begin(done, count);
      if (record_ && count > 1)
        repeat(count, state(), [&] { launch(count); });
      else
        launch(count);
      launched_ = true;
      alone = false;
      done += count;
    }
  }

 private:
  struct Recorded {
    std::uint64_t steps;
    const void* state;
    DeviceGraph graph;
  };

  [[nodiscard]] std::uint64_t stepsOfPiece(std::uint64_t left, bool alone) const {
    if (!record_) return std::min(left, mostGraphSteps);
    // Kernels must have been launched once before they are recorded.
    if (launched_ && !alone)
      for (const std::uint64_t steps : graphSteps)
        if (steps <= left) return steps;
    return 1;
  }
  template <class Record>
  void repeat(std::uint64_t steps, const void* state, const Record& record) {
    auto found = std::find_if(recorded_.begin(), recorded_.end(), [&](const Recorded& one) {
      return one.steps == steps && one.state == state;
    });
    if (found == recorded_.end())
      found = recorded_.insert(found, {steps, state, DeviceGraph(stream(), record)});
    found->graph.launch(stream());
  }

  bool record_;
  bool launched_ = false;
  DeviceStream stream_;
  std::vector<Recorded> recorded_;
};

}  // namespace tessera
