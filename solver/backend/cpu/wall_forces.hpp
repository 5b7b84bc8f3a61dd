// SPDX-License-Identifier: GPL-3.0-or-later
// Forces on walls by momentum exchange on the CPU; see solver/boundary/wall_force.hpp.
#pragma once

#include <span>
#include <vector>

#include "solver/backend/cpu/parallel.hpp"
#include "solver/boundary/wall_force.hpp"

namespace tessera::solver::backend {

class CpuWallForces {
 public:
  // plan must outlive this.
  explicit CpuWallForces(const boundary::WallForces& plan)
      : plan_(plan), chunks_(plan.chunks.size()), kept_(plan.chunks.size()) {}

  // Whether walls must have reflected the populations of the step; the same on all ranks.
  [[nodiscard]] bool needReflected() const { return plan_.reflected; }

  // Sums the forces of a step, and those kept. keep: keeps them instead, for the next sum.
  template <class Exchanged>
  void sum(const Exchanged& exchanged, double ramp, bool keep) {
    const boundary::WallForceView view = viewOf(plan_);
    parallelIndices(chunks_.size(), 1, [&](std::size_t c) {
      boundary::WallForceSum mine{};
      const boundary::WallForceChunk& chunk = view.chunks[c];
      for (std::uint32_t k = 0; k < chunk.count; ++k)
        boundary::addToWallForce(view, chunk, k, exchanged, ramp, mine);
      if (keep) {
        kept_[c] = mine;
      } else {
        chunks_[c] = mine;
        if (hasKept_) chunks_[c].add(kept_[c]);
      }
    });
    if (!keep) steps_ = hasKept_ ? 2 : 1;
    hasKept_ = keep;
  }
  void forget() { hasKept_ = false; }
  // Steps that the last sum is of.
  [[nodiscard]] int steps() const { return steps_; }
  // By label, of this rank.
  [[nodiscard]] std::vector<boundary::WallForceSum> sums() const {
    return boundary::sumsByLabel(plan_.chunks, chunks_, plan_.labels());
  }

 private:
  const boundary::WallForces& plan_;
  std::vector<boundary::WallForceSum> chunks_;
  std::vector<boundary::WallForceSum> kept_;  // of the step before
  bool hasKept_ = false;
  int steps_ = 1;
};

}  // namespace tessera::solver::backend
