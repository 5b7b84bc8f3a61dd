// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/run/steady_march.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/system/parallel_for.hpp"
#include "pipelines/stage/text.hpp"
#include "solver/run/checkpoints.hpp"
#include "solver/run/divergence.hpp"
#include "solver/run/linear_moments.hpp"
#include "solver/run/memory_needs.hpp"
#include "solver/run/mode_extrapolation.hpp"
#include "solver/run/output.hpp"

namespace tessera::solver::run {

using boundary::ExactSum;
using tiler::tileNodes;

namespace {

constexpr std::uint64_t shortestInterval = 100;
constexpr std::uint64_t longerForDevice = 10;
constexpr std::uint64_t intervalsOfRun = 256;  // at least as many make the steps so far
constexpr std::uint64_t mostFailures = 5;
constexpr std::size_t fewestChanges =
    4;  // enough where they fall fast: their squares by this factor
constexpr double fastFall = 0.02;
constexpr double clearlyLess = 0.9;
constexpr std::size_t perTile = linearMoments * tileNodes;

std::size_t ownedPlace(std::span<const std::uint32_t> own, std::size_t tile) {
  return static_cast<std::size_t>(std::lower_bound(own.begin(), own.end(), tile) - own.begin());
}

// Inner product of two changes in a tile, each times its scale: momentum, and density as the energy
// of sound has it.
double product(const float* a, const float* b, double scale) {
  constexpr double soundSquared = 1.0 / 3.0;
  double density = 0.0;
  double momentum = 0.0;
  for (std::size_t l = 0; l < tileNodes; ++l) density += double(a[l]) * double(b[l]);
  for (std::size_t k = tileNodes; k < 4 * tileNodes; ++k) momentum += double(a[k]) * double(b[k]);
  return scale * (soundSquared * density + momentum);
}

// Power of two that makes the largest density or momentum a number between 1/2 and 1; 0 where there
// is none, or one that is not a number.
double scaleOf(std::span<const float> change, comm::Ranks& ranks) {
  float most = 0.0F;
  bool numbers = true;
  for (std::size_t tile = 0; tile < change.size(); tile += perTile)
    for (std::size_t k = 0; k < 4 * tileNodes; ++k) {
      most = std::max(most, std::abs(change[tile + k]));
      numbers = numbers && std::isfinite(change[tile + k]);
    }
  const double all = comm::largestOf(ranks, numbers ? double(most) : HUGE_VAL);
  return all > 0.0 && std::isfinite(all) ? std::ldexp(1.0, -std::ilogb(all) - 1) : 0.0;
}

void raiseTo(std::array<double, 3>& largest, const std::array<double, 3>& values) {
  for (std::size_t k = 0; k < 3; ++k) largest[k] = std::max(largest[k], values[k]);
}

}  // namespace

bool steadyCase(const Setup& setup) {
  return setup.run.converged.has_value() && setup.cycles.steps == 0;
}

std::string whyPlain(const Setup& setup) {
  const auto& openings = setup.run.openings;
  if (setup.run.accelerate == false) return "acceleration = \"none\"";
  if (!steadyCase(setup)) return "converged in [stop], without a period, asks for a steady state";
  if (std::any_of(openings.begin(), openings.end(), [](const boundary::Condition& opening) {
        return boundary::prescriptionOf(opening).series != nullptr;
      }))
    return "an opening changes in time";
  if (setup.fieldsEvery > 0) return "fields_every asks for the course in time";
  if (setup.run.initialField) return "[initial] asks for the course in time";
  if (setup.variant->axes.precision == model::PrecisionId::F16)
    return "half precision does not come to rest";
  if (setup.run.keepEvery == 0) return "on_divergence = \"stop\" keeps no state to go back to";
  if (setup.run.accelerate == true) return "";
  if (setup.backend == BackendKind::Cuda)
    return "on a GPU samples of the state take as long as the steps that they save";
  if (setup.variant->lattice.dimensions == 3 && !openings.empty())
    return "in vessels extrapolations do not save steps reliably";
  return "";
}

SteadyMarch::SteadyMarch(Simulation& simulation, file::MarchState from)
    : simulation_(simulation), state_(std::move(from)) {
  const Setup& setup = simulation.setup();
  if (setup.accelerated && !state_.givenUp) {
    const auto missing = missingResource(*setup.ranks, [&] { takeMemory(); });
    if (!missing) return;
    memory_.reset();
    stage::logWarning(fmt::format("{}; the march to the steady state is plain",
                                  stage::withoutStop(missing->what())));
  }
  state_.moments.reset();
  state_.changes.clear();
  state_.outletChanges.clear();
}

// That of the samples it begins with is used again.
void SteadyMarch::takeMemory() {
  const Setup& setup = simulation_.setup();
  checkMemoryToMarch(setup);
  stage::together(*setup.ranks, [&] {
    const std::size_t size = setup.tiles.tiles().size() * perTile;
    memory_ = std::make_unique<Memory>();
    memory_->moments = state_.moments ? std::const_pointer_cast<std::vector<double>>(state_.moments)
                                      : std::make_shared<std::vector<double>>(size);
    for (std::size_t k = 0; k < mostChanges; ++k)
      memory_->changes[k] =
          k < state_.changes.size()
              ? std::const_pointer_cast<stage::LargeArray<float>>(state_.changes[k])
              : std::make_shared<stage::LargeArray<float>>(size);
  });
}

std::uint64_t SteadyMarch::intervalAt(std::uint64_t step) const {
  std::uint64_t interval = shortestInterval;
  if (simulation_.setup().backend == BackendKind::Cuda) interval *= longerForDevice;
  while (intervalsOfRun * interval <= step) interval *= 2;
  return interval;
}

// The first is taken after the ramp, all at whole numbers of hundreds.
std::uint64_t SteadyMarch::next() const {
  const std::uint64_t ramp = simulation_.setup().rampSteps;
  return state_.next > 0 ? state_.next : (ramp / shortestInterval + 1) * shortestInterval;
}

bool SteadyMarch::due() const {
  const std::uint64_t step = simulation_.step();
  return on() && step >= next() && step % shortestInterval == 0;
}

std::uint64_t SteadyMarch::stepsToNext() const {
  const std::uint64_t step = simulation_.step();
  return next() > step ? next() - step : shortestInterval - step % shortestInterval;
}

bool SteadyMarch::follow(bool mayLeave) {
  if (!due()) return false;
  if (!state_.moments || simulation_.step() > next()) {
    begin();
    return false;
  }
  addChange();
  if (state_.changes.size() < fewestChanges || !mayLeave || simulation_.step() < state_.notBefore)
    return false;
  return leave();
}

// The first sample of a new sequence.
void SteadyMarch::begin() {
  const auto own = simulation_.setup().tiles.tiles();
  std::vector<double>& moments = *memory_->moments;
  simulation_.visitState([&](std::size_t tile, std::span<const double> values) {
    takeLinearMoments(*simulation_.setup().variant, values,
                      std::span(moments).subspan(ownedPlace(own, tile) * perTile, perTile));
  });
  state_.moments = memory_->moments;
  state_.changes.clear();
  state_.outletChanges.clear();
  state_.outlets = outletValues(simulation_);
  state_.interval = intervalAt(simulation_.step());
  state_.next = simulation_.step() + state_.interval;
}

// The oldest of too many is given up.
void SteadyMarch::addChange() {
  if (state_.changes.size() == mostChanges) {
    state_.changes.erase(state_.changes.begin());
    state_.outletChanges.erase(state_.outletChanges.begin());
  }
  const auto unused = std::find_if(memory_->changes.begin(), memory_->changes.end(),
                                   [](const auto& memory) { return memory.use_count() == 1; });
  const auto own = simulation_.setup().tiles.tiles();
  simulation_.visitState([&](std::size_t tile, std::span<const double> values) {
    std::array<double, perTile> now;
    takeLinearMoments(*simulation_.setup().variant, values, now);
    const std::size_t first = ownedPlace(own, tile) * perTile;
    for (std::size_t k = 0; k < perTile; ++k) {
      (**unused)[first + k] = static_cast<float>(now[k] - (*memory_->moments)[first + k]);
      (*memory_->moments)[first + k] = now[k];
    }
  });
  state_.changes.emplace_back(*unused);
  std::vector<double> outlets = outletValues(simulation_);
  std::vector<double>& change = state_.outletChanges.emplace_back(outlets);
  for (std::size_t k = 0; k < change.size(); ++k) change[k] -= state_.outlets[k];
  state_.outlets = std::move(outlets);
  state_.next = simulation_.step() + state_.interval;
}

// Inner products of the changes, a sum of integers over tiles and ranks that does not depend on
// their order; empty where a change is zero or not a number.
std::vector<double> SteadyMarch::gramMatrix() const {
  constexpr std::size_t tilesAtATime = 256;
  const std::size_t n = state_.changes.size();
  comm::Ranks& ranks = *simulation_.setup().ranks;
  std::vector<double> scale(n);
  for (std::size_t k = 0; k < n; ++k) scale[k] = scaleOf(*state_.changes[k], ranks);
  if (std::ranges::count(scale, 0.0) > 0) return {};
  std::vector<ExactSum> sums(n * n);
  std::mutex guard;
  const std::size_t tiles = simulation_.setup().tiles.tiles().size();
  stage::parallelFor((tiles + tilesAtATime - 1) / tilesAtATime, [&](std::size_t chunk) {
    std::vector<ExactSum> part(n * n);
    for (std::size_t t = chunk * tilesAtATime; t < std::min(tiles, (chunk + 1) * tilesAtATime); ++t)
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j)
          part[i * n + j].add(product(&(*state_.changes[i])[t * perTile],
                                      &(*state_.changes[j])[t * perTile], scale[i] * scale[j]));
    const std::lock_guard lock(guard);
    for (std::size_t k = 0; k < n * n; ++k) sums[k].add(part[k]);
  });
  ranks.sum({&sums[0].part[0], 3 * n * n});
  std::vector<double> gram(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      gram[i * n + j] = gram[j * n + i] = sums[i * n + j].value() / scale[i] / scale[j];
  return gram;
}

// Extrapolates unless the changes still say too little, or the last ones did not help.
bool SteadyMarch::leave() {
  const std::vector<double> gram = gramMatrix();
  if (gram.empty()) return false;
  if (state_.changes.size() < mostChanges && gram.back() > fastFall * gram.front()) return false;
  const double change = std::sqrt(gram.back());
  const bool helped = state_.least == 0.0 || change < clearlyLess * state_.least;
  if (helped) {
    state_.least = change;
    state_.failures = 0;
  } else {
    pause();
    if (state_.givenUp) return false;
  }
  std::optional<std::vector<double>> weights = extrapolationWeights(gram);
  if (!weights) return false;
  // Other hosts may have other mathematical functions.
  simulation_.setup().ranks->broadcast(std::as_writable_bytes(std::span(*weights)));
  return extrapolate(*weights);
}

// Twice as long as the time before.
void SteadyMarch::pause() {
  ++state_.failures;
  state_.notBefore = simulation_.step() + ((mostChanges + 1) * state_.interval << state_.failures);
  if (state_.failures < mostFailures) return;
  state_.givenUp = true;
  state_.moments.reset();
  state_.changes.clear();
  state_.outletChanges.clear();
  stage::logInfo(
      "march        plain from here on: extrapolations no longer make the change of the flow less");
}

// A state that is likely to diverge is taken back.
bool SteadyMarch::extrapolate(const std::vector<double>& weights) {
  if (mayDiverge(addToState(weights, 1.0))) {
    addToState(weights, -1.0);
    pause();
    return false;
  }
  addToOutlets(weights);
  state_.jumps.push_back(simulation_.step());
  stage::logDetail(fmt::format("the state of step {} was extrapolated", simulation_.step()));
  begin();
  return true;
}

// Adds sign times the weighted changes but the first; returns the extremes, without the energy.
backend::GlobalSample SteadyMarch::addToState(const std::vector<double>& weights, double sign) {
  const Setup& setup = simulation_.setup();
  const auto own = setup.tiles.tiles();
  // Speed squared, negative of the density, density: the largest in each tile.
  std::vector<std::array<double, 3>> extremes(own.size(), {0.0, -1.0, 1.0});
  simulation_.changeState([&](std::size_t tile, std::span<double> values) {
    const std::size_t place = ownedPlace(own, tile);
    std::array<double, perTile> sum{};
    for (std::size_t c = 0; c < weights.size(); ++c)
      for (std::size_t k = 0; k < perTile; ++k)
        sum[k] += sign * weights[c] * double((*state_.changes[c + 1])[place * perTile + k]);
    addLinearMoments(*setup.variant, sum, values);
    for (std::size_t l = 0; l < tileNodes; ++l) {
      const auto at = [&](std::size_t e) {
        return (*memory_->moments)[place * perTile + e * tileNodes + l] + sum[e * tileNodes + l];
      };
      raiseTo(extremes[place],
              {at(1) * at(1) + at(2) * at(2) + at(3) * at(3), -1.0 - at(0), 1.0 + at(0)});
    }
  });
  std::array<double, 3> all{0.0, -1.0, 1.0};
  for (const std::array<double, 3>& each : extremes) raiseTo(all, each);
  setup.ranks->max(all);
  return {std::sqrt(all[0]), -all[1], all[2], 0.0};
}

void SteadyMarch::addToOutlets(const std::vector<double>& weights) {
  std::vector<double> outlets = state_.outlets;
  if (outlets.empty()) return;
  for (std::size_t c = 0; c < weights.size(); ++c)
    for (std::size_t k = 0; k < outlets.size(); ++k)
      outlets[k] += weights[c] * state_.outletChanges[c + 1][k];
  restoreOutlets("the extrapolated state", outlets, simulation_);
}

}  // namespace tessera::solver::run
