// SPDX-License-Identifier: GPL-3.0-or-later
// What the solver takes from the case file, in SI units, checked against the geometry.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pipelines/stage/case/case_file.hpp"
#include "solver/boundary/condition.hpp"
#include "solver/boundary/wall_condition.hpp"
#include "solver/model/axes.hpp"
#include "solver/model/viscosity/law.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::solver::cases {

// [time]: a flow that repeats itself.
struct PulseCase {
  double period = 0.0;          // s; 0: not pulsatile
  std::uint64_t cycles = 5;     // at most
  double converged = 1e-3;      // relative change from cycle to cycle
  std::uint64_t phases = 20;    // fields of the recorded cycle
  std::uint64_t meanEvery = 0;  // steps between samples for means; 0: 200 of a cycle
};

struct SolverCase {
  double density = 0.0;             // kg/m3
  double kinematicViscosity = 0.0;  // m2/s; where it is local the least of law
  std::string place;                // "case.toml:4", of what fixes the time step; empty: no file
  model::ViscosityLaw law;          // SI; of a Newtonian fluid only smagorinsky is read
  model::LatticeId lattice = model::LatticeId::D3Q19;  // readSolverCase: D2Q9 for a geometry in 2D
  model::CollisionId collision = model::CollisionId::Trt;
  model::EquilibriumId equilibrium = model::EquilibriumId::QuasiCompressible;
  model::PrecisionId precision = model::PrecisionId::F32;
  model::StateId state = model::StateId::Populations;
  std::string copies = "auto";          // of the state in memory; or "1", "2"
  std::optional<double> magic;          // TRT; absent: LatticeRun says which
  std::optional<double> velocityScale;  // lattice units
  std::optional<double> timeStep;       // s
  std::optional<double> tau;
  std::optional<double> ramp;         // s; absent: chosen
  std::string initialHash;            // of the fields the run starts from; empty: from rest
  std::array<double, 3> bodyForce{};  // N/m3, world axes

  boundary::WallScheme walls = boundary::WallScheme::Halfway;
  std::vector<boundary::WallCondition>
      wallConditions;                         // one for each wall label; empty: all at rest
  std::vector<boundary::Condition> openings;  // one for each opening of the geometry, in its order

  std::uint64_t steps = 200000;
  std::optional<double> converged;
  bool requireConvergence = false;
  std::uint64_t monitorEvery = 100;
  PulseCase pulse;
  std::uint64_t fieldsEverySteps = 0;      // files of fields on the way, one of these two; 0: none
  double fieldsEveryTime = 0.0;            // s
  double checkpointEvery = 0.0;            // s of wall time; 0: only when asked to stop, or
  std::uint64_t checkpointEverySteps = 0;  // by steps
};

// Reads [fluid], [solver], [[opening]], [stop], [output]; rejects unknown keys, an opening without
// condition, a condition without opening. Throws StageError(Usage) with file and line.
SolverCase readSolverCase(const stage::CaseFile& file, const tiler::TiledGeometry& geometry);

}  // namespace tessera::solver::cases
