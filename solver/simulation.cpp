// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "pipelines/stage/error.hpp"
#include "solver/initial_state.hpp"

namespace tessera {

Simulation::Simulation(const TilesFile& tiles, Setup setup)
    : tiles_(tiles), setup_(std::move(setup)) {
  const LatticeInfo& info = setup_.variant->lattice;
  areas_ = linkAreas(setup_.order, tiles_.geometry, info);
  Domain domain = buildDomain(setup_.order, tiles_.geometry, setup_.run, setup_.lattice, info);
  links_ = domain.links;
  const Relaxation relaxation{setup_.lattice.tau, setup_.lattice.magic, setup_.lattice.force};
  const auto make =
      setup_.backend == BackendKind::Cuda ? setup_.variant->makeCuda : setup_.variant->makeCpu;
  backend_ = make(std::move(domain), relaxation);
}

double Simulation::rampAt(std::uint64_t step) const {
  const double middle = static_cast<double>(step) + 0.5;
  const auto length = static_cast<double>(setup_.rampSteps);
  return middle >= length ? 1.0 : 0.5 - 0.5 * std::cos(std::numbers::pi * middle / length);
}

void Simulation::advance(std::uint64_t steps) {
  std::vector<double> ramp(steps);
  for (std::uint64_t k = 0; k < steps; ++k) ramp[k] = rampAt(step_ + k);
  backend_->advance(ramp);
  step_ += steps;
}

MonitorSample Simulation::sample() {
  std::vector<LinkSample> samples;
  backend_->sampleLinks(rampAt(step_), samples);
  return reduceSamples(step_, links_, areas_, samples, backend_->sampleNodes(),
                       tiles_.geometry.openings.size(), setup_.lattice.scales,
                       referencePressure(setup_.run));
}

void Simulation::startFrom(const Fields& fields) {
  setPopulations(populationsOf(fields, tiles_.geometry, *setup_.variant, setup_.lattice,
                               referencePressure(setup_.run)));
}

void Simulation::setPopulations(std::span<const double> inFileOrder) {
  const std::size_t tile = setup_.variant->lattice.velocities.size() * 64;
  const std::size_t slots = std::size_t{setup_.order.tiles} + setup_.order.ghosts;
  std::vector<double> bySlot(slots * tile, 0.0);
  for (std::size_t t = 0; t < setup_.order.tiles; ++t)
    std::copy_n(inFileOrder.begin() + static_cast<std::ptrdiff_t>(t * tile), tile,
                bySlot.begin() + static_cast<std::ptrdiff_t>(setup_.order.slotOfTile[t] * tile));
  backend_->setPopulations(bySlot);
}

std::vector<double> Simulation::populations() {
  const std::size_t tile = setup_.variant->lattice.velocities.size() * 64;
  const std::vector<double> bySlot = backend_->populations();
  std::vector<double> inFileOrder(setup_.order.tiles * tile);
  for (std::size_t t = 0; t < setup_.order.tiles; ++t)
    std::copy_n(bySlot.begin() + static_cast<std::ptrdiff_t>(setup_.order.slotOfTile[t] * tile),
                tile, inFileOrder.begin() + static_cast<std::ptrdiff_t>(t * tile));
  return inFileOrder;
}

void Simulation::saveCheckpoint(const RunFiles& files, const MonitorTable& monitor,
                                const Provenance& provenance) {
  Checkpoint checkpoint{tiles_.contentHash,
                        setup_.variant->name(),
                        physicsHash(setup_),
                        setup_.lattice.tau,
                        setup_.lattice.scales.timeStep,
                        step_,
                        monitor.rows,
                        populations()};
  writeCheckpoint(files.checkpoint, checkpoint, setup_.variant->storageBytes, provenance);
}

std::vector<double> Simulation::resumeFrom(const std::filesystem::path& path) {
  const Checkpoint expected{tiles_.contentHash,
                            setup_.variant->name(),
                            physicsHash(setup_),
                            setup_.lattice.tau,
                            setup_.lattice.scales.timeStep,
                            0,
                            {},
                            {}};
  std::optional<Checkpoint> found = readCheckpoint(path, expected);
  if (!found) return {};
  if (found->populations.size() !=
      setup_.order.tiles * setup_.variant->lattice.velocities.size() * 64)
    fail(ExitCode::BadInput, path.string() +
                                 ": section populations does not fit the geometry; run "
                                 "without --resume");
  setPopulations(found->populations);
  step_ = found->step;
  return std::move(found->monitorRows);
}

}  // namespace tessera
