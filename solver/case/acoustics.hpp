// SPDX-License-Identifier: GPL-3.0-or-later
// Sound of pulsatile flow. The lattice's fluid is compressible: between an opening with a
// prescribed flow and one with a pressure it swings as a wave in a rigid tube (Womersley 1955),
//   outflow / inflow = 1 / cos(K L),  K = omega / c (1 - F)^-1/2,  c = spacing / (3^1/2 time step),
//   F = 2 J1(b) / (b J0(b)), b = i^3/2 alpha,
// L the way between the two and alpha the Womersley number of the first; without the drag of the
// Stokes layer, F = 0, 1 / cos(omega L / c). Between two pressures, which swing against each other
// about their mean, the flow is x / tan(x) of what it should be, x = K L / 2. The error decreases
// with the square of the time step.
#pragma once

#include <optional>

#include "solver/case/opening_paths.hpp"
#include "solver/case/solver_case.hpp"

namespace tessera::solver::cases {

constexpr double acousticHighest = 0.01;   // error without a warning
constexpr double acousticTarget = 0.009;   // of the time step that the program chooses or proposes
constexpr double acousticMostSteps = 4.0;  // the time step is shortened by at most as much

// Relaxation time below which no time step of a pulsatile flow is shortened. TRT with walls by
// multireflection: 0.512; tubes of Womersley number 10, 12 and 24 nodes across, became unstable
// beside their velocity inlet as the flow turned round, at 0.504 and 0.509. With Bouzidi's walls or
// the regularised collision they ran.
double tauLowestForPulse(const SolverCase& run);

// A pair of openings between which a flow or a pressure swings.
struct SoundPath {
  int from = 0, to = 0;  // ids
  double length = 0.0;   // m
  bool bothPressures = false;
  double alpha = 0.0;  // Womersley number of the first harmonic
  int dimensions = 3;
  boundary::Harmonics harmonics;
};

// Change of the flow's amplitude by sound, relative, the mean of the harmonics weighted by their
// amplitudes. soundSpeed: m/s.
double acousticError(const SoundPath& path, double soundSpeed);

// The pair with the largest error; nullopt for a case without such a pair. Collective.
std::optional<SoundPath> worstSoundPath(const SolverCase& run, const tiler::TiledGeometry& geometry,
                                        double soundSpeed, comm::Ranks& ranks);

// Least factor on the number of steps with which the error is at most acousticTarget, also with
// every larger one.
double stepsForSound(const SoundPath& path, double soundSpeed);

}  // namespace tessera::solver::cases
