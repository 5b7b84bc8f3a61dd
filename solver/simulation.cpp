// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/simulation.hpp"

#include <algorithm>
#include <cmath>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/parallel_for.hpp"
#include "preprocess/lattice/lattice_file.hpp"
#include "solver/initial_state.hpp"
#include "solver/state/moment_conversion.hpp"

namespace tessera {

Simulation::Simulation(const TilesFile& tiles, Setup setup)
    : tiles_(tiles),
      setup_(std::move(setup)),
      drive_(setup_.run, setup_.lattice, setup_.rampSteps),
      coupled_(anyCoupled(setup_.run)) {
  const LatticeInfo& info = setup_.variant->lattice;
  areas_ = linkAreas(setup_.order, tiles_.geometry, info);
  Domain domain = buildDomain(setup_.order, tiles_.geometry, setup_.run, setup_.lattice, info);
  domain.walls = setup_.walls;
  domain.stateCopies = setup_.copies;
  links_ = domain.links;
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

double Simulation::referenceOf(std::uint64_t step, double coupled) const {
  if (!coupled_) return drive_.referencePressure(step);
  return coupled * setup_.lattice.scales.pressure() / 3.0;
}

double Simulation::referenceNow() const {
  return referenceOf(step_, coupled_ ? backend_->outlets().reference : 0.0);
}

void Simulation::beginSample() {
  backend_->beginLook(drive_.coefficients(step_, 1));
  sampledStep_ = step_;
}

MonitorSample Simulation::endSample() {
  const Look look = backend_->endLook();
  sampleSeconds_ = look.seconds;
  return reduceSamples(sampledStep_, links_, areas_, look.links, look.nodes,
                       tiles_.geometry.openings.size(), setup_.lattice.scales,
                       referenceOf(sampledStep_, look.reference));
}

MonitorSample Simulation::sample() {
  beginSample();
  return endSample();
}

void Simulation::startFrom(const Fields& fields) {
  setPopulations(populationsOf(fields, tiles_.geometry, *setup_.variant, setup_.lattice,
                               drive_.referencePressure(step_)));
}

void Simulation::setState(std::span<const double> inFileOrder) {
  const std::size_t tile = std::size_t{setup_.variant->stateValues} * 64;
  const std::size_t tiles = setup_.order.tiles;
  const std::size_t all = (tiles + setup_.order.ghosts) * tile;
  // Not zeroed first: at many gigabytes that is what takes time.
  const auto bySlot = std::make_unique_for_overwrite<double[]>(all);
  parallelFor(tiles, [&](std::size_t t) {
    std::copy_n(&inFileOrder[t * tile], tile, &bySlot[setup_.order.slotOfTile[t] * tile]);
  });
  std::fill(&bySlot[tiles * tile], &bySlot[0] + all, 0.0);
  backend_->setState({bySlot.get(), all});
}

std::vector<double> Simulation::state() {
  const std::size_t values = setup_.variant->stateValues;
  const std::size_t tile = values * tileNodes;
  const std::vector<double> bySlot = backend_->state();
  std::vector<double> inFileOrder(setup_.order.tiles * tile);
  for (std::size_t t = 0; t < setup_.order.tiles; ++t) {
    double* target = &inFileOrder[t * tile];
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

TileLayout Simulation::stateLayout() const {
  return {setup_.order.slotOfTile, tiles_.geometry.nodeType, setup_.variant->stateValues,
          setup_.variant->storageBytes};
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
  out.walls = backend_->wallMemory();
  out.cycles = meansState();
  out.cycles.cycles = std::move(cycles);
  return out;
}

std::optional<Checkpoint> Simulation::resumeFrom(const std::filesystem::path& path) {
  std::optional<Checkpoint> found = readCheckpoint(path, checkpointOfRun(), stateLayout());
  if (!found) return found;
  if (found->monitorRows.size() % monitorColumns(tiles_.geometry.openings.size()) != 0)
    fail(ExitCode::BadInput, path.string() +
                                 ": section monitor does not fit the geometry; run without "
                                 "--resume");
  backend_->restoreState(found->state);
  found->state = {};
  setCapacitors(path, found->outlets);
  if (!found->walls.empty() && found->walls.size() != setup_.walls.links.size())
    fail(ExitCode::BadInput,
         path.string() + ": section walls does not fit the geometry; run without --resume");
  backend_->setWallMemory(found->walls);
  step_ = found->step;
  if (!found->cycles.nodes.empty()) restoreMeans(path, found->cycles);
  return found;
}

}  // namespace tessera
