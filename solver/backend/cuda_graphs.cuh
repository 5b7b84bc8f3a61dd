// SPDX-License-Identifier: GPL-3.0-or-later
// Several steps launched by one call: they are recorded once as a graph, which the device then goes
// through by itself. A graph holds an even number of steps, so the state ends in the buffer it
// began in, and one belongs to each of the two buffers. Measured on an H200 at 0.6 million nodes
// (dense, steps of 13 to 48 us): a step launched by itself costs some 2 us more.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "solver/backend/cuda_memory.cuh"

namespace tessera {

// Steps of a graph, the most first; what is left over is stepped one by one.
constexpr std::array<std::uint64_t, 2> graphSteps{32, 4};
constexpr std::uint64_t mostGraphSteps = graphSteps[0];

// A stream in order with the default one.
class CudaStream {
 public:
  CudaStream() { checkCuda(cudaStreamCreate(&stream_), "stream"); }
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;
  ~CudaStream() { cudaStreamDestroy(stream_); }
  [[nodiscard]] cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_{};
};

class StepsTogether {
 public:
  // record: whether the same memory is read and written every second step; not so in one copy.
  explicit StepsTogether(bool record) : record_(record) {}
  StepsTogether(const StepsTogether&) = delete;
  StepsTogether& operator=(const StepsTogether&) = delete;
  ~StepsTogether() {
    for (const Recorded& one : recorded_) cudaGraphExecDestroy(one.graph);
  }

  // Where steps and what comes between them are launched. What is not recorded stays in the default
  // stream: one copy is stepped in streams of its own that go in turn with that.
  [[nodiscard]] cudaStream_t stream() const { return record_ ? stream_.get() : nullptr; }

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
    cudaGraphExec_t graph;
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
      found = recorded_.insert(found, {steps, state, recordedGraph(record)});
    checkCuda(cudaGraphLaunch(found->graph, stream()), "launch of steps");
  }
  template <class Record>
  [[nodiscard]] cudaGraphExec_t recordedGraph(const Record& record) const {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t ready = nullptr;
    checkCuda(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeThreadLocal), "recording");
    record();
    checkCuda(cudaStreamEndCapture(stream(), &graph), "recording");
    const cudaError_t status = cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphDestroy(graph);
    checkCuda(status, "recording");
    return ready;
  }

  bool record_;
  bool launched_ = false;
  CudaStream stream_;
  std::vector<Recorded> recorded_;
};

}  // namespace tessera
