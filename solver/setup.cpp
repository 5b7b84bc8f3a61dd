// SPDX-License-Identifier: GPL-3.0-or-later
// What is decided before the first step: variant, backend, time step, ramp, memory.
#include <algorithm>
#include <array>
#include <cmath>

#include "pipelines/stage/chain_sizes.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/memory.hpp"
#include "pipelines/stage/progress.hpp"
#include "solver/device.hpp"
#include "solver/one_copy.hpp"
#include "solver/ranks/where_ranks_run.hpp"
#include "solver/simulation.hpp"
#include "solver/state/populations.hpp"

namespace tessera {

namespace {

// Eight crossings of the longest side by sound: long enough that what the ramp excites is small.
std::uint64_t defaultRamp(const TiledGeometry& geometry) {
  if (geometry.openings.empty()) return 0;
  const int longest = *std::max_element(geometry.nodes.begin(), geometry.nodes.end());
  return static_cast<std::uint64_t>(8.0 * std::sqrt(3.0) * longest);
}

std::uint64_t rampSteps(const Setup& setup, const TiledGeometry& geometry) {
  // A flow that is there already is not started again: its openings drive it from the first step.
  if (!setup.run.initialHash.empty()) return 0;
  if (!setup.run.ramp) {
    const std::uint64_t steps = defaultRamp(geometry);
    if (steps >= setup.run.steps)
      logWarning("the run ends while its flow is still being started, which takes " +
                 std::to_string(steps) + " steps");
    return steps;
  }
  const double steps = *setup.run.ramp / setup.lattice.scales.timeStep;
  if (steps >= static_cast<double>(setup.run.steps))
    fail(ExitCode::Usage, "ramp = " + formatQuantity(*setup.run.ramp, Dimension::Time) +
                              " is longer than the run of " + std::to_string(setup.run.steps) +
                              " steps; use a shorter ramp or more steps");
  return static_cast<std::uint64_t>(steps);
}

std::uint64_t fieldsEvery(const Setup& setup) {
  if (setup.run.fieldsEverySteps > 0) return setup.run.fieldsEverySteps;
  if (setup.run.fieldsEveryTime <= 0.0) return 0;
  return std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(
             std::llround(setup.run.fieldsEveryTime / setup.lattice.scales.timeStep)));
}

CyclePlan cyclePlan(const Setup& setup) {
  const PulseCase& pulse = setup.run.pulse;
  CyclePlan plan;
  if (pulse.period <= 0.0) return plan;
  plan.steps =
      static_cast<std::uint64_t>(std::llround(pulse.period / setup.lattice.scales.timeStep));
  plan.cycles = pulse.cycles;
  plan.phases = pulse.phases;
  const std::uint64_t every =
      pulse.meanEvery > 0 ? pulse.meanEvery : std::max<std::uint64_t>(1, plan.steps / 200);
  plan.samples = std::max<std::uint64_t>(1, plan.steps / every);
  plan.converged = pulse.converged;
  if (plan.steps < plan.phases || plan.steps < every)
    fail(ExitCode::Usage, "the period of " + formatQuantity(pulse.period, Dimension::Time) +
                              " is " + std::to_string(plan.steps) +
                              " steps, expected are at least as many as phases and mean_every in "
                              "[time]; use a smaller time step, or fewer");
  return plan;
}

}  // namespace

BackendKind chooseBackend(const std::string& name, const VariantInfo& variant) {
  if (name == "cpu") return BackendKind::Cpu;
  const bool built = variant.makeCuda != nullptr;
  const auto device = built ? findDevice() : std::nullopt;
  if (device) return BackendKind::Cuda;
  if (name == "cuda")
    fail(
        ExitCode::NoResource,
        std::string("--backend cuda, but ") +
            (built
                 ? "no CUDA device was found; check nvidia-smi and the driver, or use --backend cpu"
                 : "this build has no CUDA; configure where nvcc is found, or use --backend cpu"));
  return BackendKind::Cpu;
}

namespace {

// Walls and openings that read or write populations where moments have none.
void checkMoments(const SolverCase& run) {
  const auto refuse = [](const std::string& what) {
    fail(ExitCode::Usage, what + " needs populations; use --state populations, or leave it out");
  };
  if (run.walls != WallScheme::Halfway) refuse("[solver] walls other than \"halfway\"");
  for (const WallCondition& wall : run.wallConditions)
    if (wall.kind != WallKind::Rest) refuse("a [[wall]] that moves or is a symmetry plane");
  for (const Condition& opening : run.openings)
    if (prescriptionOf(opening).zouHe) refuse("scheme = \"zou-he\" of an [[opening]]");
}

// Of the state. In one only where two do not fit, unless asked for.
int chooseCopies(const Setup& setup, const TiledGeometry& geometry) {
  const bool built = setup.backend == BackendKind::Cuda && !geometry.inRows();
  if (setup.run.copies == "1" && !built)
    fail(ExitCode::Usage,
         std::string("--copies 1 is for CUDA and tiles of one mesh, found ") +
             (geometry.inRows() ? "tiles in rows" : "the CPU") + "; leave --copies out, or use " +
             (geometry.inRows() ? "tessera-tiler --placement global" : "--backend cuda"));
  if (!built || setup.run.copies == "2") return 2;
  if (setup.run.copies == "1") return 1;
  StateCounts counts;
  counts.slots = counts.tiles = counts.maskedTiles = static_cast<double>(geometry.tiles());
  counts.velocities = setup.variant->stateValues;
  const auto device = findDevice();
  return device && stateBytes(counts, setup.variant->storageBytes) > double(device->freeBytes) ? 1
                                                                                               : 2;
}

// On a device populations are stepped fastest in layers, with openings beside the rest where there
// are two copies; moments in Morton order.
TileSequence tileSequence(const Setup& setup, const TiledGeometry& geometry) {
  if (setup.backend == BackendKind::Cpu) return TileSequence::Morton;
  if (!setup.variant->storesMoments())
    return setup.copies == 2 && setup.variant->axes.tiling == TilingId::Aligned
               ? TileSequence::OpeningsLast
               : TileSequence::InLayers;
  return setup.copies == 1 ? layersOfMoments(geometry, setup.part, setup.variant->storageBytes)
                           : TileSequence::Morton;
}

VariantAxes axesOf(const SolverCase& run, const TiledGeometry& geometry) {
  return {run.lattice,     run.collision,
          run.equilibrium, run.law.local() ? ViscosityId::Local : ViscosityId::Constant,
          run.precision,   geometry.inRows() ? TilingId::Shifted : TilingId::Aligned,
          run.state};
}

}  // namespace

Setup prepare(const TiledGeometry& geometry, SolverCase run, const std::string& backend,
              Ranks& ranks, RankPart part) {
  Setup setup;
  setup.ranks = &ranks;
  setup.part = std::move(part);
  setup.variant = &findVariant(axesOf(run, geometry));
  if (setup.variant->lattice.dimensions != geometry.dimensions)
    fail(ExitCode::Usage, std::string("lattice ") + nameOf(setup.variant->axes.lattice) + " is " +
                              std::to_string(setup.variant->lattice.dimensions) +
                              "D but the geometry is " + std::to_string(geometry.dimensions) +
                              "D; choose " +
                              (geometry.dimensions == 2 ? "D2Q9" : "D3Q19 or D3Q27"));
  if (setup.variant->storesMoments()) checkMoments(run);
  for (std::size_t t = 0; t < geometry.tiles(); ++t)
    if (setup.part.owns(t)) setup.nodes += nodesIn(geometry, t);
  setup.run = std::move(run);
  setup.lattice = latticeRun(setup.run, geometry, ranks);
  if (ranks.alone())
    setup.backend = chooseBackend(backend, *setup.variant);
  else if (chooseDevices(backend, setup.variant->makeCuda != nullptr, ranks))
    setup.backend = BackendKind::Cuda;
  setup.copies = chooseCopies(setup, geometry);
  setup.order =
      orderTiles(geometry, setup.variant->lattice.velocities, tileSequence(setup, geometry),
                 setup.part, setup.copies == 1 ? BorderTiles::FirstOfLayers : BorderTiles::First);
  if (setup.copies == 1)
    setup.window = windowOf(setup.order, setup.variant->storageBytes, ranks.alone());
  if (setup.copies == 1 && setup.window.shift == 0) {
    setup.copies = 2;
    setup.order = orderTiles(geometry, setup.variant->lattice.velocities,
                             tileSequence(setup, geometry), setup.part);
  }
  setup.cycles = cyclePlan(setup);
  if (setup.cycles.steps > 0) {
    setup.run.steps = std::min(setup.run.steps, setup.cycles.cycles * setup.cycles.steps);
    setup.wallPoints = findWallPoints(geometry, setup.order, setup.part);
  }
  setup.rampSteps = rampSteps(setup, geometry);
  setup.fieldsEvery = fieldsEvery(setup);
  setup.walls = planWalls(setup.order, geometry,
                          {setup.run.walls, setup.run.wallConditions, setup.lattice.scales},
                          setup.variant->lattice, ranks);
  for (const std::string& doubt :
       doubtsAbout(runNumbers(setup.run, setup.lattice, geometry), setup.run))
    logWarning(doubt);
  return setup;
}

std::uint64_t stateBytes(const Setup& setup) {
  static_assert(sizeof(IncomingLink) == openingLinkBytes && sizeof(PopulationCopy) == copyBytes &&
                sizeof(WallLink) == wallLinkBytes && sizeof(PopulationPair) == copyBytes &&
                4 * rowLength == rowBytes);
  const TileOrder& order = setup.order;
  StateCounts counts;
  counts.slots = static_cast<double>(order.held()) + order.ghosts;
  counts.velocities = setup.variant->stateValues;
  counts.tiles = order.tiles;
  if (setup.copies == 1)  // two copies of half as many
    counts.slots = 0.5 * (counts.slots + setup.window.shift);
  counts.maskedTiles = static_cast<double>(order.masks.size()) / tileNodes;
  counts.openingLinks = static_cast<double>(order.openingLinks.size());
  counts.copies = static_cast<double>(order.copies.size() + setup.walls.mirrored.size());
  counts.wallLinks = static_cast<double>(setup.walls.links.size());
  counts.wallNumbers = setup.walls.remembers ? 3.0 : 1.0;
  counts.wallExtraBytes = 8.0 * static_cast<double>(setup.walls.push.size()) +
                          static_cast<double>(sizeof(WallDepth) * setup.walls.depths.size());
  const double means =
      setup.cycles.steps > 0 ? accumulatorBytes(order.tiles, setup.wallPoints.points.size()) : 0.0;
  return static_cast<std::uint64_t>(
      stateBytes(counts, static_cast<double>(setup.variant->storageBytes)) + means);
}

namespace {

// A tile of the state, and of the sums of means.
double savedTileBytes(const Setup& setup) {
  return checkpointBytes(1.0, double(setup.variant->stateValues) * setup.variant->storageBytes);
}
double sumsTileBytes(const Setup& setup) {
  return setup.cycles.steps > 0 ? double(sizeof(float)) * meanValues * tileNodes : 0.0;
}

}  // namespace

std::uint64_t checkpointBytes(const Setup& setup) {
  return static_cast<std::uint64_t>(setup.order.tiles * savedTileBytes(setup)) +
         besideCopyBytes(setup);
}

std::uint64_t besideCopyBytes(const Setup& setup) {
  const bool alone = setup.ranks->alone();
  const auto size = static_cast<std::uint64_t>(setup.ranks->size());
  // Of several ranks each keeps an equal part of the file while it is written.
  const std::uint64_t kept = alone ? 0 : (setup.part.tilesOfAll + size - 1) / size;
  const double walls =
      setup.walls.remembers ? sizeof(double) * double(setup.walls.links.size()) : 0.0;
  const double wallSums =
      sizeof(decltype(Sums::wall)::value_type) * double(setup.wallPoints.points.size());
  const double passing = double(ContainerWriter::usualPiece) * (alone ? 2.0 : 8.0);
  return static_cast<std::uint64_t>(setup.order.tiles * sumsTileBytes(setup) +
                                    double(kept) * (savedTileBytes(setup) + sumsTileBytes(setup)) +
                                    walls + wallSums + passing);
}

std::uint64_t resultBytes(const Setup& setup) {
  const double means = setup.cycles.steps > 0 ? sizeof(float) * meanValues : 0.0;
  const double perNode = double(sizeof(float)) * observedValues + means;
  return static_cast<std::uint64_t>(double(setup.nodes) * perNode +
                                    setup.order.tiles * sumsTileBytes(setup));
}

void checkMemory(const Setup& setup, bool checkpoints) {
  const bool cuda = setup.backend == BackendKind::Cuda;
  // Ranks of a host share its memory, and each has a device of its own.
  const auto state = static_cast<std::int64_t>(stateBytes(setup));
  std::int64_t onHost = 0;
  if (checkpoints) onHost += static_cast<std::int64_t>(checkpointBytes(setup) + resultBytes(setup));
  if (!cuda) onHost += state;
  setup.ranks->sumOnHost({&onHost, 1});
  if (cuda)
    requireMemory(static_cast<double>(onHost), "what checkpoints and fields are written of",
                  "use a coarser spacing or a machine with more memory");
  const std::int64_t needed = cuda ? state : onHost;
  const auto device = cuda ? findDevice() : std::nullopt;
  const std::uint64_t there = device ? device->freeBytes : availableMemory();
  if (needed <= static_cast<std::int64_t>(there)) return;
  fail(ExitCode::NoResource, "the run needs " + formatBytes(double(needed)) + " of " +
                                 (cuda ? device->name + " memory" : "memory") + " but " +
                                 formatBytes(double(there)) + " are free; use a coarser spacing" +
                                 (setup.variant->storageBytes > 4 ? ", --precision f32" : "") +
                                 " or a machine with more memory");
}

std::string physicsHash(const Setup& setup) {
  std::vector<double> values{setup.run.density, setup.run.kinematicViscosity, setup.lattice.magic,
                             static_cast<double>(setup.rampSteps)};
  values.insert(values.end(), setup.run.bodyForce.begin(), setup.run.bodyForce.end());
  const ViscosityLaw& law = setup.run.law;
  if (law.local())
    values.insert(values.end(),
                  {static_cast<double>(law.model), law.lowest, law.highest, law.timeConstant, law.a,
                   law.n, law.yield, law.consistency, law.smagorinsky});
  for (const Condition& condition : setup.run.openings) {
    const std::vector<double> own = physicsOf(condition);
    values.insert(values.end(), own.begin(), own.end());
    const std::shared_ptr<const Waveform> series = prescriptionOf(condition).series;
    if (!series) continue;
    values.push_back(series->period);
    for (const std::vector<double>* part : {&series->time, &series->value, &series->slope})
      values.insert(values.end(), part->begin(), part->end());
  }
  // Not of the flow, but what is recorded of it would be of two kinds.
  for (const std::uint64_t count : {setup.cycles.steps, setup.cycles.phases, setup.cycles.samples})
    values.push_back(static_cast<double>(count));
  values.insert(values.end(), setup.run.initialHash.begin(), setup.run.initialHash.end());
  values.push_back(static_cast<double>(setup.run.walls));
  appendWalls(setup.run.wallConditions, values);
  return hashBytes(values.data(), values.size() * sizeof(double));
}

}  // namespace tessera
