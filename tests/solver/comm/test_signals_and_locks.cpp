// SPDX-License-Identifier: GPL-3.0-or-later
// tessera-solver under queues, terminals and other users: stopped by any of the signals, started
// twice with one output.
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <sstream>
#include <thread>

#include "tests/fixtures/child.hpp"
#include "tests/fixtures/temporary_folder.hpp"
#include "tests/solver/comm/rank_cases.hpp"

using namespace tessera;
using namespace tessera::stage;
using namespace tessera::tiler::file;
using namespace tessera::testing;
using namespace tessera::reliability;
namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;

std::string caseOf(long steps) {
  std::string toml = rankCases().front().toml;
  return toml.replace(toml.find("steps = 41"), 10, "steps = " + std::to_string(steps));
}

// A tube and a case that runs until it is told to stop.
class Runs {
 public:
  Runs() {
    fs::create_directory(folder());
    writeTilesFile(folder() / "tube.tiles", rankCases().front().tiles.geometry,
                   newProvenance("test"));
    writeWhole(folder() / "run.toml", caseOf(1'000'000'000));
  }
  [[nodiscard]] fs::path folder() const { return temporary_ / "work"; }
  // before: nohup or mpirun, if any. Messages go to the folder above `in`.
  [[nodiscard]] Child start(const Words& before, const Words& more,
                            const std::string& in = "") const {
    Words words = before;
    words.push_back(before.empty() ? "tessera-solver"
                                   : std::string(TESSERA_BIN) + "/tessera-solver");
    const Words run{"tube.tiles", "--backend", "cpu", "--threads", "1", "--case", "run.toml"};
    words.insert(words.end(), run.begin(), run.end());
    words.insert(words.end(), more.begin(), more.end());
    return Child(in.empty() ? folder() : folder() / in, words);
  }
  [[nodiscard]] std::string bytes(const std::string& name) const {
    return readWhole(folder() / name);
  }
  // Waits for more lines of the monitor.
  [[nodiscard]] bool getsOn() const {
    const std::size_t before = bytes("run.monitor.csv").size();
    for (const double end = secondsNow() + 600.0; secondsNow() < end;) {
      if (bytes("run.monitor.csv").size() > before + 500) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return false;
  }

 private:
  TemporaryFolder temporary_;
};

// The time limit ends the run of a failed test.
const Words toRun{"-o", "run.fields", "--resume", "--max-walltime", "30 min"};
Words toRunAnd(const Words& more) {
  Words words = toRun;
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const Words onTwo{TESSERA_MPIRUN,
                  "--allow-run-as-root",
                  "--oversubscribe",
                  "--bind-to",
                  "none",
                  "--mca",
                  "mpi_yield_when_idle",
                  "1",
                  "-np",
                  "2"};

std::vector<double> stepsOf(const std::string& monitor) {
  std::vector<double> steps;
  std::istringstream lines(monitor);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) steps.push_back(std::stod(line));
  return steps;
}

}  // namespace

TEST_CASE(
    "Signals and locks: every signal of a queue or a terminal leaves a checkpoint and exit code 75",
    "[unit]") {
  const Runs runs;
  std::signal(SIGHUP, SIG_DFL);  // whatever this test was started by
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGXCPU, SIGHUP}) {
    INFO(signal);
    fs::remove(runs.folder() / "run.ckpt");
    Child child = runs.start({}, toRun);
    REQUIRE(runs.getsOn());
    child.signal(signal);
    CHECK(child.waitFor(600.0) == 75);
    CHECK(fs::exists(runs.folder() / "run.ckpt"));
  }
}

TEST_CASE("Signals and locks: the report of a stopped run states the cause", "[unit]") {
  const Runs runs;
  for (const bool byFile : {true, false}) {
    Child child = runs.start({}, toRunAnd({"--report", "report.json"}));
    REQUIRE(runs.getsOn());
    if (byFile)
      writeWhole(runs.folder() / "STOP", "");
    else
      child.signal(SIGTERM);
    CHECK(child.waitFor(600.0) == 75);
    CHECK_THAT(runs.bytes("report.json"),
               Catch::Contains(byFile ? "\"stopped_by\": \"the file STOP\""
                                      : "\"stopped_by\": \"a signal\""));
  }
  // The checkpoint counts for more.
  fs::create_directory(runs.folder() / "gone");
  Child child = runs.start({}, toRunAnd({"--report", "gone/report.json"}));
  REQUIRE(runs.getsOn());
  fs::remove(runs.folder() / "gone");
  child.signal(SIGTERM);
  CHECK(child.waitFor(600.0) == 75);
  CHECK_THAT(child.errors(), Catch::Contains("gone/report.json"));
}

TEST_CASE("Signals and locks: under nohup the end of a terminal stops nothing", "[unit]") {
  const Runs runs;
  Child child = runs.start({"/usr/bin/nohup"}, toRun);
  REQUIRE(runs.getsOn());
  child.signal(SIGHUP);
  CHECK(runs.getsOn());
  child.signal(SIGTERM);
  CHECK(child.waitFor(600.0) == 75);
}

TEST_CASE(
    "Signals and locks: a second run to the output of a running one is refused, and harms nothing",
    "[unit]") {
  for (const Words& before : {Words{}, onTwo}) {
    const Runs runs;
    Child first = runs.start(before, toRun);
    REQUIRE(runs.getsOn());
    // The same stem.
    Child second = runs.start(before, {"-o", "run", "--resume", "--max-walltime", "30 min"}, ".");
    CHECK(second.waitFor(600.0) == 4);
    const std::string said = second.errors();
    CHECK_THAT(said, Catch::Contains("tessera-solver: run.monitor.csv "));
    CHECK(said.find("tessera-solver: ") == said.rfind("tessera-solver: "));
    CHECK(runs.start({}, {"-o", "run.fields", "--plan"}, ".").wait() == 0);
    CHECK(runs.start({}, {"--certify", "2"}, ".").wait() == 0);
    REQUIRE(runs.getsOn());
    first.signal(SIGUSR1);
    CHECK(first.waitFor(600.0) == 75);
    const std::vector<double> steps = stepsOf(runs.bytes("run.monitor.csv"));
    for (std::size_t row = 0; row < steps.size(); ++row)
      REQUIRE(steps[row] == 7.0 * static_cast<double>(row + 1));
  }
}

TEST_CASE("Signals and locks: a run that was killed leaves no lock on its output", "[unit]") {
  const Runs runs;
  Child first = runs.start({}, toRun);
  REQUIRE(runs.getsOn());
  first.signal(SIGKILL);
  CHECK(first.wait() == 128 + SIGKILL);
  writeWhole(runs.folder() / "run.toml", caseOf(41));
  CHECK(runs.start({}, toRun).waitFor(600.0) == 0);
}
