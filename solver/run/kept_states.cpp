// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/run/kept_states.hpp"

#include <algorithm>
#include <cmath>

#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "solver/backend/cpu/wall_points.hpp"
#include "solver/run/initial_state.hpp"
#include "solver/run/memory_needs.hpp"
#include "solver/run/output.hpp"

namespace tessera::solver::run {

namespace {

constexpr std::uint64_t longerOnDevice = 10;
constexpr std::uint64_t calmShare = 4;  // of an interval: a quarter of it must be calm
constexpr std::size_t keptPerTile = backend::observedPerSlot;

std::size_t keptSize(const Setup& setup) {
  return setup.tiles.tiles().size() * keptPerTile;
}

// Place of an owned tile among them.
std::size_t placeOf(std::span<const std::uint32_t> own, std::size_t tile) {
  return static_cast<std::size_t>(std::lower_bound(own.begin(), own.end(), tile) - own.begin());
}

}  // namespace

KeptStates::KeptStates(Simulation& simulation, std::vector<file::KeptState> kept)
    : simulation_(simulation), kept_(std::move(kept)) {
  const Setup& setup = simulation.setup();
  if (setup.run.keepEvery > 0) {
    const auto missing = missingResource(*setup.ranks, [&] { takeMemory(); });
    if (!missing) return;
    memory_ = {};
    stage::logWarning(fmt::format(
        "{}; should the run diverge, it ends there, as with on_divergence = \"stop\" in [solver]",
        stage::withoutStop(missing->what())));
  }
  kept_.clear();
}

// That of the states it begins with is used again.
void KeptStates::takeMemory() {
  const Setup& setup = simulation_.setup();
  checkMemoryToKeep(setup, file::mostKept - kept_.size());
  stage::together(*setup.ranks, [&] {
    for (std::size_t k = 0; k < memory_.size(); ++k)
      memory_[k] = k < kept_.size()
                       ? std::const_pointer_cast<stage::LargeArray<float>>(kept_[k].nodes)
                       : std::make_shared<stage::LargeArray<float>>(keptSize(setup));
  });
}

// Eight of them make the steps so far, or more.
std::uint64_t KeptStates::intervalAt(std::uint64_t step) const {
  const Setup& setup = simulation_.setup();
  std::uint64_t interval =
      setup.run.keepEvery * (setup.backend == BackendKind::Cuda ? longerOnDevice : 1);
  while (8 * interval <= step) interval *= 2;
  return interval;
}

bool KeptStates::due(std::uint64_t step) const {
  return on() && step % intervalAt(step) == 0;
}

void KeptStates::keep(std::uint64_t rows, const std::vector<double>& outlets,
                      const std::vector<double>& cycles) {
  if (kept_.size() == file::mostKept) kept_.pop_back();
  const auto unused = std::find_if(memory_.begin(), memory_.end(),
                                   [](const auto& memory) { return memory.use_count() == 1; });
  const auto own = simulation_.setup().tiles.tiles();
  stage::LargeArray<float>& nodes = **unused;
  simulation_.observeTogether([&](std::size_t tile, const float* values) {
    std::copy_n(values, keptPerTile, &nodes[placeOf(own, tile) * keptPerTile]);
  });
  kept_.push_back(
      {simulation_.step(), simulation_.setup().refinement(), rows, outlets, cycles, *unused});
}

void KeptStates::follow(std::uint64_t step, bool calm) {
  if (kept_.size() < file::mostKept) return;
  if (!calm)
    kept_.pop_back();
  else if (step >= kept_.back().step + intervalAt(kept_.back().step) / calmShare)
    kept_.erase(kept_.begin());
}

const file::KeptState* KeptStates::last() const {
  return kept_.empty() ? nullptr : &kept_.front();
}

double fastestOf(const file::KeptState& kept, comm::Ranks& ranks) {
  double squared = 0.0;
  for (std::size_t n = 0; n < kept.nodes->size(); n += keptPerTile)
    for (std::size_t l = 0; l < tiler::tileNodes; ++l) {
      const auto at = [&](std::size_t e) {
        return static_cast<double>((*kept.nodes)[n + tiler::tileNodes * e + l]);
      };
      squared = std::max(squared, at(1) * at(1) + at(2) * at(2) + at(3) * at(3));
    }
  return std::sqrt(comm::largestOf(ranks, squared));
}

void startFrom(const file::KeptState& kept, double ratio, Simulation& simulation) {
  const Setup& setup = simulation.setup();
  const auto own = setup.tiles.tiles();
  simulation.setPopulations(populationsOf(
      [&](std::size_t tile) {
        return std::span<const float>(&(*kept.nodes)[placeOf(own, tile) * keptPerTile],
                                      keptPerTile);
      },
      ratio, simulation.tiles().geometry, setup.part, *setup.variant, setup.lattice));
}

}  // namespace tessera::solver::run
