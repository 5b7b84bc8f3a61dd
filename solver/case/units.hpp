// SPDX-License-Identifier: GPL-3.0-or-later
// Between SI and lattice units: spacing, time step and density are 1 in lattice units.
#pragma once

#include "solver/case/solver_case.hpp"
#include "solver/comm/ranks.hpp"
#include "solver/model/scales.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::solver::cases {

struct LatticeRun {
  model::Scales scales;
  double tau = 1.0;         // of the least viscosity
  double tauHighest = 1.0;  // of the largest viscosity, the same for a constant one
  model::ViscosityLaw law;  // lattice units
  // TRT's magic parameter: as given, else 3/16, which puts walls midway, down to tau = 0.6, and
  // below that 18.75 (tau - 1/2)^2: flows of low viscosity are unstable with long odd relaxation
  // times.
  double magic = 3.0 / 16.0;
  double velocityMax = 0.0;       // largest expected velocity, lattice units; 0 when not known
  std::array<double, 3> force{};  // lattice units, lattice axes
};

// Chooses the time step (from velocity_scale, time_step or tau) and checks that the run can work:
// throws StageError(Usage) for a relaxation time or Mach number that cannot, and says what to
// change. The same on all ranks, each of which has a part of the geometry; collective.
LatticeRun latticeRun(const SolverCase& run, const tiler::TiledGeometry& geometry,
                      comm::Ranks& ranks = comm::noOthers());

// The largest velocity the openings and walls lead one to expect, m/s: peaks at inlets, at outlets
// by continuity, moving walls. 0 when none prescribes a velocity.
double expectedVelocity(const SolverCase& run, const tiler::TiledGeometry& geometry,
                        comm::Ranks& ranks = comm::noOthers());

}  // namespace tessera::solver::cases
