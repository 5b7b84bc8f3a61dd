// SPDX-License-Identifier: GPL-3.0-or-later
// The numbers by which one sees before the first step whether a run can work, and values that can
// where it cannot.
#pragma once

#include <string>
#include <vector>

#include "solver/units.hpp"

namespace tessera {

struct RunNumbers {
  double spacing = 0.0;   // m
  double timeStep = 0.0;  // s
  double tau = 0.0;
  double velocity = 0.0;  // m/s, the largest expected; 0 where no opening prescribes one
  // Of that velocity.
  double mach = 0.0;
  double gridReynolds = 0.0;  // velocity x spacing / viscosity
  // Of the inlet with the largest: its mean velocity and diameter (in 2D its width).
  double reynolds = 0.0;
  // Diameter (in 2D width) of the smallest opening in spacings, 0 without openings.
  double nodesAcross = 0.0;
  std::string smallestOpening;  // "2 (outlet)"
};

RunNumbers runNumbers(const SolverCase& run, const LatticeRun& lattice,
                      const TiledGeometry& geometry);

// What is likely to spoil the run though it is not impossible, a sentence each.
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

// The same as advice in terms of the key the case chooses its time step by, for instance
// "velocity_scale = 0.05 works (tau = 0.62)". velocity 0: not known.
std::string adviceThatWorks(const SolverCase& run, double velocity, double spacing);

// What bears a higher grid Reynolds number than the case's collision; empty when there is nothing.
std::string eddyAdvice(const SolverCase& run);

}  // namespace tessera
