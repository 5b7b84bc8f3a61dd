// SPDX-License-Identifier: GPL-3.0-or-later
// Short runs that leave checkpoints, for tests of these.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "solver/run/time_loop.hpp"
#include "tests/solver/geometries.hpp"
#include "tests/temporary_folder.hpp"

namespace tessera::testing {

using namespace tessera::preprocess::lattice;
using namespace tessera::solver::boundary;
using namespace tessera::solver::cases;
using namespace tessera::solver::run;
using namespace tessera::stage;
using namespace tessera::tiler::file;

// With a solid node in it, and tiles that are cut.
inline TilesFile duct(int length = 10) {
  return imageGeometry({length, 6, 6},
                       [](int x, int y, int z) { return x != 5 || y != 2 || z != 3; }, {},
                       {{0, false, 1}, {0, true, 2}}, 1e-4, {1, 0, 2});
}

inline SolverCase ductCase() {
  SolverCase run;
  run.density = 1000.0;
  run.kinematicViscosity = 1e-6;
  run.velocityScale = 0.05;
  run.steps = 401;
  run.monitorEvery = 7;
  run.openings = {Velocity{Profile::Plug, 0.02}, Pressure{500.0}};
  return run;
}

// A folder and the runs in it.
struct Runs {
  const TilesFile& tiles;
  SolverCase run = ductCase();
  TemporaryFolder folder{};
  std::atomic<bool> signal{false};
  StopRequests stop{signal};

  std::filesystem::path checkpoint() const { return folder / "run.ckpt"; }
  std::filesystem::path previous() const { return folder / "run.ckpt.prev"; }
  std::string monitor() const { return readWhole(folder / "run.monitor.csv"); }
  RunResult go(bool resume) {
    Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
    RunResult result = runToEnd(simulation, {folder / "run.monitor.csv", checkpoint()}, resume,
                                stop, newProvenance("t"));
    if (!result.stopped) populations = simulation.populations();
    return result;
  }
  // To its end, with a checkpoint every 60 steps.
  void leaveCheckpoints(std::uint64_t steps) {
    run.checkpointEverySteps = 60;
    run.steps = steps;
    go(false);
  }
  std::vector<double> populations{};
};

inline void flipByteIn(const std::filesystem::path& path) {
  std::string bytes = readWhole(path);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 4);
  writeWhole(path, bytes);
}

}  // namespace tessera::testing
