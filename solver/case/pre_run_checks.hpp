// SPDX-License-Identifier: GPL-3.0-or-later
// Pre-run checks (Re, Ma, tau, ...) and suggested values.
#pragma once

#include <string>
#include <vector>

#include "solver/case/units.hpp"

namespace tessera::solver::cases {

struct RunNumbers {
  double spacing = 0.0;   // m
  double timeStep = 0.0;  // s
  double tau = 0.0;
  double velocity = 0.0;  // m/s, the largest expected; 0 where no opening prescribes one
  // At that velocity:
  double mach = 0.0;
  double gridReynolds = 0.0;  // velocity x spacing / viscosity
  // Largest of the inlets', by mean velocity and diameter (in 2D width).
  double reynolds = 0.0;
  // Diameter (in 2D width) of the smallest opening in spacings, 0 without openings.
  double nodesAcross = 0.0;
  std::string smallestOpening;  // "2 (outlet)"
};

RunNumbers runNumbers(const SolverCase& run, const LatticeRun& lattice,
                      const tiler::TiledGeometry& geometry);

// Likely problems of a run that is not impossible, a sentence each.
std::vector<std::string> warningsAbout(const RunNumbers& numbers, const SolverCase& run);

// A choice that works: tau in [0.51, 2], largest velocity at most 0.1 in lattice units.
struct WorkingValues {
  double spacing = 0.0;        // m; the geometry's own where that can work
  double velocityScale = 0.0;  // lattice units
  double tau = 0.0;
  double timeStep = 0.0;  // s
};

// velocity: the largest expected, m/s, positive.
WorkingValues workingValues(double velocity, double spacing, double kinematicViscosity);

// The same as advice, by the key that sets the case's time step, for instance
// "velocity_scale = 0.05 works (tau = 0.62)". velocity 0: not known.
std::string adviceThatWorks(const SolverCase& run, double velocity, double spacing);

// Settings that are stable at a higher grid Reynolds number than the case's; empty when there are
// none.
std::string eddyAdvice(const SolverCase& run);

}  // namespace tessera::solver::cases
