// SPDX-License-Identifier: GPL-3.0-or-later
// Ends of runs: resumed at their end they end there; a failed write is reported and loses nothing.
#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <csignal>

#include "tests/fixtures/case/run_in_folder.hpp"
#include "tests/fixtures/expect_error.hpp"

using namespace tessera;
using namespace tessera::solver::cases;
using namespace tessera::stage;
using namespace tessera::tiler::file;
using namespace tessera::testing;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

TEST_CASE("End of a run: resumed at its last step it ends there again", "[unit]") {
  const TilesFile tiles = shortDuct();
  for (const SolverCase& run : {steadyDuct(), ductInCycles()}) {
    RunInFolder straight{tiles, run};
    const std::string expected = straight.go(false);
    const std::uint64_t end = straight.result.step;
    REQUIRE(straight.result.converged);
    CHECK(straight.result.cycles < 20);
    INFO("ended at step " << end);
    RunInFolder cut{tiles, run};
    cut.run.checkpointEverySteps = end - 1;
    CHECK(cut.go(false) == expected);
    REQUIRE(fs::exists(cut.files.checkpoint));
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
    // A request for more steps continues.
    cut.run.requireConvergence = false;
    cut.run.steps = 2 * end;
    if (run.converged) cut.run.converged = 0.0;
    cut.run.pulse.converged *= 1e-9;
    cut.go(true);
    CHECK(cut.result.step > end);
  }
}

TEST_CASE(
    "End of a run: fields that cannot be written leave a checkpoint, from which they are made",
    "[unit]") {
  const TilesFile tiles = shortDuct();
  for (const SolverCase& run : {ductOfSteps(300), steadyDuct(), ductInCycles()}) {
    RunInFolder straight{tiles, run};
    const std::string expected = straight.go(false);
    RunInFolder cut{tiles, run};
    cut.files.fields = cut.folder / "gone" / "run.fields";
    // Also when resumed at its end, where nothing needs to be saved.
    for (const bool resume : {false, true}) {
      const std::string told = sentenceOfError(ExitCode::OutputFailed, [&] { cut.go(resume); });
      CHECK_THAT(told, Contains("gone/run.fields") && Contains("No such file") &&
                           Contains("step " + std::to_string(straight.result.step - 1)) &&
                           Contains(cut.files.checkpoint.string()) && Contains("--resume"));
      CHECK(fs::exists(cut.files.checkpoint));
    }
    CHECK_FALSE(fs::exists(cut.files.checkpoint.string() + ".prev"));
    fs::create_directory(cut.folder / "gone");
    CHECK(cut.go(true) == expected);
  }
}

TEST_CASE(
    "End of a run: where nothing can be written both failures are reported, and the last "
    "checkpoint",
    "[unit]") {
  const TilesFile tiles = shortDuct();
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, SIG_IGN);
  for (const bool earlier : {false, true}) {
    RunInFolder cut{tiles, ductOfSteps(300)};
    cut.run.checkpointEverySteps = earlier ? 200 : 0;
    if (earlier) {
      cut.run.steps = 250;
      cut.go(false);
      cut.run.steps = 300;
    }
    rlimit small = before;
    small.rlim_cur = 8000;
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
    const std::string told = sentenceOfError(ExitCode::OutputFailed, [&] { cut.go(earlier); });
    ::setrlimit(RLIMIT_FSIZE, &before);
    CHECK_THAT(told, Contains("run.fields") && Contains("File too large") && Contains("MiB free") &&
                         Contains(earlier ? "step 200" : "checkpoint"));
  }
}

TEST_CASE(
    "End of a run: intermediate output that cannot be written is reported, and the run continues",
    "[unit]") {
  const TilesFile tiles = shortDuct();
  for (SolverCase run : {ductOfSteps(300), ductInCycles()}) {
    if (run.pulse.period <= 0.0) run.fieldsEverySteps = 100;
    RunInFolder straight{tiles, run};
    const std::string expected = straight.go(false);
    RunInFolder cut{tiles, run};
    cut.files.stem = cut.folder / "gone" / "run";
    std::string found;
    const std::string said = standardErrorOf([&] { found = cut.go(false); });
    CHECK(found == expected);
    for (const char* name : {"gone/run.0001.fields", "gone/run.0002.fields"})
      CHECK_THAT(said, Contains(name));
  }
}
