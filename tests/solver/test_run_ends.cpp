// SPDX-License-Identifier: GPL-3.0-or-later
// How runs end: taken up at their end they end there; what cannot be written, or has no memory, is
// told and loses nothing.
#include <catch2/catch.hpp>

#include "pipelines/stage/error.hpp"
#include "solver/simulation.hpp"
#include "tests/solver/geometries.hpp"
#include "tests/temporary_folder.hpp"

using namespace tessera;
using namespace tessera::testing;
namespace fs = std::filesystem;

namespace {

TilesFile duct() {
  return imageGeometry({12, 6, 6}, [](int, int, int) { return true; }, {},
                       {{0, false, 1}, {0, true, 2}}, 1e-4, {1, 0, 2});
}

SolverCase ductCase() {
  SolverCase run;
  run.density = 1000.0;
  run.kinematicViscosity = 1e-6;
  run.velocityScale = 0.05;
  run.monitorEvery = 7;
  run.openings = {{OpeningKind::Velocity, Profile::Plug, 0.02, 0.0},
                  {OpeningKind::Pressure, Profile::Plug, 0.0, 500.0}};
  return run;
}

SolverCase steadyCase() {
  SolverCase run = ductCase();
  run.converged = 1e-5;
  return run;
}

// Settles after some periods; its means go into the fields.
SolverCase pulsatileCase() {
  SolverCase run = ductCase();
  run.pulse = {0.02, 20, 1e-2, 4, 10};
  return run;
}

// A folder and the runs in it.
struct Runs {
  const TilesFile& tiles;
  SolverCase run;
  TemporaryFolder folder{};
  std::atomic<bool> signal{false};

  RunFiles files() const {
    return {folder / "run.monitor.csv", folder / "run.ckpt", folder / "run", "duct.tiles", ""};
  }
  // What is left of it: the fields and the monitor.
  std::string go(bool resume) {
    Simulation simulation(tiles, prepare(tiles.geometry, run, "cpu"));
    const RunFiles to = files();
    result = simulation.run(to, resume, signal, newProvenance("t"));
    writeFieldsFile(folder / "run.fields",
                    simulation.fields(result, to, result.monitor, newProvenance("t")));
    return readWhole(folder / "run.fields") + readWhole(to.monitor);
  }
  RunResult result{};
};

}  // namespace

TEST_CASE("a run taken up at the step at which it ended ends there again", "[unit]") {
  const TilesFile tiles = duct();
  for (const SolverCase& run : {steadyCase(), pulsatileCase()}) {
    Runs straight{tiles, run};
    const std::string expected = straight.go(false);
    const std::uint64_t end = straight.result.step;
    REQUIRE(straight.result.converged);
    CHECK(straight.result.cycles < 20);
    INFO("ended at step " << end);
    Runs cut{tiles, run};
    cut.run.checkpointEverySteps = end - 1;
    CHECK(cut.go(false) == expected);
    REQUIRE(fs::exists(cut.files().checkpoint));
    const auto endsAgain = [&] {
      CHECK(cut.go(true) == expected);
      CHECK(cut.result.step == end);
      CHECK(cut.result.converged);
      CHECK(cut.result.cycles == straight.result.cycles);
    };
    endsAgain();
    // Where it has no more steps to make either.
    cut.run.requireConvergence = true;
    cut.run.steps = end;
    endsAgain();
    // What asks for more goes on.
    cut.run.requireConvergence = false;
    cut.run.steps = 2 * end;
    if (run.converged) cut.run.converged = 0.0;
    cut.run.pulse.converged *= 1e-9;
    cut.go(true);
    CHECK(cut.result.step > end);
  }
}
