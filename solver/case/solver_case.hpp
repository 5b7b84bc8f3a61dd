// SPDX-License-Identifier: GPL-3.0-or-later
// The case of a run: values of the case file in SI units, checked against the geometry.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pipelines/stage/case/case_file.hpp"
#include "solver/boundary/condition.hpp"
#include "solver/boundary/wall_condition.hpp"
#include "solver/case/force_case.hpp"
#include "solver/case/initial_field.hpp"
#include "solver/case/probes.hpp"
#include "solver/model/axes.hpp"
#include "solver/model/viscosity/law.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::solver::cases {

// [time]: pulsatile flow.
struct PulseCase {
  double period = 0.0;          // s; 0: not pulsatile
  std::uint64_t cycles = 5;     // at most
  double converged = 1e-3;      // relative distance from the periodic flow
  std::uint64_t phases = 20;    // fields of the recorded cycle
  std::uint64_t meanEvery = 0;  // steps between samples for means; 0: 200 samples per cycle
};

struct SolverCase {
  double density = 0.0;                    // kg/m3
  double kinematicViscosity = 0.0;         // m2/s; of a local viscosity the least
  std::vector<std::string> unitQuestions;  // of readSolverCase: likely slips of units
  std::string place;        // "case.toml:4", key that fixes the time step; empty: no file
  model::ViscosityLaw law;  // SI; for a Newtonian fluid only smagorinsky is used
  model::LatticeId lattice = model::LatticeId::D3Q19;  // readSolverCase: D2Q9 for a geometry in 2D
  model::CollisionId collision = model::CollisionId::Trt;
  bool automaticCollision = false;  // readSolverCase: unless given; chosen by run::prepare()
  bool automaticLattice = false;    // the same; D3Q27 where the collision needs it
  model::EquilibriumId equilibrium = model::EquilibriumId::QuasiCompressible;
  bool automaticEquilibrium = false;  // as automaticCollision
  model::PrecisionId precision = model::PrecisionId::F32;
  model::StateId state = model::StateId::Populations;
  bool automaticState = false;              // as automaticCollision
  std::optional<model::StateId> keptState;  // of the checkpoint that is resumed
  std::string copies = "auto";              // copies of the state: or "1", "2"
  std::optional<double> magic;              // TRT; absent: chosen in LatticeRun
  std::optional<double> latticeVelocity;    // lattice_velocity, lattice units
  std::optional<double> timeStep;           // s
  std::optional<double> tau;
  std::optional<double> ramp;  // s; absent: chosen
  std::string initialHash;     // of the initial fields; empty: start from rest
  std::shared_ptr<const InitialField> initialField;  // [initial]; null: none
  std::array<double, 3> bodyForce{};                 // N/m3, world axes

  boundary::WallScheme walls = boundary::WallScheme::Halfway;
  std::vector<boundary::WallCondition>
      wallConditions;                         // one for each wall label; empty: all at rest
  std::vector<boundary::Condition> openings;  // one for each opening of the geometry, in its order

  // Steps between states that the run may go back to when it diverges (run/kept_states.hpp), whole
  // hundreds; 0: on_divergence = "stop".
  std::uint64_t keepEvery = 2000;

  // Extrapolation of a flow that becomes steady to its limit (run/steady_march.hpp); absent: where
  // it holds.
  std::optional<bool> accelerate;

  std::uint64_t steps = 200000;
  std::optional<double> converged;
  bool requireConvergence = false;
  std::uint64_t monitorEvery = 100;
  PulseCase pulse;
  ForceCase forces;
  std::vector<Probe> probes;
  std::vector<Station> stations;
  std::uint64_t fieldsEverySteps = 0;      // intermediate output, by steps or by time; 0: none
  double fieldsEveryTime = 0.0;            // s
  double checkpointEvery = 0.0;            // s of wall time; 0: only on a stop request, or
  std::uint64_t checkpointEverySteps = 0;  // by steps
};

// Stokes layer, (2 nu / omega)^1/2, of the flow or pressure at an opening that swings fastest, m;
// 0: none swings, whatever the period of [time].
double stokesLayer(const SolverCase& run);
// There is a Stokes layer, and it has fewer nodes than mrt on D3Q27 needs for the swing of the wall
// shear (tests/bench/RESULTS.md).
bool hasThinStokesLayer(const SolverCase& run, double spacing);

// Reads all tables of the solver. Throws StageError(Usage) with file and line for unknown keys, an
// opening without condition, a condition without opening.
SolverCase readSolverCase(const stage::CaseFile& file, const tiler::TiledGeometry& geometry);

// name: one of stateWords(); "auto" leaves the state to run::prepare().
void setState(std::string_view name, SolverCase& run);
// m32/16 is a precision of moments alone: they become the state of a case that leaves it open.
// Returns whether they did. Throws StageError(Usage) where the case asks for populations.
bool followPrecision(SolverCase& run);

// Sets density, kinematicViscosity and law, in SI; what is missing is noted in the table and not a
// number. Throws StageError(Usage) with file and line.
void readFluid(stage::CaseTable table, SolverCase& run);

// One condition per opening of the geometry, in its order. Waveforms are relative to the case file.
// Incomplete where the file has noted mistakes.
// Throws StageError(Usage) with file and line, and as readWaveform() does.
std::vector<boundary::Condition> readOpenings(const stage::CaseFile& file,
                                              const tiler::TiledGeometry& geometry);

// Completes outflow splits from the other conditions (splitOutflow); no-op without any.
void completeSplits(const std::string& caseName, const tiler::TiledGeometry& geometry,
                    std::vector<boundary::Condition>& conditions);

}  // namespace tessera::solver::cases
