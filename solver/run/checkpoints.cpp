// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/run/checkpoints.hpp"

#include <algorithm>
#include <new>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/system/memory.hpp"
#include "pipelines/stage/text.hpp"
#include "solver/run/memory_needs.hpp"
#include "solver/run/output.hpp"
#include "solver/run/recovery.hpp"

namespace tessera::solver::run {

using file::Checkpoint;
using stage::ExitCode;
using stage::fail;

namespace {

file::TileLayout layoutOf(const Simulation& simulation) {
  const Setup& setup = simulation.setup();
  return setup.tiles.layout(setup.order, simulation.tiles().geometry, setup.variant->storedWords,
                            setup.variant->storageBytes);
}

// Metadata that must match on --resume.
Checkpoint expectedOf(const Simulation& simulation) {
  const Setup& setup = simulation.setup();
  const RunIdentity own = setup.before ? *setup.before : identityOf(setup);
  Checkpoint out{simulation.tiles().contentHash, own.variant, own.physics, own.tau, own.timeStep};
  out.olderPhysics = own.olderPhysics;
  out.recoveries = setup.recoveries;
  return out;
}

std::optional<Checkpoint> readNewest(const std::filesystem::path& path,
                                     const Simulation& simulation) {
  const Setup& setup = simulation.setup();
  const Checkpoint expected = expectedOf(simulation);
  if (setup.ranks->alone()) return file::readCheckpoint(path, expected, layoutOf(simulation));
  return file::readCheckpoint(path, expected, layoutOf(simulation), setup.tiles.sectionOffsets(),
                              *setup.ranks);
}

}  // namespace

void keepState(const std::filesystem::path& path, comm::Ranks& ranks, cases::SolverCase& run) {
  constexpr std::uint64_t none = ~std::uint64_t{0};
  std::uint64_t state = none;
  comm::onRoot(ranks, [&] {
    const std::optional<std::string> name = file::newestVariant(path);
    const backend::VariantInfo* const variant = name ? backend::variantNamed(*name) : nullptr;
    if (variant != nullptr) state = static_cast<std::uint64_t>(variant->axes.state);
  });
  state = comm::ofRoot(ranks, state);
  if (state != none) run.keptState = static_cast<model::StateId>(state);
}

std::vector<double> outletValues(const Simulation& simulation) {
  std::vector<double> values;
  if (boundary::anyCoupled(simulation.setup().run.openings))
    for (const boundary::OutletState& state : simulation.outlets().states)
      values.insert(values.end(), {state.capacitor, state.mean});
  return values;
}

void restoreOutlets(const std::filesystem::path& path, const std::vector<double>& values,
                    Simulation& simulation) {
  if (!boundary::anyCoupled(simulation.setup().run.openings) && values.empty()) return;
  std::vector<boundary::OutletState> states = simulation.outlets().states;
  if (values.size() != 2 * states.size())
    fail(ExitCode::BadInput,
         path.string() +
             ": section outlets does not fit the case, or is an older version's; run "
             "without --resume");
  for (std::size_t k = 0; k < states.size(); ++k) {
    states[k].capacitor = values[2 * k];
    states[k].mean = values[2 * k + 1];
  }
  simulation.backend().setOutlets(states);
}

namespace {

// Walls that acted by the formulas of version 0.1 start without a memory, as at the start of a run.
void restoreWalls(const std::filesystem::path& path, const Checkpoint& found,
                  Simulation& simulation) {
  const std::vector<double>& memory = found.walls;
  if (found.olderFormulas) return;
  if (!memory.empty() && memory.size() != simulation.setup().walls.links.size())
    fail(ExitCode::BadInput,
         path.string() + ": section walls does not fit the geometry; run without --resume");
  simulation.backend().setWallMemory(memory);
}

// Checkpoint::forces. The mean over two steps cannot be had from the state alone.
std::vector<double> forceValues(const Simulation& simulation) {
  std::vector<double> values;
  const BoundaryForces forces = simulation.forcesAt(simulation.step());
  for (const auto* const kind : {&forces.walls, &forces.openings})
    for (const boundary::ForceOnWall& each : *kind) {
      values.insert(values.end(), each.force.begin(), each.force.end());
      values.insert(values.end(), each.torque.begin(), each.torque.end());
    }
  return values;
}

void restoreForces(const std::filesystem::path& path, const std::vector<double>& values,
                   Simulation& simulation) {
  if (values.empty()) return;
  const tiler::TiledGeometry& geometry = simulation.tiles().geometry;
  if (values.size() != forceValuesOf(geometry))
    fail(ExitCode::BadInput,
         path.string() +
             ": section forces does not fit the geometry, or is an older version's; run without "
             "--resume");
  BoundaryForces forces;
  forces.walls.resize(geometry.wallNames.size());
  forces.openings.resize(geometry.openings.size());
  const double* next = values.data();
  for (auto* const kind : {&forces.walls, &forces.openings})
    for (boundary::ForceOnWall& each : *kind)
      for (Double3* const part : {&each.force, &each.torque})
        for (double& value : *part) value = *next++;
  simulation.restoreForces(std::move(forces));
}

// All but the state.
Checkpoint checkpointOf(Simulation& simulation, const CycleMeans& means,
                        const MonitorTable& monitor, const RunProgress& progress) {
  Checkpoint out = expectedOf(simulation);
  out.step = simulation.step();
  out.monitorRows = monitor.rows;
  out.outlets = outletValues(simulation);
  out.walls = simulation.backend().wallMemory();
  const std::size_t openings = simulation.tiles().geometry.openings.size();
  if (monitor.columns.size() > monitorColumns(openings, 0, out.recoveries.size(),
                                              cases::columnsOf(simulation.setup().run.probes,
                                                               simulation.setup().run.stations)))
    out.forces = forceValues(simulation);
  out.cycles = means.state();
  out.cycles.cycles = progress.cycles;
  out.kept = progress.kept;
  out.march = progress.march;
  return out;
}

ReservedMemory reserveMemory(Simulation& simulation, bool withKept) {
  const Setup& setup = simulation.setup();
  std::optional<ReservedMemory> memory;
  stage::together(*setup.ranks, [&] {
    try {
      simulation.finish();
      (void)simulation.backend().savedState();
      memory.emplace(bytesBesidesState(setup, withKept));
    } catch (const std::bad_alloc&) {
      fail(ExitCode::NoResource,
           "not enough memory for the checkpoint of a stopped run, about " +
               stage::formatBytes(static_cast<double>(checkpointBytes(setup, withKept))) +
               "; use a coarser spacing or a machine with more memory");
    }
  });
  return std::move(*memory);
}

CheckpointWriter writerOf(const Simulation& simulation, const std::filesystem::path& path,
                          const stage::Provenance& provenance) {
  const Setup& setup = simulation.setup();
  if (setup.ranks->alone()) return CheckpointWriter(path, layoutOf(simulation), provenance);
  return {path, layoutOf(simulation), setup.tiles.sectionOffsets(), provenance, *setup.ranks};
}

}  // namespace

std::size_t forceValuesOf(const tiler::TiledGeometry& geometry) {
  return 6 * (geometry.wallNames.size() + geometry.openings.size());
}

std::size_t monitoredWalls(const Checkpoint& checkpoint, std::size_t walls) {
  return checkpoint.forces.empty() ? 0 : walls;
}

std::optional<Checkpoint> restoreNewest(const std::filesystem::path& path, Simulation& simulation,
                                        CycleMeans& means) {
  std::optional<Checkpoint> found = readNewest(path, simulation);
  if (found && found->otherRecoveries) {
    repeatRecoveries(path, found->recoveries, found->step, simulation);
    found = readNewest(path, simulation);
  }
  if (!found) return found;
  const tiler::TiledGeometry& geometry = simulation.tiles().geometry;
  const std::size_t columns = monitorColumns(
      geometry.openings.size(), monitoredWalls(*found, geometry.wallNames.size()),
      found->recoveries.size(),
      cases::columnsOf(simulation.setup().run.probes, simulation.setup().run.stations));
  if (found->monitorRows.size() % columns != 0)
    fail(ExitCode::BadInput, path.string() +
                                 ": section monitor does not fit the geometry; run without "
                                 "--resume");
  simulation.restore(found->step, found->state);
  found->state = {};
  restoreOutlets(path, found->outlets, simulation);
  restoreWalls(path, *found, simulation);
  restoreForces(path, found->forces, simulation);
  means.restore(path, found->cycles);
  return found;
}

Checkpoints::Checkpoints(Simulation& simulation, const CycleMeans& means,
                         const std::filesystem::path& path, const stage::Provenance& provenance,
                         bool withKept, std::optional<std::uint64_t> resumed)
    : simulation_(simulation),
      means_(means),
      memory_(reserveMemory(simulation, withKept)),
      writer_(writerOf(simulation, path, provenance)) {
  if (resumed) writer_.resumed(*resumed);
}

bool Checkpoints::due() {
  const cases::SolverCase& run = simulation_.setup().run;
  const double since = std::chrono::duration<double>(Clock::now() - savedAt_).count();
  const bool byTime = run.checkpointEvery > 0.0 && since > run.checkpointEvery;
  const bool bySteps =
      run.checkpointEverySteps > 0 && simulation_.step() % run.checkpointEverySteps == 0;
  const bool idle = !writer_.busy();
  if (idle) memory_.take();
  return bySteps || (idle && comm::ofRoot(*simulation_.setup().ranks, byTime));
}

void Checkpoints::save(const MonitorTable& monitor, const RunProgress& progress) {
  writer_.wait();
  memory_.release();
  const Clock::time_point start = Clock::now();
  simulation_.finish();
  comm::Ranks& ranks = *simulation_.setup().ranks;
  Checkpoint checkpoint;
  const auto missing = missingResource(ranks, [&] {
    stage::together(ranks,
                    [&] { checkpoint = checkpointOf(simulation_, means_, monitor, progress); });
  });
  if (missing)
    writer_.failed(simulation_.step(), missing->what());
  else
    writer_.start(std::move(checkpoint), simulation_.backend().savedState());
  savedAt_ = Clock::now();
  blocked_ = std::max(blocked_, std::chrono::duration<double>(savedAt_ - start).count());
}

void Checkpoints::saveAndWait(const MonitorTable& monitor, const RunProgress& progress) {
  save(monitor, progress);
  writer_.wait();
  if (!writer_.makeRoom()) return;
  save(monitor, progress);
  writer_.wait();
}

std::string Checkpoints::failure() const {
  return stage::withoutStop(writer_.failure());
}

std::string Checkpoints::keptText() const {
  const auto kept = stillKept();
  if (!kept) return "no checkpoint exists; restart the run";
  return fmt::format("the checkpoint of step {} is kept; --resume continues from it", *kept);
}

}  // namespace tessera::solver::run
