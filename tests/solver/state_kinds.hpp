// SPDX-License-Identifier: GPL-3.0-or-later
// Ways to keep and step a state, one of which a test tells from the others.
#pragma once

#include "solver/case/solver_case.hpp"

namespace tessera::testing {

using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::model;

struct StateKind {
  CollisionId collision;
  PrecisionId precision;
  StateId state;
  WallScheme walls;
};

// Water, tau = 0.7, nothing driven yet.
inline SolverCase caseOf(const StateKind& kind) {
  SolverCase run;
  run.density = 1000.0;
  run.kinematicViscosity = 1e-6;
  run.collision = kind.collision;
  run.precision = kind.precision;
  run.state = kind.state;
  run.walls = kind.walls;
  run.tau = 0.7;
  return run;
}

}  // namespace tessera::testing
