// SPDX-License-Identifier: GPL-3.0-or-later
// Set-up of a run, before the first step: variant, backend, order of tiles, time step, ramp, walls.
// Everything that a run needs except the state; cheap enough for --plan.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "solver/backend/cpu/wall_points.hpp"
#include "solver/backend/registry.hpp"
#include "solver/boundary/plan_walls.hpp"
#include "solver/file/checkpoint_file.hpp"
#include "solver/run/rank_tiles.hpp"
#include "solver/run/stop.hpp"
#include "solver/tiles/update_window.hpp"

namespace tessera::solver::run {

enum class BackendKind { Cpu, Cuda };

// Why the collision of a case that leaves it to the program is the one it is.
enum class CollisionReason {
  Given,            // by the case
  Moments,          // which a regularised collision has as its state
  LocalViscosity,   // on D3Q27: cumulants
  Advection,        // oblique to the axes: mrt on D3Q27
  Stability,        // cumulants or, in 2D, mrt, above the grid Reynolds numbers of the others
  ThinStokesLayer,  // TRT, although the grid Reynolds number is that of mrt on D3Q27
  Walls,            // which with TRT do not move with the viscosity
};

// Why the state of a run is the one it is.
enum class StateReason {
  Given,       // by the case
  Usual,       // populations
  Holds,       // moments hold all that the collision keeps
  Precision,   // which moments alone have
  Checkpoint,  // that of the checkpoint that is resumed
};

// auto: CUDA when there is a device. Throws StageError(NoResource) for cuda without one.
BackendKind chooseBackend(const std::string& name, const backend::VariantInfo& variant);

// Identity of the case's own set-up, before any recovery: part of checkpoints.
struct RunIdentity {
  std::string variant;
  std::string physics;
  std::string olderPhysics;  // of the same case, by version 0.1
  double tau = 0.0;
  double timeStep = 0.0;  // s
};

struct Setup {
  cases::SolverCase run;
  cases::LatticeRun lattice;
  const backend::VariantInfo* variant = nullptr;
  BackendKind backend = BackendKind::Cpu;
  int copies = 2;             // of the state
  tiles::StateWindow window;  // of the in-place update, with one copy
  int stepsInPass = 0;        // Domain's, for tests
  tiles::TileOrder order;
  std::uint64_t copiesOfAll = 0;  // TileOrder::copies of all ranks
  boundary::Walls walls;
  std::uint64_t boundaryNodes = 0;  // of the geometry, for the memory of wall forces
  double columnBytes = 0.0;         // columnTableBytes()
  bool automaticWalls = false;      // run.walls was "auto"
  StateReason stateReason = StateReason::Given;
  CollisionReason collisionReason = CollisionReason::Given;
  std::uint64_t rampSteps = 0;
  bool accelerated = false;        // the march to a steady state (steady_march.hpp)
  std::uint64_t fieldsEvery = 0;   // steps between files of intermediate output; 0: none
  CyclePlan cycles;                // of a pulsatile run
  backend::WallPoints wallPoints;  // of a pulsatile run
  comm::Ranks* ranks = &comm::noOthers();
  tiles::RankPart part;                    // of the geometry, with several ranks
  RankTiles tiles;                         // owned by this rank
  std::vector<file::Recovery> recoveries;  // that led to this set-up
  std::size_t leftPlain = 0;               // of these, those that only left out the acceleration
  std::optional<RunIdentity> before;       // of the set-up before them

  // Whether a pass may make two steps: of moments on a GPU, where no copies across periodic faces
  // act in between. The same on every rank.
  [[nodiscard]] bool mayStepTwice() const {
    return backend == BackendKind::Cuda && variant->storesMoments() && copiesOfAll == 0;
  }
  // Steps for each of the case's own.
  [[nodiscard]] std::uint64_t refinement() const {
    return recoveries.empty() ? 1 : recoveries.back().refinement;
  }
};

// Memory of the tables of columns of tiles that moments on a GPU step by; 0 for others.
double columnTableBytes(const Setup& setup, const tiler::TiledGeometry& geometry);
// geometry: the part of the rank that calls this. Collective. Throws StageError(Usage) for a case
// that does not fit the geometry or cannot work.
Setup setUp(const tiler::TiledGeometry& geometry, cases::SolverCase run, const std::string& backend,
            comm::Ranks& ranks, tiles::RankPart part);
// The same; warns of what is likely to spoil the run.
Setup prepare(const tiler::TiledGeometry& geometry, cases::SolverCase run,
              const std::string& backend, comm::Ranks& ranks = comm::noOthers(),
              tiles::RankPart part = {});

}  // namespace tessera::solver::run
