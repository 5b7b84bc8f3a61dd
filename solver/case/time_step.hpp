// SPDX-License-Identifier: GPL-3.0-or-later
// The time step and relaxation time of a case, and its conversion from SI to lattice units, in
// which spacing, time step and density are 1.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

#include "solver/case/acoustics.hpp"
#include "solver/case/solver_case.hpp"
#include "solver/comm/ranks.hpp"
#include "solver/model/lattice_info.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::solver::cases {

// lattice_velocity of a case that gives no time step: the largest expected velocity, lattice units.
constexpr double usualVelocity = 0.05;

// Least tau: below, TRT and LBGK diverge on any flow.
constexpr double tauLowest = 0.5005;

// How the time step came about.
enum class StepChoice : std::uint8_t {
  Given,      // time_step, tau or lattice_velocity of the case
  Velocity,   // usualVelocity at the largest expected velocity
  Driven,     // the same at the velocity that pressures or a force drive by estimate
  Viscosity,  // tau at the end of the range in which results are accurate
};

struct LatticeRun {
  model::Scales scales;
  StepChoice choice = StepChoice::Given;
  double tau = 1.0;         // at the least viscosity
  double tauHighest = 1.0;  // at the largest viscosity
  model::ViscosityLaw law;  // lattice units
  // Magic parameter of TRT: as given, else 3/16, which places halfway walls halfway, or 1/20 with
  // multireflection; at low viscosities less, between what long and short odd relaxation times make
  // unstable.
  double magic = 3.0 / 16.0;
  double velocityMax = 0.0;  // largest expected velocity, lattice units; 0: unknown
  // That of drivenFlow() where velocityMax is unknown or surely less; 0: elsewhere.
  double velocityDriven = 0.0;
  std::array<double, 3> force{};  // lattice units, lattice axes
  // Path of sound in a pulsatile case with a swinging flow or pressure.
  std::optional<SoundPath> sound;
  double soundSteps = 1.0;  // factor by which the time step was shortened for the sound

  // Largest expected velocity, prescribed or driven, lattice units; 0: unknown.
  [[nodiscard]] double velocityExpected() const { return std::max(velocityMax, velocityDriven); }
  // Largest expected velocity x spacing / least viscosity.
  [[nodiscard]] double gridReynolds() const { return velocityExpected() * 3.0 / (tau - 0.5); }
  [[nodiscard]] double soundSpeed() const { return scales.velocity() / std::sqrt(3.0); }  // m/s
};

// Chooses the time step (from lattice_velocity, time_step or tau). With none of these,
// usualVelocity is the lattice_velocity, but tau is at most accurateTauHighest; where the velocity
// is an estimate (drivenFlow()) it is also at least drivenTauLowest, and the pressures change the
// lattice's density by at most drivenDensity. With neither time_step nor tau it is shorter, up to
// acousticMostSteps times and down to tauLowestForPulse(), where acousticError() is above
// acousticHighest and falls by a larger factor than the steps rise. Throws
// StageError(Usage) with advice for a relaxation time or Mach number that cannot work. The same on
// all ranks; collective.
LatticeRun latticeRun(const SolverCase& run, const tiler::TiledGeometry& geometry,
                      comm::Ranks& ranks = comm::noOthers());

// Largest expected velocity in a throat of the geometry, m/s: peak of a parabolic profile with the
// flow of the openings on its side, through all of its passages. Free openings share what the
// others of their connected part let in by their areas. 0 without throats, or if no velocity is
// prescribed.
double throatVelocity(const SolverCase& run, const tiler::TiledGeometry& geometry);

// Largest expected velocity, m/s: peaks at inlets, at outlets and in throats by continuity, moving
// walls. 0 if none is prescribed.
double expectedVelocity(const SolverCase& run, const tiler::TiledGeometry& geometry,
                        comm::Ranks& ranks = comm::noOthers());

}  // namespace tessera::solver::cases
