// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/run/recovery.hpp"

#include <cmath>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/system/memory.hpp"
#include "pipelines/stage/text.hpp"
#include "solver/backend/gpu/device.hpp"
#include "solver/run/checkpoints.hpp"
#include "solver/run/memory_needs.hpp"
#include "solver/run/physics.hpp"

namespace tessera::solver::run {

using backend::VariantInfo;
using file::KeptState;
using file::Recovery;

namespace {

constexpr double fastInLattice = 0.1;  // Mach 0.17
constexpr double stableTau = 0.55;     // grid Reynolds number 6 at the velocity above
constexpr std::uint64_t mostRefined = 1U << mostRecoveries;

// Cumulants with the precision and the viscosity of the run; null: none, or it has them already.
const VariantInfo* cumulantsFor(const Setup& setup) {
  model::VariantAxes axes = setup.variant->axes;
  if (setup.variant->lattice.dimensions != 3) return nullptr;
  if (axes.collision == model::CollisionId::Cumulant) return nullptr;
  axes.state = model::StateId::Populations;
  axes.lattice = model::LatticeId::D3Q27;
  axes.collision = model::CollisionId::Cumulant;
  axes.equilibrium = model::EquilibriumId::QuasiCompressible;
  const VariantInfo* const found = backend::builtVariant(axes);
  const bool cuda = setup.backend == BackendKind::Cuda;
  return found != nullptr && cuda && found->makeCuda == nullptr ? nullptr : found;
}

// The relaxation time with half the time step, if that can work.
std::optional<double> halvedTau(const Setup& setup) {
  const double tau = 0.5 + 0.5 * (setup.lattice.tau - 0.5);
  return tau >= cases::tauLowest ? std::optional(tau) : std::nullopt;
}

// The variant and the time step remain.
bool isPlainMarch(const Setup& before, const Recovery& recovery) {
  return recovery.refinement == before.refinement() && recovery.variant == before.variant->name();
}

std::string whyHalf(double fastest, double tau) {
  if (fastest > fastInLattice)
    return fmt::format(
        "velocities of {:.3g} in lattice units, Mach {:.2f}, were near the limit of the collision, "
        "and half the time step halves them (tau {:.4f})",
        fastest, fastest * std::sqrt(3.0), tau);
  return fmt::format("half the time step halves all velocities in lattice units (tau {:.4f})", tau);
}

}  // namespace

bool hasRoomForCumulants(const Setup& setup) {
  const VariantInfo* const cumulants = cumulantsFor(setup);
  if (cumulants == nullptr) return false;
  const double more = cumulants->bytesPerNode() / setup.variant->bytesPerNode() - 1.0;
  auto needed = static_cast<std::int64_t>(more * static_cast<double>(stateBytes(setup)));
  const bool cuda = setup.backend == BackendKind::Cuda;
  if (!cuda) setup.ranks->sumOnHost({&needed, 1});
  const auto device = cuda ? backend::findDevice() : std::nullopt;
  const std::uint64_t there = device ? device->freeBytes : stage::availableMemory();
  const bool lacks = needed > 0 && static_cast<std::uint64_t>(needed) > there;
  return comm::largestOf(*setup.ranks, lacks ? 1.0 : 0.0) == 0.0;
}

std::optional<Recovery> planRecovery(const Setup& setup, const KeptState& kept, double fastest,
                                     std::uint64_t divergedAt, bool roomForCumulants) {
  if (setup.recoveries.size() - setup.leftPlain >= mostRecoveries) return std::nullopt;
  const std::optional<double> tau = halvedTau(setup);
  const VariantInfo* const cumulants = roomForCumulants ? cumulantsFor(setup) : nullptr;
  const bool half =
      tau && (fastest > fastInLattice || setup.lattice.tau >= stableTau || !cumulants);
  if (!half && cumulants == nullptr) return std::nullopt;
  Recovery out;
  out.divergedAt = divergedAt;
  out.refinement = setup.refinement() * (half ? 2 : 1);
  out.variant = half ? setup.variant->name() : cumulants->name();
  out.timeStep = setup.lattice.scales.timeStep / (half ? 2.0 : 1.0);
  // The kept fields are those of the step that follows.
  out.step = (kept.step + 1) * out.refinement / kept.refinement;
  out.time = static_cast<double>(out.step) * out.timeStep;
  out.reason = half ? whyHalf(fastest, *tau)
                    : fmt::format(
                          "{} on {} is not stable at a relaxation time of {:.4f} with "
                          "velocities of {:.3g} in lattice units, grid Reynolds number "
                          "{:.3g}, which a smaller time step does not change",
                          model::nameOf(setup.variant->axes.collision),
                          model::nameOf(setup.variant->axes.lattice), setup.lattice.tau, fastest,
                          3.0 * fastest / (setup.lattice.tau - 0.5));
  return out;
}

Recovery withoutAcceleration(const Setup& setup, const KeptState& kept, std::uint64_t divergedAt) {
  Recovery out;
  out.divergedAt = divergedAt;
  out.refinement = setup.refinement();
  out.variant = setup.variant->name();
  out.timeStep = setup.lattice.scales.timeStep;
  out.step = (kept.step + 1) * out.refinement / kept.refinement;
  out.time = static_cast<double>(out.step) * out.timeStep;
  out.reason = "its state was extrapolated to the steady state before";
  return out;
}

std::string continuationText(const Setup& before, const Recovery& recovery) {
  if (isPlainMarch(before, recovery)) return "the plain march";
  if (recovery.refinement == before.refinement()) return "cumulants on D3Q27";
  return "half the time step, " + stage::formatQuantity(recovery.timeStep, stage::Dimension::Time);
}

std::string recoveredText(const Setup& setup) {
  std::string text;
  std::uint64_t refinement = 1;
  std::string variant = setup.before ? setup.before->variant : "";
  for (const Recovery& recovery : setup.recoveries) {
    text += fmt::format("{}{} from {} on", text.empty() ? "" : ", ",
                        recovery.refinement > refinement ? "half the time step"
                        : recovery.variant == variant    ? "the plain march"
                                                         : recovery.variant,
                        stage::formatQuantity(recovery.time, stage::Dimension::Time));
    refinement = recovery.refinement;
    variant = recovery.variant;
  }
  return text;
}

RunIdentity identityOf(const Setup& setup) {
  return {setup.variant->name(), physicsHash(setup), physicsHash(setup, Formulas::Version01),
          setup.lattice.tau, setup.lattice.scales.timeStep};
}

Setup setupAfter(const tiler::TiledGeometry& geometry, const Setup& before,
                 const Recovery& recovery) {
  const std::uint64_t factor = recovery.refinement / before.refinement();
  const VariantInfo& variant = *backend::variantNamed(recovery.variant);
  cases::SolverCase run = before.run;
  run.lattice = variant.axes.lattice;
  run.collision = variant.axes.collision;
  run.equilibrium = variant.axes.equilibrium;
  run.state = variant.axes.state;
  run.automaticCollision = run.automaticState = false;
  const bool plain = isPlainMarch(before, recovery);
  if (plain) run.accelerate = false;
  if (&variant != before.variant) run.copies = "auto";  // it may have no one-copy kernels
  run.latticeVelocity = run.tau = std::nullopt;
  run.timeStep = recovery.timeStep;
  for (std::uint64_t* steps : {&run.steps, &run.monitorEvery, &run.fieldsEverySteps,
                               &run.checkpointEverySteps, &run.pulse.meanEvery})
    *steps *= factor;
  Setup after =
      setUp(geometry, std::move(run), before.backend == BackendKind::Cuda ? "cuda" : "cpu",
            *before.ranks, before.part);
  after.automaticWalls = before.automaticWalls;
  after.rampSteps = factor * before.rampSteps;
  after.fieldsEvery = factor * before.fieldsEvery;
  after.cycles = before.cycles;
  after.cycles.steps *= factor;
  after.cycles.refinement *= factor;
  after.leftPlain = before.leftPlain + (plain ? 1 : 0);
  after.recoveries = before.recoveries;
  after.recoveries.push_back(recovery);
  after.before = before.before ? before.before : std::optional(identityOf(before));
  return after;
}

namespace {

// Rows of the monitor up to the kept state, with the number of recoveries, 0 before the first.
std::vector<double> rowsUntil(const KeptState& kept, const MonitorTable& monitor, bool first) {
  const std::size_t width = monitor.columns.size();
  std::vector<double> rows;
  for (std::size_t r = 0; r < kept.monitorRows; ++r) {
    const double* const row = &monitor.rows[r * width];
    rows.insert(rows.end(), row, row + width);
    if (first) rows.push_back(0.0);
  }
  return rows;
}

// Kinetic energies, in lattice units, of a run without openings; else flow rates and pressures.
std::vector<double> cyclesOf(const KeptState& kept, double ratio, bool energies) {
  constexpr std::size_t counts = 4;
  std::vector<double> cycles = kept.cycles;
  if (energies)
    for (std::size_t k = counts; k < cycles.size(); ++k) cycles[k] *= ratio * ratio;
  return cycles;
}

void setOutlets(const KeptState& kept, double ratio, Simulation& simulation) {
  std::vector<double> outlets = kept.outlets;
  for (std::size_t k = 0; k + 1 < outlets.size(); k += 2) {
    outlets[k] *= ratio * ratio;  // pressure
    outlets[k + 1] *= ratio;      // flow rate
  }
  restoreOutlets("a state to go back to", outlets, simulation);
}

}  // namespace

file::Checkpoint goBack(const KeptState& kept, const Recovery& recovery,
                        const MonitorTable& monitor, Simulation& simulation) {
  const tiler::TiledGeometry& geometry = simulation.tiles().geometry;
  const std::size_t before = simulation.setup().recoveries.size();
  simulation.continueWith(setupAfter(geometry, simulation.setup(), recovery), recovery.step);
  const double ratio = double(kept.refinement) / double(recovery.refinement);
  startFrom(kept, ratio, simulation);
  setOutlets(kept, ratio, simulation);
  file::Checkpoint out;
  out.step = recovery.step;
  out.monitorRows = rowsUntil(kept, monitor, before == 0);
  if (monitor.columns.size() > monitorColumns(geometry.openings.size(), 0, before,
                                              cases::columnsOf(simulation.setup().run.probes,
                                                               simulation.setup().run.stations)))
    out.forces.resize(forceValuesOf(geometry));  // those of the first sample are not known
  out.cycles.cycles = cyclesOf(kept, ratio, geometry.openings.empty());
  out.recoveries = simulation.setup().recoveries;
  out.kept = {kept};
  return out;
}

std::vector<std::uint64_t> jumpsUntil(const KeptState& kept, const Recovery& recovery,
                                      const std::vector<std::uint64_t>& jumps) {
  std::vector<std::uint64_t> out;
  for (const std::uint64_t step : jumps)
    if (step <= kept.step) out.push_back(step * recovery.refinement / kept.refinement);
  return out;
}

void repeatRecoveries(const std::filesystem::path& path, const std::vector<Recovery>& recoveries,
                      std::uint64_t step, Simulation& simulation) {
  const auto refuse = [&] {
    stage::fail(stage::ExitCode::BadInput,
                path.string() +
                    ": section meta has recoveries that this build cannot repeat; run without "
                    "--resume, or with the build that made it");
  };
  if (!simulation.setup().recoveries.empty()) refuse();
  for (const Recovery& recovery : recoveries) {
    const std::uint64_t now = simulation.setup().refinement();
    const VariantInfo* const variant = backend::variantNamed(recovery.variant);
    const Setup& before = simulation.setup();
    const bool plain = isPlainMarch(before, recovery);
    if (variant == nullptr ||
        (plain ? before.leftPlain > 0
               : before.recoveries.size() - before.leftPlain >= mostRecoveries) ||
        variant->lattice.dimensions != simulation.setup().variant->lattice.dimensions ||
        (recovery.refinement != now && recovery.refinement != 2 * now) ||
        recovery.refinement > mostRefined ||
        !(recovery.timeStep ==
          simulation.setup().lattice.scales.timeStep / double(recovery.refinement / now)))
      refuse();
    simulation.continueWith(setupAfter(simulation.tiles().geometry, simulation.setup(), recovery),
                            step);
  }
}

}  // namespace tessera::solver::run
