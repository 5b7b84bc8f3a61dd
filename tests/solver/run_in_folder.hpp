// SPDX-License-Identifier: GPL-3.0-or-later
// Runs to their end in a folder: steady, of a number of steps, in cycles.
#pragma once

#include <functional>

#include "pipelines/stage/io/hash.hpp"
#include "solver/run/time_loop.hpp"
#include "tests/solver/checkpoint_runs.hpp"

namespace tessera::testing {

using namespace tessera::solver::cases;
using namespace tessera::solver::run;
using namespace tessera::stage;
using namespace tessera::tiler::file;

inline TilesFile shortDuct() {
  return imageGeometry({20, 6, 6}, [](int, int, int) { return true; }, {},
                       {{0, false, 1}, {0, true, 2}}, 1e-4, {1, 0, 2});
}

inline SolverCase ductOfSteps(std::uint64_t steps) {
  SolverCase run = ductCase();
  run.steps = steps;
  return run;
}

inline SolverCase steadyDuct() {
  SolverCase run = ductOfSteps(200000);
  run.converged = 1e-5;
  return run;
}

// Settles after some periods; its means go into the fields.
inline SolverCase ductInCycles() {
  SolverCase run = ductOfSteps(200000);
  run.pulse = {0.02, 20, 1e-2, 4, 10};
  return run;
}

struct RunInFolder {
  const TilesFile& tiles;
  SolverCase run;
  TemporaryFolder folder{};
  std::atomic<bool> signal{false};
  RunFiles files{folder / "run.monitor.csv", folder / "run.ckpt", folder / "run", "duct.tiles", "",
                 folder / "run.fields"};
  RunResult result{};
  std::function<void()> prepared = [] {};  // called before it runs

  // A hash of the fields and the monitor.
  std::string go(bool resume) {
    Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
    prepared();
    result = runToEnd(simulation, files, resume, signal, newProvenance("t"));
    const std::string all = readWhole(files.fields) + readWhole(files.monitor);
    return hashBytes(all.data(), all.size());
  }
};

}  // namespace tessera::testing
