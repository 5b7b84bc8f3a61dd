// SPDX-License-Identifier: GPL-3.0-or-later
// Pre-run checks (Re, Ma, tau, ...) and suggested values.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "solver/case/time_step.hpp"

namespace tessera::solver::cases {

struct RunNumbers {
  double spacing = 0.0;            // m
  std::array<bool, 3> periodic{};  // in 2D without z, see axesToDivide()
  double timeStep = 0.0;           // s
  double tau = 0.0;
  double velocity = 0.0;  // m/s, largest expected; 0: none prescribed
  double driven = 0.0;    // m/s, of LatticeRun::velocityDriven
  double machDriven = 0.0;
  double throatVelocity = 0.0;     // m/s, largest expected in a throat of the geometry; 0: unknown
  std::string throatsNotSearched;  // TiledGeometry's, of two openings or more
  // At the largest velocity:
  double mach = 0.0;
  double gridReynolds = 0.0;  // velocity x spacing / least viscosity
  // Largest Reynolds number of the inlets, by mean velocity and diameter (2D: width).
  double reynolds = 0.0;
  // Diameter (2D: width) of the smallest opening in spacings; 0 without openings.
  double nodesAcross = 0.0;
  std::string smallestOpening;  // "2 (outlet)"
  double throatAcross = 0.0;    // the same of the narrowest throat; 0: none
  double stokesLayer = 0.0;     // stokesLayer() in spacings
  // Sound of a pulsatile flow.
  struct Sound {
    std::string from, to;  // openings, "2 (outlet)"; empty: no such pair
    double length = 0.0;   // m
    double error = 0.0;    // acousticError()
    double factor = 1.0;   // stepsForSound(): more steps that bring it to acousticTarget
    double taken = 1.0;    // factor by which the program has shortened the time step
  } sound;
};

RunNumbers runNumbers(const SolverCase& run, const LatticeRun& lattice,
                      const tiler::TiledGeometry& geometry);

// Warnings, one sentence each.
std::vector<std::string> warningsAbout(const RunNumbers& numbers, const SolverCase& run);

// Spacing that the warnings propose, or half of this one where none of them asks for a finer one.
double steadierSpacing(const RunNumbers& numbers);

// Working values: tau from the lowest given to 2, largest velocity at most 0.05 in lattice units.
struct WorkingValues {
  double spacing = 0.0;          // m; the geometry's own if possible
  double latticeVelocity = 0.0;  // lattice units
  double tau = 0.0;
  double timeStep = 0.0;  // s
};

// Spacing of a geometry, and the axes whose periods a finer one must divide too.
struct LatticeSpacing {
  double spacing = 0.0;  // m
  std::array<bool, 3> periodic{};
};

// velocity: largest expected, m/s, positive.
WorkingValues workingValues(double velocity, const LatticeSpacing& lattice,
                            double kinematicViscosity, double lowestTau);

// Advice for the key that sets the time step, for instance "lattice_velocity = 0.05 works (tau =
// 0.62)", or for the spacing, as options that work to the letter. velocity 0: unknown.
std::string adviceThatWorks(const SolverCase& run, double velocity, const LatticeSpacing& lattice);

// Advice: settings that are stable at a higher grid Reynolds number; empty if none.
std::string eddyAdvice(const SolverCase& run);

}  // namespace tessera::solver::cases
