// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/simulation.hpp"

#include <algorithm>
#include <cmath>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/parallel_for.hpp"
#include "preprocess/lattice/lattice_file.hpp"
#include "solver/backend/sample.hpp"
#include "solver/initial_state.hpp"
#include "solver/ranks/gather_by_tile.hpp"
#include "solver/ranks/plan_halo.hpp"
#include "solver/state/moment_conversion.hpp"

namespace tessera {

Simulation::Simulation(const TilesFile& tiles, Setup setup)
    : tiles_(tiles),
      setup_(std::move(setup)),
      ranks_(*setup_.ranks),
      drive_(setup_.run, setup_.lattice, setup_.rampSteps),
      coupled_(anyCoupled(setup_.run)) {
  const LatticeInfo& info = setup_.variant->lattice;
  findOwnTiles();
  areas_ = linkAreas(setup_.order, tiles_.geometry, info);
  Domain domain = buildDomain(setup_.order, tiles_.geometry, setup_.run, setup_.lattice, info);
  domain.walls = setup_.walls;
  domain.stateCopies = setup_.copies;
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
  backend_->advance(steps, drive_.coefficients(step_, steps));
  step_ += steps;
}

double Simulation::referenceNow() const {
  if (!coupled_) return drive_.referencePressure(step_);
  return backend_->outlets().reference * setup_.lattice.scales.pressure() / 3.0;
}

MonitorSample Simulation::sample() {
  std::vector<LinkSample> samples;
  backend_->sampleLinks(drive_.coefficients(step_, 1), samples);
  return reduceSamples(step_, setup_.order.openingLinks, areas_, samplesOfAll(samples),
                       overRanks(ranks_, backend_->sampleNodes()), tiles_.geometry.openings.size(),
                       setup_.lattice.scales, referenceNow());
}

void Simulation::startFrom(const Fields& fields) {
  setPopulations(populationsOf(fields, tiles_.geometry, setup_.part, *setup_.variant,
                               setup_.lattice, drive_.referencePressure(step_)));
}

void Simulation::setState(std::span<const double> inFileOrder) {
  const std::size_t tile = std::size_t{setup_.variant->stateValues} * 64;
  const std::size_t held = setup_.order.held();
  const std::size_t all = (held + setup_.order.ghosts) * tile;
  // Not zeroed first: at many gigabytes that is what takes time.
  const auto bySlot = std::make_unique_for_overwrite<double[]>(all);
  parallelFor(tiles_.geometry.tiles(), [&](std::size_t t) {
    const std::uint32_t slot = setup_.order.slotOfTile[t];
    if (slot < held) std::copy_n(&inFileOrder[t * tile], tile, &bySlot[slot * tile]);
  });
  std::fill(&bySlot[held * tile], &bySlot[0] + all, 0.0);
  backend_->setState({bySlot.get(), all});
}

std::vector<double> Simulation::state() {
  const std::size_t values = setup_.variant->stateValues;
  const std::size_t tile = values * tileNodes;
  const std::vector<double> bySlot = backend_->state();
  std::vector<double> inFileOrder(ownTiles_.size() * tile);
  for (std::size_t k = 0; k < ownTiles_.size(); ++k) {
    const std::size_t t = ownTiles_[k];
    double* target = &inFileOrder[k * tile];
    std::copy_n(&bySlot[setup_.order.slotOfTile[t] * tile], tile, target);
    // Solid nodes are not stepped: where the state moves in memory they hold what was there before.
    for (std::size_t l = 0; l < tileNodes; ++l)
      if (tiles_.geometry.nodeType[t * tileNodes + l] == static_cast<std::uint8_t>(NodeType::Solid))
        for (std::size_t n = 0; n < values; ++n) target[n * tileNodes + l] = 0.0;
  }
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

std::vector<double> Simulation::capacitors() {
  std::vector<double> values;
  if (coupled_)
    for (const OutletState& state : backend_->outlets().states) values.push_back(state.capacitor);
  return values;
}

void Simulation::setCapacitors(const std::filesystem::path& path,
                               const std::vector<double>& values) {
  if (!coupled_ && values.empty()) return;
  std::vector<OutletState> states = backend_->outlets().states;
  if (values.size() != states.size())
    fail(ExitCode::BadInput, path.string() +
                                 ": section outlets does not fit the case; run without "
                                 "--resume");
  for (std::size_t k = 0; k < states.size(); ++k) states[k].capacitor = values[k];
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
  out.outlets = capacitors();
  const std::vector<double> memory = backend_->wallMemory();
  out.walls = gatherByTile(
      ranks_, setup_.part,
      memory.empty() ? std::vector<std::uint32_t>(ownTiles_.size(), 0) : wallLinksByTile(), memory);
  out.cycles = meansState();
  out.cycles.cycles = std::move(cycles);
  return out;
}

void Simulation::setWallMemory(const std::filesystem::path& path,
                               const std::vector<double>& memory) {
  const auto own = ownByTile(ranks_, setup_.part, wallLinksByTile(), memory);
  if (!own && !memory.empty())
    fail(ExitCode::BadInput,
         path.string() + ": section walls does not fit the geometry; run without --resume");
  backend_->setWallMemory(own.value_or(std::vector<double>{}));
}

std::optional<Checkpoint> Simulation::resumeFrom(const std::filesystem::path& path) {
  std::optional<Checkpoint> found = readCheckpoint(path, checkpointOfRun(), stateLayout(), ranks_);
  if (!found) return found;
  if (found->monitorRows.size() % monitorColumns(tiles_.geometry.openings.size()) != 0)
    fail(ExitCode::BadInput, path.string() +
                                 ": section monitor does not fit the geometry; run without "
                                 "--resume");
  backend_->restoreState(found->state);
  found->state = {};
  setCapacitors(path, found->outlets);
  setWallMemory(path, found->walls);
  step_ = found->step;
  if (!found->cycles.nodes.empty()) restoreMeans(path, found->cycles);
  return found;
}

}  // namespace tessera
