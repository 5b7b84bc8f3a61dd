// SPDX-License-Identifier: GPL-3.0-or-later
// Pulsatile runs: which steps of a cycle are looked at, whether cycles repeat each other, and which
// one is recorded. Steps are counted as fields count them: step p is observed after p - 1 steps. A
// point k of n of cycle c lies at step c N + round(k N / n), k = 1 ... n.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solver/monitor.hpp"

namespace tessera {

struct CyclePlan {
  std::uint64_t steps = 0;    // of a cycle, N; 0: the run is not pulsatile
  std::uint64_t cycles = 0;   // at most
  std::uint64_t phases = 0;   // fields of the recorded cycle, and points compared between cycles
  std::uint64_t samples = 0;  // of the recorded cycle, for means over it
  double converged = 0.0;     // largest relative change from cycle to cycle
};

// k of the point at step p, 0 when there is none; n points a cycle of that many steps, n of them at
// most.
std::uint64_t pointAt(std::uint64_t p, std::uint64_t n, std::uint64_t steps);
// The first step after p with a point.
std::uint64_t nextPoint(std::uint64_t p, std::uint64_t n, std::uint64_t steps);

class Cycles {
 public:
  Cycles(const CyclePlan& plan, std::size_t openings);

  [[nodiscard]] bool recording() const { return recorded_ == cycle_; }
  // Takes the sample of the next phase.
  void addPhase(const MonitorSample& sample);
  // After the last phase of a cycle: compares it with the one before and decides whether the next
  // is the one to be recorded, the last.
  void close();
  [[nodiscard]] bool done() const { return recorded_ < cycle_; }
  // Whether the last two cycles were alike; 1 before there are two.
  [[nodiscard]] bool converged() const { return change_ < plan_.converged; }
  [[nodiscard]] double change() const { return change_; }
  [[nodiscard]] std::uint64_t completed() const { return cycle_; }

  // For checkpoints.
  [[nodiscard]] std::vector<double> state() const;
  // False when it is not that of a run with this plan.
  bool restore(std::span<const double> state);

 private:
  CyclePlan plan_;
  std::size_t width_;        // numbers a phase
  std::uint64_t cycle_ = 0;  // the one that goes on
  std::uint64_t recorded_;   // the one to be recorded, as far as known: at least the last
  double change_ = 1.0;
  std::vector<double> before_;  // phase after phase: flow rates, pressures
  std::vector<double> now_;
};

}  // namespace tessera
