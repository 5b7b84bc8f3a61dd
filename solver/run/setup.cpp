// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/run/setup.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "pipelines/stage/chain_sizes.hpp"
#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/system/memory.hpp"
#include "pipelines/stage/text.hpp"
#include "solver/backend/gpu/device.hpp"
#include "solver/backend/where_ranks_run.hpp"
#include "solver/case/pre_run_checks.hpp"
#include "solver/case/scheme.hpp"
#include "solver/domain/column_forms.hpp"
#include "solver/model/populations.hpp"
#include "solver/run/memory_needs.hpp"
#include "solver/run/steady_march.hpp"
#include "solver/tiles/update_window.hpp"

namespace tessera::solver::run {

using stage::ExitCode;
using stage::fail;
using tiler::TiledGeometry;
using tiles::TileSequence;

namespace {

// Ramp of eight acoustic crossings of the longest side: excites only small waves.
std::uint64_t defaultRamp(const TiledGeometry& geometry) {
  if (geometry.openings.empty()) return 0;
  const int longest = *std::max_element(geometry.nodes.begin(), geometry.nodes.end());
  return static_cast<std::uint64_t>(8.0 * std::sqrt(3.0) * longest);
}

std::uint64_t rampSteps(const Setup& setup, const TiledGeometry& geometry) {
  // Initial fields need no ramp: openings drive the flow from the first step.
  if (!setup.run.initialHash.empty()) return 0;
  if (!setup.run.ramp) {
    const std::uint64_t steps = defaultRamp(geometry);
    if (steps >= setup.run.steps)
      stage::logWarning(fmt::format(
          "the run ends while its flow is still being started, which takes {} steps", steps));
    return steps;
  }
  const double steps = *setup.run.ramp / setup.lattice.scales.timeStep;
  if (steps >= static_cast<double>(setup.run.steps))
    fail(ExitCode::Usage,
         fmt::format("ramp = {} is longer than the run of {} steps; use a shorter ramp or more "
                     "steps",
                     stage::formatQuantity(*setup.run.ramp, stage::Dimension::Time),
                     setup.run.steps));
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
  const cases::PulseCase& pulse = setup.run.pulse;
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
    fail(ExitCode::Usage,
         fmt::format("the period of {} is {} steps; at least as many as phases and mean_every in "
                     "[time] are required; use a smaller time step, or fewer of these",
                     stage::formatQuantity(pulse.period, stage::Dimension::Time), plan.steps));
  return plan;
}

}  // namespace

BackendKind chooseBackend(const std::string& name, const backend::VariantInfo& variant) {
  if (name == "cpu") return BackendKind::Cpu;
  const bool built = variant.makeCuda != nullptr;
  const auto device = built ? backend::findDevice() : std::nullopt;
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

// The boundary condition formulated on populations, which a state of moments lacks; empty: none.
std::string needsPopulations(const cases::SolverCase& run) {
  if (run.walls == boundary::WallScheme::SingleNode) return "[solver] walls = \"single-node\"";
  for (const boundary::WallCondition& wall : run.wallConditions)
    if (wall.kind == boundary::WallKind::Symmetry) return "a [[wall]] that is a symmetry plane";
  for (const boundary::Condition& opening : run.openings)
    if (boundary::prescriptionOf(opening).zouHe) return "scheme = \"zou-he\" of an [[opening]]";
  return "";
}

void checkMoments(const cases::SolverCase& run) {
  const std::string what = needsPopulations(run);
  if (what.empty()) return;
  const bool alone = run.precision == model::PrecisionId::M32F16;
  fail(ExitCode::Usage, what + " needs populations; use " +
                            (alone ? "another precision than m32/16, " : "") + "--scheme " +
                            cases::schemesThat([](const cases::Scheme& scheme) {
                              return scheme.state == model::StateId::Populations;
                            }) +
                            ", or leave it out");
}

bool mayHaveOneCopy(const Setup& setup, const TiledGeometry& geometry) {
  return setup.backend == BackendKind::Cuda && !geometry.isShifted();
}

// Whether two copies of the state do not fit on the device, of which so many bytes are known.
bool isTight(double bytes) {
  const auto device = backend::findDevice();
  return device && bytes > static_cast<double>(device->freeBytes);
}

// Copies of the state: one only where two do not fit, unless asked for. Walls and openings are not
// counted yet (needsOneCopy).
int chooseCopies(const Setup& setup, const TiledGeometry& geometry) {
  const bool built = mayHaveOneCopy(setup, geometry);
  if (setup.run.copies == "1" && !built)
    fail(ExitCode::Usage,
         "one copy of the state (--copies 1) is for CUDA and the aligned tiling, but this is " +
             std::string(geometry.isShifted() ? "the shifted tiling" : "the CPU") +
             "; use --scheme " +
             cases::schemesThat([](const cases::Scheme& scheme) { return scheme.copies == 2; }) +
             ", or " +
             (geometry.isShifted() ? "tessera-tiler --placement global" : "--backend cuda"));
  if (!built || setup.run.copies == "2") return 2;
  if (setup.run.copies == "1") return 1;
  stage::StateCounts counts;
  counts.slots = counts.tiles = counts.maskedTiles = static_cast<double>(geometry.tiles());
  counts.velocities = setup.variant->storedWords;
  counts.columnBytes = setup.columnBytes;
  return isTight(stage::stateBytes(counts, setup.variant->storageBytes)) ? 1 : 2;
}

// Whether two copies that were planned do not fit with their walls, openings and separate nodes.
bool needsOneCopy(const Setup& setup, const TiledGeometry& geometry) {
  return setup.run.copies == "auto" && mayHaveOneCopy(setup, geometry) &&
         isTight(static_cast<double>(stateBytes(setup)));
}

// Fastest sequences on a device: layers for populations, with two copies openings and walls that
// have kernels of their own last, so that they overlap with the rest; columns for moments.
TileSequence tileSequence(const Setup& setup, const TiledGeometry& geometry) {
  if (setup.backend == BackendKind::Cpu) return TileSequence::Morton;
  if (!setup.variant->storesMoments()) {
    if (setup.copies == 1 || setup.variant->axes.tiling != model::TilingId::Aligned)
      return TileSequence::InLayers;
    return setup.ranks->alone() &&
                   boundary::needWallLinks(setup.run.walls, setup.run.wallConditions)
               ? TileSequence::BoundariesLast
               : TileSequence::OpeningsLast;
  }
  return setup.copies == 1 && tiles::layerAxis(geometry.grid, TileSequence::InCubes) != 2
             ? TileSequence::InCubes
             : TileSequence::InColumns;
}

model::VariantAxes axesOf(const cases::SolverCase& run, const TiledGeometry& geometry) {
  return {
      run.lattice,     run.collision,
      run.equilibrium, run.law.local() ? model::ViscosityId::Local : model::ViscosityId::Constant,
      run.precision,   geometry.isShifted() ? model::TilingId::Shifted : model::TilingId::Aligned,
      run.state};
}

bool isBuilt(const cases::SolverCase& run, const TiledGeometry& geometry) {
  return backend::builtVariant(axesOf(run, geometry)) != nullptr;
}

const backend::VariantInfo& variantOf(const cases::SolverCase& run, const TiledGeometry& geometry) {
  const backend::VariantInfo& variant = backend::findVariant(axesOf(run, geometry));
  if (variant.lattice.dimensions != geometry.dimensions)
    fail(ExitCode::Usage,
         fmt::format("{}{} is {}D but the geometry is {}D; choose {}", "lattice ",
                     model::nameOf(variant.axes.lattice), variant.lattice.dimensions,
                     geometry.dimensions, geometry.dimensions == 2 ? "D2Q9" : "D3Q19 or D3Q27"));
  if (variant.storesMoments()) checkMoments(run);
  return variant;
}

// Above this grid Reynolds number, velocity times spacing over viscosity, the lattice's error of
// advection oblique to its axes is more than 1 % of the wall shear stress with D3Q19 and 20 nodes
// across (tests/bench/RESULTS.md).
constexpr double gridReynoldsOfD3Q19 = 2.5;

// Above this one mrt on D3Q27 amplifies disturbances without diverging: in a bent tube of 8 nodes
// across its pressure drop equals that of cumulants at 25 and is 17 % above it at 30, 50 % at 37,
// twice as large at 50, three times at 75. In straight slanted tubes, which it leaves calm, its
// error is half of theirs (tests/bench/RESULTS.md), so that it stays up to tau = 0.505 at the
// velocity that the program chooses.
constexpr double gridReynoldsOfMrt = 32.0;

// Above this one TRT in 2D does not bear a driven cavity: it runs at 16 and diverges at 19, where
// mrt runs up to 52 (tests/bench/RESULTS.md).
constexpr double gridReynoldsOfTrt = 12.0;

// The equilibrium of liquids where it is built: without it the density falls along the flow with
// the pressure and the velocity rises, in proportion to the square of the Mach number and to length
// over width (X. He & L.-S. Luo, J. Stat. Phys. 88 (1997) 927). Returns whether the choice is
// built.
bool chooseEquilibrium(const TiledGeometry& geometry, cases::SolverCase& run) {
  if (!run.automaticEquilibrium) return isBuilt(run, geometry);
  run.equilibrium = model::EquilibriumId::Incompressible;
  if (isBuilt(run, geometry)) return true;
  run.equilibrium = model::EquilibriumId::QuasiCompressible;
  return isBuilt(run, geometry);
}

// In 2D mrt above the grid Reynolds numbers of TRT.
CollisionReason correctIn2D(const TiledGeometry& geometry, comm::Ranks& ranks,
                            cases::SolverCase& run, CollisionReason plain) {
  cases::SolverCase stable = run;
  stable.collision = model::CollisionId::Mrt;
  if (!chooseEquilibrium(geometry, stable)) return plain;
  if (cases::latticeRun(run, geometry, ranks).gridReynolds() <= gridReynoldsOfTrt) return plain;
  run = stable;
  return CollisionReason::Stability;
}

// In 3D between multireflection walls, which are accurate enough to show the difference, cumulants
// on D3Q27 above the grid Reynolds numbers of mrt, and below mrt on D3Q27, unless the Stokes layer
// is too thin for it and not too coarse for TRT. Otherwise `plain`: halfway walls of cumulants move
// more than those of TRT, which a run may still end with.
CollisionReason correctAdvection(const TiledGeometry& geometry, comm::Ranks& ranks,
                                 cases::SolverCase& run, CollisionReason plain) {
  if (run.walls != boundary::WallScheme::Multireflection) return plain;
  cases::SolverCase other = run;
  other.lattice = model::LatticeId::D3Q27;
  other.collision = model::CollisionId::Mrt;
  if (!chooseEquilibrium(geometry, other)) return plain;
  const cases::LatticeRun lattice = cases::latticeRun(run, geometry, ranks);
  const double gridReynolds = lattice.gridReynolds();
  if (gridReynolds <= gridReynoldsOfD3Q19) return plain;
  // On D3Q27, where the case names it, TRT has no equilibrium of liquids.
  if (run.automaticLattice && cases::hasThinStokesLayer(run, geometry.frame.spacing) &&
      lattice.tau >= cases::tauLowestForPulse(run))
    return CollisionReason::ThinStokesLayer;
  cases::SolverCase stable = other;
  stable.collision = model::CollisionId::Cumulant;
  if (gridReynolds > gridReynoldsOfMrt && chooseEquilibrium(geometry, stable)) {
    run = stable;
    return CollisionReason::Stability;
  }
  run = other;
  return CollisionReason::Advection;
}

// The collision where none of the case's own settings decides: by the grid Reynolds number.
CollisionReason collisionByReynolds(const TiledGeometry& geometry, comm::Ranks& ranks,
                                    cases::SolverCase& run, CollisionReason plain) {
  if (geometry.dimensions == 2) return correctIn2D(geometry, ranks, run, plain);
  const bool free = run.automaticLattice || run.lattice == model::LatticeId::D3Q27;
  return free ? correctAdvection(geometry, ranks, run, plain) : plain;
}

bool accelerates(const Setup& setup) {
  const std::string why = whyPlain(setup);
  if (setup.run.accelerate == true && !why.empty())
    fail(ExitCode::Usage,
         "acceleration = \"extrapolation\" in [solver] cannot be: " + why + "; leave it out");
  return why.empty();
}

// Collision of collision = "auto", and with mrt on D3Q27 its equilibrium.
CollisionReason chooseCollision(const TiledGeometry& geometry, comm::Ranks& ranks,
                                cases::SolverCase& run) {
  CollisionReason reason = CollisionReason::Walls;
  run.collision = model::CollisionId::Trt;
  if (run.state == model::StateId::Moments) {
    reason = CollisionReason::Moments;
    run.collision = model::CollisionId::Regularised;
  } else if (run.law.local() && run.lattice == model::LatticeId::D3Q27) {
    reason = CollisionReason::LocalViscosity;
    run.collision = model::CollisionId::Cumulant;
  }
  return collisionByReynolds(geometry, ranks, run, reason);
}

// Chooses what the case leaves to the program. Returns the reason of the collision.
CollisionReason resolve(const TiledGeometry& geometry, comm::Ranks& ranks, cases::SolverCase& run) {
  if (run.walls == boundary::WallScheme::Auto)
    run.walls = boundary::automaticWalls(geometry, ranks);
  const CollisionReason reason =
      run.automaticCollision ? chooseCollision(geometry, ranks, run) : CollisionReason::Given;
  if (reason != CollisionReason::Advection) chooseEquilibrium(geometry, run);
  return reason;
}

// State of a case that leaves it to the program. Moments where they hold all that the collision
// keeps: the results are those of populations to round-off, and on a GPU a step moves half of the
// bytes or, two in a pass, a quarter. On a CPU, whose steps of moments are bound by arithmetic,
// populations. A run that is resumed keeps its own.
StateReason chooseState(const TiledGeometry& geometry, Setup& setup) {
  if (!setup.run.automaticState) return StateReason::Given;
  const bool cuda = setup.backend == BackendKind::Cuda;
  const std::optional<model::StateId> kept = setup.run.keptState;
  if (kept ? *kept != model::StateId::Moments : !cuda)
    return kept && cuda ? StateReason::Checkpoint : StateReason::Usual;
  cases::SolverCase other = setup.run;
  other.state = model::StateId::Moments;
  const backend::VariantInfo* const moments = backend::builtVariant(axesOf(other, geometry));
  const bool built = moments != nullptr && (!cuda || moments->makeCuda != nullptr);
  if (!built || !needsPopulations(other).empty()) return StateReason::Usual;
  setup.run.state = model::StateId::Moments;
  setup.variant = moments;
  return kept ? StateReason::Checkpoint : StateReason::Holds;
}

// The border of two copies. Whole cells where moments make two steps in a pass; with links at
// walls, where ranks wait for each other before every pass, the border alone, which is sooner done.
tiles::BorderTiles borderOf(const Setup& setup) {
  const bool inCells = setup.backend == BackendKind::Cuda && setup.variant->storesMoments() &&
                       !boundary::needWallLinks(setup.run.walls, setup.run.wallConditions);
  return inCells ? tiles::BorderTiles::FirstInCells : tiles::BorderTiles::First;
}

// One copy of the state falls back to two where its window would be too large.
void orderState(const TiledGeometry& geometry, int copies, Setup& setup) {
  const auto velocities = setup.variant->lattice.velocities;
  setup.copies = copies;
  setup.order =
      tiles::orderTiles(geometry, velocities, tileSequence(setup, geometry), setup.part,
                        setup.copies == 1 ? tiles::BorderTiles::FirstOfLayers : borderOf(setup));
  if (setup.copies == 2) return;
  setup.window = tiles::windowOf(setup.order, setup.variant->axes.state,
                                 setup.variant->storageBytes, setup.ranks->alone());
  if (setup.window.shift != 0) return;
  setup.copies = 2;
  setup.order = tiles::orderTiles(geometry, velocities, tileSequence(setup, geometry), setup.part,
                                  borderOf(setup));
}

boundary::WallPlanInput wallInput(const Setup& setup) {
  return {setup.run.walls, setup.run.wallConditions, setup.lattice.scales};
}

// All that depends on where tiles lie in the state.
void placeState(const TiledGeometry& geometry, comm::Ranks& ranks, int copies, Setup& setup) {
  setup.walls = {};
  orderState(geometry, copies, setup);
  setup.copiesOfAll = stage::sumOf(ranks, setup.order.copies.size());
  if (setup.cycles.steps > 0)
    setup.wallPoints = backend::findWallPoints(geometry, setup.order, setup.part);
  setup.walls =
      boundary::planWalls(setup.order, geometry, wallInput(setup), setup.variant->lattice);
  setup.tiles = RankTiles(geometry, setup.part, setup.order, setup.walls, setup.wallPoints, ranks);
}

}  // namespace

double columnTableBytes(const Setup& setup, const TiledGeometry& geometry) {
  if (setup.backend != BackendKind::Cuda || !setup.variant->storesMoments()) return 0.0;
  std::vector<Int3> positions;
  positions.reserve(geometry.tiles());
  for (std::size_t t = 0; t < geometry.tiles(); ++t)
    if (setup.part.owns(t)) positions.push_back(geometry.nonEmptyTiles[t]);
  return domain::columnTablesBytes(positions, setup.variant->storageBytes);
}

Setup setUp(const TiledGeometry& geometry, cases::SolverCase run, const std::string& backend,
            comm::Ranks& ranks, tiles::RankPart part) {
  Setup setup;
  setup.ranks = &ranks;
  setup.part = std::move(part);
  setup.automaticWalls = run.walls == boundary::WallScheme::Auto;
  const bool byPrecision = cases::followPrecision(run);
  setup.collisionReason = resolve(geometry, ranks, run);
  setup.variant = &variantOf(run, geometry);
  setup.run = std::move(run);
  setup.lattice = cases::latticeRun(setup.run, geometry, ranks);
  if (ranks.alone())
    setup.backend = chooseBackend(backend, *setup.variant);
  else if (backend::chooseDevices(backend, setup.variant->makeCuda != nullptr, ranks))
    setup.backend = BackendKind::Cuda;
  setup.stateReason = byPrecision ? StateReason::Precision : chooseState(geometry, setup);
  setup.columnBytes = columnTableBytes(setup, geometry);
  setup.cycles = cyclePlan(setup);
  if (setup.cycles.steps > 0)
    setup.run.steps = std::min(setup.run.steps, setup.cycles.cycles * setup.cycles.steps);
  setup.rampSteps = rampSteps(setup, geometry);
  setup.fieldsEvery = fieldsEvery(setup);
  setup.accelerated = accelerates(setup);
  setup.boundaryNodes = geometry.boundaryLocal.size();
  const int copies = chooseCopies(setup, geometry);
  placeState(geometry, ranks, copies, setup);
  const bool tight = copies == 2 && needsOneCopy(setup, geometry);
  if (comm::largestOf(ranks, tight ? 1.0 : 0.0) > 0.0)
    placeState(geometry, ranks, tight ? 1 : copies, setup);
  boundary::warnAboutOutflow(setup.walls, geometry, wallInput(setup), ranks);
  return setup;
}

Setup prepare(const TiledGeometry& geometry, cases::SolverCase run, const std::string& backend,
              comm::Ranks& ranks, tiles::RankPart part) {
  Setup setup = setUp(geometry, std::move(run), backend, ranks, std::move(part));
  for (const std::string& warning :
       cases::warningsAbout(cases::runNumbers(setup.run, setup.lattice, geometry), setup.run))
    stage::logWarning(warning);
  return setup;
}

}  // namespace tessera::solver::run
