// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/simulation.hpp"

#include <algorithm>
#include <cmath>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/parallel_for.hpp"
#include "preprocess/lattice/lattice_file.hpp"
#include "solver/backend/sample.hpp"
#include "solver/initial_state.hpp"
#include "solver/ranks/plan_halo.hpp"
#include "solver/state/moment_conversion.hpp"

namespace tessera {

Simulation::Simulation(const TilesFile& tiles, Setup setup)
    : tiles_(tiles),
      setup_(std::move(setup)),
      ranks_(*setup_.ranks),
      drive_(setup_.run.openings, setup_.lattice.scales, setup_.rampSteps),
      coupled_(anyCoupled(setup_.run.openings)) {
  const LatticeInfo& info = setup_.variant->lattice;
  findOwnTiles();
  areas_ = linkAreas(setup_.order, tiles_.geometry, info);
  Domain domain = buildDomain(setup_.order, tiles_.geometry, setup_.run, setup_.lattice, info);
  domain.walls = setup_.walls;
  domain.window = setup_.window;
  domain.ranks = &ranks_;
  if (!ranks_.alone())
    domain.halo = planHalo(ranks_, setup_.part, setup_.order, setup_.variant->stateValues,
                           readInStep(setup_.order, tiles_.geometry, *setup_.variant, domain));
  const Relaxation relaxation{setup_.lattice.tau, setup_.lattice.magic, setup_.lattice.force,
                              setup_.lattice.law};
  const auto make =
      setup_.backend == BackendKind::Cuda ? setup_.variant->makeCuda : setup_.variant->makeCpu;
  backend_ = make(std::move(domain), relaxation);
}

void Simulation::advance(std::uint64_t steps) {
  backend_->advance(steps, drive_.amplitudes(step_, steps));
  step_ += steps;
}

double Simulation::referenceOf(std::uint64_t step, double coupled) const {
  if (!coupled_) return drive_.referencePressure(step);
  return coupled * setup_.lattice.scales.pressure() / 3.0;
}

double Simulation::referenceNow() const {
  return referenceOf(step_, coupled_ ? backend_->outlets().reference : 0.0);
}

void Simulation::beginSample() {
  backend_->beginSample(drive_.amplitudes(step_, 1));
  sampledStep_ = step_;
}

namespace {
GlobalSample overRanks(Ranks& ranks, const PartialSample& mine) {
  PartialSample all;
  for (const PartialSample& each : gatherValues<PartialSample>(ranks, std::span(&mine, 1)))
    addSample(each, all);
  return reduced(all);
}
}  // namespace

MonitorSample Simulation::endSample() {
  const StateSample look = backend_->endSample();
  sampleSeconds_ = look.seconds;
  return reduceSamples(sampledStep_, setup_.order.openingLinks, areas_, samplesOfAll(look.links),
                       overRanks(ranks_, look.nodes), tiles_.geometry.openings.size(),
                       setup_.lattice.scales, referenceOf(sampledStep_, look.reference));
}

MonitorSample Simulation::sample() {
  beginSample();
  return endSample();
}

void Simulation::startFrom(const Fields& fields) {
  setPopulations(populationsOf(fields, tiles_.geometry, setup_.part, *setup_.variant,
                               setup_.lattice, drive_.referencePressure(step_)));
}

std::vector<std::uint32_t> Simulation::tileOfSlot() const {
  std::vector<std::uint32_t> tiles(setup_.order.tiles);
  for (const std::uint32_t t : ownTiles_) tiles[setup_.order.slotOfTile[t]] = t;
  return tiles;
}

namespace {
// Of which a part of a state is all doubles at a time: 40 MB of D3Q19.
constexpr std::uint32_t slotsAtATime = 4096;
}  // namespace

void Simulation::setState(const std::function<void(std::size_t, std::span<double>)>& fill) {
  const std::size_t values = std::size_t{setup_.variant->stateValues} * tileNodes;
  const std::vector<std::uint32_t> tiles = tileOfSlot();
  std::vector<double> part;
  for (std::uint32_t first = 0; first < setup_.order.tiles; first += slotsAtATime) {
    const std::size_t count = std::min(slotsAtATime, setup_.order.tiles - first);
    part.resize(count * values);
    parallelFor(count, [&](std::size_t k) { fill(tiles[first + k], {&part[k * values], values}); });
    backend_->setState(part, first);
  }
  backend_->exchangeHalo();
}

void Simulation::setState(std::span<const double> inFileOrder) {
  setState([&](std::size_t tile, std::span<double> values) {
    std::copy_n(&inFileOrder[tile * values.size()], values.size(), values.data());
  });
}

void Simulation::visitState(
    const std::function<void(std::size_t, std::span<const double>)>& visit) {
  const std::size_t values = std::size_t{setup_.variant->stateValues} * tileNodes;
  const std::vector<std::uint32_t> tiles = tileOfSlot();
  for (std::uint32_t first = 0; first < setup_.order.tiles; first += slotsAtATime) {
    const std::uint32_t count = std::min(slotsAtATime, setup_.order.tiles - first);
    std::vector<double> part = backend_->state(first, count);
    parallelFor(count, [&](std::size_t k) {
      const std::size_t t = tiles[first + k];
      // Solid nodes are not stepped: where the state moves in memory they hold what was there
      // before.
      for (std::size_t l = 0; l < tileNodes; ++l)
        if (tiles_.geometry.nodeType[t * tileNodes + l] ==
            static_cast<std::uint8_t>(NodeType::Solid))
          for (std::size_t n = l; n < values; n += tileNodes) part[k * values + n] = 0.0;
      visit(t, {&part[k * values], values});
    });
  }
}

std::vector<double> Simulation::state() {
  const std::size_t values = std::size_t{setup_.variant->stateValues} * tileNodes;
  std::vector<double> inFileOrder(ownTiles_.size() * values);
  visitState([&](std::size_t tile, std::span<const double> of) {
    const auto own = std::lower_bound(ownTiles_.begin(), ownTiles_.end(), tile);
    std::copy(of.begin(), of.end(),
              &inFileOrder[static_cast<std::size_t>(own - ownTiles_.begin()) * values]);
  });
  return inFileOrder;
}

void Simulation::setPopulations(std::span<const double> inFileOrder) {
  if (setup_.variant->storesMoments())
    setState(momentsFromPopulations(inFileOrder));
  else
    setState(inFileOrder);
}

std::vector<double> Simulation::populations() {
  return setup_.variant->storesMoments() ? populationsFromMoments(state()) : state();
}

std::vector<double> Simulation::outletMemory() {
  std::vector<double> values;
  if (coupled_)
    for (const OutletState& state : backend_->outlets().states)
      values.insert(values.end(), {state.capacitor, state.mean});
  return values;
}

void Simulation::setOutletMemory(const std::filesystem::path& path,
                                 const std::vector<double>& values) {
  if (!coupled_ && values.empty()) return;
  std::vector<OutletState> states = backend_->outlets().states;
  if (values.size() != 2 * states.size())
    fail(ExitCode::BadInput,
         path.string() +
             ": section outlets does not fit the case, or is an older version's; run "
             "without --resume");
  for (std::size_t k = 0; k < states.size(); ++k) {
    states[k].capacitor = values[2 * k];
    states[k].mean = values[2 * k + 1];
  }
  backend_->setOutlets(states);
}

Checkpoint Simulation::checkpointOfRun() const {
  return {tiles_.contentHash, setup_.variant->name(), physicsHash(setup_), setup_.lattice.tau,
          setup_.lattice.scales.timeStep};
}

Checkpoint Simulation::checkpoint(const MonitorTable& monitor, std::vector<double> cycles) {
  Checkpoint out = checkpointOfRun();
  out.step = step_;
  out.monitorRows = monitor.rows;
  out.outlets = outletMemory();
  out.walls = backend_->wallMemory();
  out.cycles = meansState();
  out.cycles.cycles = std::move(cycles);
  return out;
}

void Simulation::setWallMemory(const std::filesystem::path& path,
                               const std::vector<double>& memory) {
  if (!memory.empty() && memory.size() != setup_.walls.links.size())
    fail(ExitCode::BadInput,
         path.string() + ": section walls does not fit the geometry; run without --resume");
  backend_->setWallMemory(memory);
}

std::optional<Checkpoint> Simulation::resumeFrom(const std::filesystem::path& path) {
  std::optional<Checkpoint> found = newestCheckpoint(path);
  if (!found) return found;
  if (found->monitorRows.size() % monitorColumns(tiles_.geometry.openings.size()) != 0)
    fail(ExitCode::BadInput, path.string() +
                                 ": section monitor does not fit the geometry; run without "
                                 "--resume");
  backend_->restoreState(found->state);
  backend_->exchangeHalo();
  found->state = {};
  setOutletMemory(path, found->outlets);
  setWallMemory(path, found->walls);
  step_ = found->step;
  if (!found->cycles.nodes.empty()) restoreMeans(path, found->cycles);
  return found;
}

}  // namespace tessera
