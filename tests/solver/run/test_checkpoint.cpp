// SPDX-License-Identifier: GPL-3.0-or-later
// Checkpoints: requests, refusals, full disks.
#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>

#include "pipelines/stage/cli/command_line.hpp"
#include "pipelines/stage/io/container.hpp"
#include "solver/run/checkpoints.hpp"
#include "solver/run/physics.hpp"
#include "solver/run/time_loop.hpp"
#include "tests/fixtures/case/checkpoint_runs.hpp"
#include "tests/fixtures/expect_error.hpp"

using namespace tessera;
using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::lattice;
using namespace tessera::solver::cases;
using namespace tessera::solver::file;
using namespace tessera::solver::model;
using namespace tessera::solver::run;
using namespace tessera::stage;
using namespace tessera::tiler::file;
using namespace tessera::testing;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

TEST_CASE("Checkpoint: it has the same bytes for any number of threads, solid nodes zero",
          "[unit]") {
  const TilesFile tiles = duct(40);
  std::string first;
  for (const int threads : {1, 2, 3}) {
    CommonOptions options;
    options.quiet = true;
    options.threads = threads;
    applyCommonOptions(options);
    Runs runs{tiles};
    runs.run.checkpointEverySteps = 50;
    runs.run.steps = 60;
    runs.go(false);
    if (first.empty()) first = readWhole(runs.checkpoint());
    CHECK(readWhole(runs.checkpoint()) == first);
    const ContainerReader reader(runs.checkpoint(), "ckpt", 1);
    const auto stored = reader.read<float>("populations", tiles.geometry.tiles() * 19 * 64);
    for (std::size_t t = 0; t < tiles.geometry.tiles(); ++t)
      for (std::size_t l = 0; l < 64; ++l) {
        bool zero = true;
        for (std::size_t i = 0; i < 19; ++i) zero = zero && stored[(t * 19 + i) * 64 + l] == 0.0F;
        CHECK(zero == (tiles.geometry.nodeType[t * 64 + l] == 0));
      }
  }
  applyCommonOptions({});
}

TEST_CASE("Checkpoint: one of another geometry, lattice, model or precision is refused", "[unit]") {
  const TilesFile tiles = duct();
  TilesFile longer = duct(11);
  longer.contentHash = "of another file";
  Runs runs{tiles};
  runs.signal = true;
  CHECK(runs.go(false).stopped);
  runs.signal = false;
  const auto refusedAs = [&](const TilesFile& geometry, const Setup& setup,
                             const std::string& words) {
    Simulation simulation(geometry, setup);
    checkError(ExitCode::BadInput,
               [&] {
                 runToEnd(simulation, {runs.folder / "m.csv", runs.checkpoint()}, true, runs.stop,
                          newProvenance("t"));
               },
               {words, "run.ckpt", "run without --resume"});
  };
  const auto refused = [&](const TilesFile& geometry, const SolverCase& run,
                           const std::string& words) {
    refusedAs(geometry, prepare(geometry.geometry, run, "cpu"), words);
  };
  refused(longer, runs.run, "geometry");
  SolverCase other = runs.run;
  other.precision = PrecisionId::F64;
  refused(tiles, other,
          "variant (D3Q19 trt quasi-compressible f32, not D3Q19 trt quasi-compressible f64)");
  other = runs.run;
  other.lattice = LatticeId::D3Q27;
  refused(tiles, other, "variant");
  other = runs.run;
  other.collision = CollisionId::Bgk;
  refused(tiles, other, "variant");
  other = runs.run;
  other.kinematicViscosity *= 2.0;
  refused(tiles, other, "fluid");
  refused(tiles, other, "older version");
  Setup slower = prepare(tiles.geometry, runs.run, "cpu");
  slower.lattice.tau += 1e-3;
  refusedAs(tiles, slower, "time step");
}

namespace {

// The checkpoint that a run left, by the set-up that resumes it.
struct CheckpointOf {
  explicit CheckpointOf(const Runs& run)
      : runs(run),
        setup(prepare(run.tiles.geometry, run.run, "cpu")),
        layout(setup.tiles.layout(setup.order, run.tiles.geometry, setup.variant->storedWords,
                                  setup.variant->storageBytes)),
        expected{run.tiles.contentHash, setup.variant->name(), physicsHash(setup),
                 setup.lattice.tau, setup.lattice.scales.timeStep} {}
  [[nodiscard]] Checkpoint read() const {
    return readCheckpoint(runs.checkpoint(), expected, layout).value();
  }
  const Runs& runs;
  const Setup setup;
  const TileLayout layout;
  const Checkpoint expected;
};

}  // namespace

// The hash alone tells it apart; the state is the same, so the flow goes on as if it was not
// stopped.
TEST_CASE("Checkpoint: one by the formulas of version 0.1 is resumed", "[unit]") {
  const TilesFile tiles = duct();
  Runs straight{tiles};
  straight.go(false);
  Runs runs{tiles};
  runs.leaveCheckpoints(100);
  runs.run = ductCase();
  const CheckpointOf left(runs);
  Checkpoint old = left.read();
  old.physics = physicsHash(left.setup, Formulas::Version01);
  REQUIRE(old.physics != left.expected.physics);
  old.walls = {1.0};  // its memory of walls is not that of these
  writeCheckpoint(runs.checkpoint(), old, old.state, left.layout, newProvenance("t"));
  CHECK(readCheckpointFile(runs.checkpoint(), left.expected, left.layout).otherThanExpected != "");
  Checkpoint either = left.expected;
  either.olderPhysics = old.physics;
  CHECK(readCheckpointFile(runs.checkpoint(), either, left.layout).olderFormulas);
  runs.go(true);
  CHECK(runs.populations == straight.populations);
}

TEST_CASE("Checkpoint: a case that leaves the state to the program goes on with the checkpoint's",
          "[unit]") {
  const TilesFile tiles = duct();
  for (const StateId state : {StateId::Populations, StateId::Moments}) {
    Runs runs{tiles};
    runs.run.collision = CollisionId::Regularised;
    runs.run.state = state;
    runs.leaveCheckpoints(203);
    SolverCase free = runs.run;
    setState("auto", free);
    keepState(runs.folder / "none.ckpt", solver::comm::noOthers(), free);
    CHECK_FALSE(free.keptState);
    CHECK_FALSE(prepare(tiles.geometry, free, "cpu").variant->storesMoments());
    keepState(runs.checkpoint(), solver::comm::noOthers(), free);
    CHECK(free.keptState == state);
    CHECK(prepare(tiles.geometry, free, "cpu").variant->axes.state == state);
    // The case is another now: the state does not decide its collision, and is not asked for.
    SolverCase other = free;
    other.collision = CollisionId::Trt;
    CHECK_FALSE(prepare(tiles.geometry, other, "cpu").variant->storesMoments());
    other = free;
    other.automaticCollision = true;
    CHECK(prepare(tiles.geometry, other, "cpu").variant->axes.collision == CollisionId::Trt);
    other = free;
    other.walls = WallScheme::SingleNode;
    CHECK_FALSE(prepare(tiles.geometry, other, "cpu").variant->storesMoments());
    // The newest is damaged: the one before.
    fs::resize_file(runs.checkpoint(), 100);
    free.keptState = std::nullopt;
    keepState(runs.checkpoint(), solver::comm::noOthers(), free);
    CHECK(free.keptState == state);
  }
}

// Version 1.0 of the file.
TEST_CASE("Checkpoint: one without forces is resumed, and the monitor goes on without them",
          "[unit]") {
  const TilesFile tiles = duct();
  Runs straight{tiles};
  straight.go(false);
  Runs runs{tiles};
  runs.leaveCheckpoints(100);
  runs.run = ductCase();
  const CheckpointOf left(runs);
  Checkpoint old = left.read();
  REQUIRE(old.forces.size() == forceValuesOf(tiles.geometry));
  const std::size_t wide = monitorColumns(2, tiles.geometry.wallNames.size());
  const std::size_t narrow = monitorColumns(2, 0);
  std::vector<double> rows;
  for (std::size_t r = 0; r < old.monitorRows.size(); r += wide)
    rows.insert(rows.end(), &old.monitorRows[r], &old.monitorRows[r] + narrow);
  old.monitorRows = rows;
  old.forces.clear();
  writeCheckpoint(runs.checkpoint(), old, old.state, left.layout, newProvenance("t"));
  runs.run.checkpointEverySteps = 60;
  for (const std::uint64_t steps :
       {200, 401}) {  // the second resumes from one that the first wrote
    runs.run.steps = steps;
    runs.go(true);
  }
  CHECK(runs.populations == straight.populations);
  CHECK_THAT(runs.monitor(), Contains("kinetic_energy[J]\n"));
  CHECK_THAT(straight.monitor(), Contains("force_0_x[N]") && Contains("force_opening_2_z[N]\n"));
}

TEST_CASE("Checkpoint: a file STOP, an end of time or a signal leaves one to resume from",
          "[unit]") {
  const TilesFile tiles = duct();
  Runs straight{tiles};
  straight.go(false);
  const auto now = StopRequests::Clock::now;
  for (const std::string by : {"signal", "STOP", "walltime"}) {
    INFO(by);
    Runs runs{tiles};
    runs.signal = by == "signal";
    if (by == "STOP") writeWhole(runs.stop.file = runs.folder / "STOP", "");
    if (by == "walltime") runs.stop.endBy(now() - std::chrono::seconds(1), "--max-walltime");
    const RunResult first = runs.go(false);
    CHECK(first.stopped);
    CHECK_THAT(first.stoppedBy, Contains(by));
    CHECK_FALSE(fs::exists(runs.folder / "STOP"));
    runs.signal = false;
    runs.stop.end.reset();
    CHECK_FALSE(runs.go(true).stopped);
    CHECK(runs.populations == straight.populations);
    CHECK(runs.monitor() == straight.monitor());
  }
}

TEST_CASE("Checkpoint: a run ends early enough before its time limit to write one", "[unit]") {
  const std::atomic<bool> none{false};
  StopRequests requests(none);
  const auto now = StopRequests::Clock::now();
  CHECK(requests.reason(1e6).empty());
  requests.endBy(now + std::chrono::seconds(100), "--max-walltime");
  requests.endBy(now + std::chrono::seconds(200), "the batch job");
  CHECK(requests.reason(50.0).empty());
  CHECK_THAT(requests.reason(101.0), Contains("--max-walltime"));
  const auto left = [] {
    const auto end = endOfBatchJob();
    return end ? std::chrono::duration<double>(*end - StopRequests::Clock::now()).count() : -1.0;
  };
  const std::string later = std::to_string(std::time(nullptr) + 1000);
  ::setenv("SLURM_JOB_END_TIME", later.c_str(), 1);
  CHECK(left() == Approx(970.0).margin(25.0));
  ::setenv("SLURM_JOB_END_TIME", "tomorrow", 1);
  CHECK_THAT(standardErrorOf([&] { CHECK(left() == -1.0); }), Contains("\"tomorrow\""));
  ::unsetenv("SLURM_JOB_END_TIME");
  CHECK(left() == -1.0);
}

// A limit on the size of files represents the full disk: the monitor's lines still fit.
TEST_CASE("Checkpoint: a full disk is reported and the run continues, but a requested stop fails",
          "[unit]") {
  const TilesFile tiles = duct();
  Runs straight{tiles};
  straight.go(false);
  Runs runs{tiles};
  runs.run.checkpointEverySteps = 100;
  runs.run.steps = 150;
  runs.go(false);
  const std::string kept = readWhole(runs.checkpoint());
  runs.run.steps = 401;
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 20000;
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  const std::string said = standardErrorOf([&] { runs.go(true); });
  runs.signal = true;
  const std::string stopped = sentenceOfError(ExitCode::OutputFailed, [&] { runs.go(true); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  CHECK_THAT(said, Contains("step 200") && Contains("MiB free") && Contains("step 100"));
  CHECK(runs.populations == straight.populations);
  CHECK_THAT(stopped, Contains("run.ckpt") && Contains("step 100"));
  CHECK(readWhole(runs.checkpoint()) == kept);
  CHECK(runs.monitor().size() > 0);
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(runs.folder.path())) files += entry.exists();
  CHECK(files == 2);
}

TEST_CASE("Monitor: after a full disk it has every line once when there is room", "[unit]") {
  const TemporaryFolder folder;
  const Scales scales{1e-4, 1e-3, 1000.0};
  const auto fill = [&](MonitorFile& file, std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t step = first; step < last; ++step)
      file.add({{{ForceOnWall{{0.5 * double(step), 0.0, 0.0}, {}}},
                 {ForceOnWall{{-0.5 * double(step), 0.0, 0.0}, {}}}},
                step,
                {1.0 / double(step + 1)},
                {0.1 * double(step)},
                {}});
  };
  std::vector<Opening> openings(1);
  openings[0].id = 1;
  MonitorFile whole(std::make_shared<OpenMonitor>(folder / "whole.csv"), openings, 1, scales, {});
  fill(whole, 0, 60);
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 1000;
  MonitorFile cut(std::make_shared<OpenMonitor>(folder / "cut.csv"), openings, 1, scales, {});
  std::string said = standardErrorOf([&] {
    ::setrlimit(RLIMIT_FSIZE, &small);
    fill(cut, 0, 50);
  });
  const std::string half = readWhole(folder / "cut.csv");
  said += standardErrorOf([&] {
    ::setrlimit(RLIMIT_FSIZE, &before);
    fill(cut, 50, 60);
  });
  CHECK(half.back() == '\n');
  CHECK(half.size() <= 1000);
  CHECK_THAT(said, Contains("cut.csv") && Contains("File too large"));
  CHECK(readWhole(folder / "cut.csv") == readWhole(folder / "whole.csv"));
  CHECK(whole.table().rows.size() == 60 * whole.table().columns.size());
}

TEST_CASE("Checkpoint: checkpoint_every and fields_every are a time or a number of steps",
          "[unit]") {
  const TilesFile tiles = duct();
  const auto read = [&](const std::string& value, const std::string& key = "checkpoint_every") {
    return readSolverCase(CaseFile::parse("[fluid]\nfluid = \"water\"\n[solver]\ntau = 0.8\n"
                                          "[[opening]]\nid = 1\nkind = \"velocity\"\nmean = 0.01\n"
                                          "[[opening]]\nid = 2\nkind = \"pressure\"\nvalue = 0\n"
                                          "[output]\n" +
                                              key + " = " + value + "\n",
                                          "case.toml"),
                          tiles.geometry);
  };
  CHECK(read("\"30 min\"").checkpointEvery == 1800.0);
  CHECK(read("1800").checkpointEvery == 1800.0);
  CHECK(read("\"5000 steps\"").checkpointEverySteps == 5000);
  CHECK(read("\"5000 steps\"").checkpointEvery == 0.0);
  CHECK(read("\"300 steps\"", "fields_every").fieldsEverySteps == 300);
  CHECK(read("300", "fields_every").fieldsEverySteps == 300);
  CHECK(read("\"10 ms\"", "fields_every").fieldsEveryTime == 0.01);
  for (const char* wrong :
       {"\"0 steps\"", "\"-3 steps\"", "\"1.5 steps\"", "\" steps\"", "\"1 m\""})
    checkError(ExitCode::Usage, [&] { read(wrong); }, {"case.toml:14"});
}
