// SPDX-License-Identifier: GPL-3.0-or-later
// The CPU as a target of the driver: passes in a loop, phases in turn, each parallel with TBB.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/backend/cpu/sampling.hpp"
#include "solver/backend/driver.hpp"
#include "solver/comm/ranks.hpp"

namespace tessera::solver::backend {

class Cpu {
 public:
  struct Queue {};
  using Sampling = CpuSampling;
  struct Guard {
    explicit Guard(const Cpu&) {}
  };

  explicit Cpu(const domain::Domain& domain) : ranks_(*domain.ranks) {}
  // Partner of a scheme in the halo exchange.
  [[nodiscard]] comm::Ranks& exchange() const { return ranks_; }
  [[nodiscard]] Queue main() const { return {}; }

  template <class Scheme, class Steps>
  void repeat(std::uint64_t steps, Scheme& scheme, const Steps& make) {
    scheme.selectValues(0, steps, main());
    make(steps);
  }
  // Phases run one after the other.
  void beginSequence() {}
  void beginPass(bool) {}
  Queue beginBoundaries() { return {}; }
  void endBoundaries() {}
  Queue begin(const PassPart&) { return {}; }
  void end(const PassPart&) {}
  Queue beginBorder() { return {}; }
  void endBorder() {}
  void endTiles() {}
  void endSequence() {}
  void endSteps() {}
  void finish() {}

 private:
  comm::Ranks& ranks_;
};

}  // namespace tessera::solver::backend
