// SPDX-License-Identifier: GPL-3.0-or-later
// tessera-solver under mpirun: files, messages, exit codes.
#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <sstream>
#include <thread>

#include "pipelines/stage/text.hpp"
#include "solver/backend/gpu/device.hpp"
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

// Ranks 0: without mpirun. before: commands of the last rank's shell.
std::vector<std::string> command(int ranks, const std::vector<std::string>& more,
                                 const std::string& before = "") {
  const std::string program = std::string(TESSERA_BIN) + "/tessera-solver";
  std::vector<std::string> words{"tessera-solver"};
  if (ranks > 0)
    words = {TESSERA_MPIRUN,
             "--allow-run-as-root",
             "--oversubscribe",
             "--bind-to",
             "none",
             "--mca",  // a rank that waits leaves its core to others
             "mpi_yield_when_idle",
             "1",
             "-np",
             std::to_string(ranks),
             program};
  if (!before.empty()) {
    words.pop_back();
    words.insert(words.end(), {"sh", "-c",
                               "if [ $OMPI_COMM_WORLD_RANK = " + std::to_string(ranks - 1) +
                                   " ]; then " + before + "; fi; exec \"$0\" \"$@\"",
                               program});
  }
  words.insert(words.end(), {"tube.tiles", "--backend", "cpu", "--threads", "1"});
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::vector<std::string> runTo(const std::string& target,
                               const std::string& caseFile = "run.toml") {
  return {"--case", caseFile, "-o", target, "--resume"};
}

constexpr double patience = 600.0;  // s; on an idle machine everything here takes seconds

// Waits for a condition.
template <class Holds>
bool comes(const Holds& holds) {
  for (const double end = secondsNow() + patience; secondsNow() < end;) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return false;
}

class Job {
 public:
  Job() {
    fs::create_directory(work());
    fs::create_directory(work() / "a");
    fs::create_directory(work() / "b");
    const RankCase tube = rankCases().front();
    writeTilesFile(work() / "tube.tiles", tube.tiles.geometry, newProvenance("test"));
    writeWhole(work() / "run.toml", tube.toml);
    std::string longer = tube.toml;
    longer.replace(longer.find("steps = 41"), 10, "steps = 8001");
    writeWhole(work() / "long.toml", longer);
    // Some seconds on idle cores: a signal after the first row of the monitor arrives before the
    // end.
    std::string longest = longer;
    longest.replace(longest.find("steps = 8001"), 12, "steps = 40001");
    writeWhole(work() / "longest.toml", longest);
    longer.insert(longer.find("[output]\n") + 9, "checkpoint_every = \"500 steps\"\n");
    writeWhole(work() / "kept.toml", longer);
  }
  [[nodiscard]] fs::path work() const { return folder_ / "work"; }
  [[nodiscard]] Child start(int ranks, const std::vector<std::string>& more,
                            const Environment& environment = {}) const {
    return Child(work(), command(ranks, more), environment);
  }
  int run(int ranks, const std::vector<std::string>& more, const Environment& environment = {}) {
    return ended(start(ranks, more, environment));
  }
  // Messages go by way of no files, whose size the last rank may have limited.
  int runAfter(const std::string& before, int ranks, const std::vector<std::string>& more) {
    return ended(Child(work(), command(ranks, more, before), {"OMPI_MCA_btl=self,tcp"}));
  }
  // Lines of the last run that begin with the program's name.
  [[nodiscard]] std::vector<std::string> errors() const {
    std::vector<std::string> found;
    std::istringstream lines(said_);
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("tessera-solver: ")) found.push_back(line);
    return found;
  }
  // Keeps its messages.
  int ended(Child child) {
    const int code = child.waitFor(patience);
    said_ = child.errors();
    return code;
  }
  // Waits for more lines of the monitor.
  [[nodiscard]] bool getsOn(std::size_t before) const {
    return comes([&] { return bytes("b/run.monitor.csv").size() > before + 500; });
  }
  [[nodiscard]] const std::string& said() const { return said_; }
  [[nodiscard]] std::string bytes(const std::string& name) const {
    return readWhole(work() / name);
  }

 private:
  TemporaryFolder folder_;
  std::string said_;
};

void checkSameResults(const Job& job) {
  CHECK(!job.bytes("a/run.fields").empty());
  CHECK(job.bytes("a/run.fields") == job.bytes("b/run.fields"));
  CHECK(job.bytes("a/run.monitor.csv") == job.bytes("b/run.monitor.csv"));
}

}  // namespace

TEST_CASE("Ranks: several leave the files of one process, and only one writes messages", "[unit]") {
  Job job;
  REQUIRE(job.run(0, runTo("a/run.fields")) == 0);
  REQUIRE(job.run(3, runTo("b/run.fields")) == 0);
  checkSameResults(job);
  const std::string once = "time step ";
  CHECK(job.said().find(once) != std::string::npos);
  CHECK(job.said().find(once) == job.said().rfind(once));
  CHECK_THAT(job.said(), Catch::Contains("3 ranks on ") && Catch::Contains("(3 ranks, 3 threads)"));
}

TEST_CASE("Ranks: the program runs alone without MPI, and requires it for several processes",
          "[unit]") {
  Job job;
  const fs::path alone = job.work() / "tessera-solver";
  fs::copy_file(fs::path(TESSERA_BIN) / "tessera-solver", alone);
  CHECK(Child(job.work(), {"/bin/sh", "-c", "ldd ./tessera-solver | grep libmpi"}).wait() == 1);
  std::vector<std::string> words = command(2, runTo("b/run.fields"));
  std::replace(words.begin(), words.end(), std::string(TESSERA_BIN) + "/tessera-solver",
               alone.string());
  CHECK(job.ended(Child(job.work(), words)) == 5);
  REQUIRE(job.errors().size() == 1);
  CHECK_THAT(job.errors().front(),
             Catch::Contains("2 processes") && Catch::Contains("libtessera_mpi.so"));
  words = command(0, runTo("b/run.fields"));
  words.front() = alone.string();
  CHECK(job.ended(Child(job.work(), words)) == 0);
  CHECK(job.run(2, runTo("b/run.fields"), {"TESSERA_WAIT=never"}) == 2);
  REQUIRE(job.errors().size() == 1);
  CHECK_THAT(job.errors().front(), Catch::Contains("\"never\""));
}

TEST_CASE("Watchdog: a stopped rank ends the others with one sentence that names it", "[unit]") {
  Job job;
  for (const std::size_t rank : {1U, 0U}) {
    const std::size_t before = job.bytes("b/run.monitor.csv").size();
    Child child = job.start(2, runTo("b/run.fields", "longest.toml"), {"TESSERA_WAIT=3"});
    REQUIRE(job.getsOn(before));
    const std::vector<pid_t> ranks = child.children();
    REQUIRE(ranks.size() == 2);
    REQUIRE(::kill(ranks[rank], SIGSTOP) == 0);
    CHECK(job.ended(std::move(child)) == 5);
    REQUIRE(job.errors().size() == 1);
    CHECK_THAT(job.errors().front(), Catch::StartsWith("tessera-solver: rank " +
                                                       std::to_string(rank) + " of 2 on host ") &&
                                         Catch::Contains("does not answer"));
  }
}

TEST_CASE(
    "Watchdog: a rank slow in its device query still answers heartbeats, one that never ends is "
    "not waited for",
    "[unit]") {
  const TemporaryFolder folder;
  const auto start = [&](const std::string& what) {
    std::vector<std::string> words = command(2, {});
    words.erase(std::find(words.begin(), words.end(), "tube.tiles"), words.end());
    words.back() = std::string(TESSERA_BIN) + "/rank_waits";
    words.push_back(what);
    return Child(folder.path(), words, {"TESSERA_WAIT=4"});
  };
  Child asked = start("asked");
  CHECK(asked.waitFor(patience) == 0);
  CHECK_THAT(asked.errors(), !Catch::Contains("rank_waits: "));  // MPI may warn
  Child end = start("end");
  CHECK(end.waitFor(patience) == 5);
  CHECK_THAT(end.errors(),
             Catch::Contains("rank_waits: rank 0 of 2 on host ") && Catch::Contains("4 s"));
}

TEST_CASE("Watchdog: ranks that are suspended for a while continue to the same bits", "[unit]") {
  Job job;
  REQUIRE(job.run(0, runTo("a/run.fields", "long.toml")) == 0);
  Child child = job.start(2, runTo("b/run.fields", "long.toml"), {"TESSERA_WAIT=6"});
  REQUIRE(job.getsOn(0));
  const std::vector<pid_t> ranks = child.children();
  REQUIRE(ranks.size() == 2);
  // One for far less than the limit, then all for more, as a batch system suspends a job.
  for (const auto& [last, seconds] : {std::pair(1U, 1.0), std::pair(2U, 8.0)}) {
    for (std::size_t k = 0; k < last; ++k) REQUIRE(::kill(ranks[k], SIGSTOP) == 0);
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    for (std::size_t k = 0; k < last; ++k) REQUIRE(::kill(ranks[k], SIGCONT) == 0);
  }
  REQUIRE(job.ended(std::move(child)) == 0);
  checkSameResults(job);
}

TEST_CASE("Ranks: an error of all or of one is reported once and is the exit code", "[unit]") {
  Job job;
  const auto refused = [&](int ranks, const std::vector<std::string>& more, int code,
                           const std::string& words) {
    INFO(words);
    CHECK(job.run(ranks, more) == code);
    const std::vector<std::string> errors = job.errors();
    REQUIRE(errors.size() == 1);
    CHECK_THAT(errors.front(), Catch::Contains(words));
    CHECK_FALSE(fs::exists(job.work() / "b/run.fields"));
  };
  const std::vector<std::string> some = runTo("b/run.fields");
  refused(2, runTo("b/run.fields", "none.toml"), 3, "none.toml");
  CHECK_THAT(job.errors().front(), !Catch::Contains("(rank"));
  refused(2, runTo("absent/run.fields"), 4, "absent");
  refused(2, {"--case", "run.toml", "--certify", "10"}, 2, "--certify");
  std::string bytes = job.bytes("tube.tiles");
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 4);
  writeWhole(job.work() / "tube.tiles", bytes);
  refused(2, some, 3, "tube.tiles");
}

TEST_CASE(
    "Ranks: a reference point in the solid is refused before the run, one in the fluid is not",
    "[unit]") {
  Job job;
  const RankCase tube = rankCases().front();
  const auto caseAt = [&](const Double3& node) {
    const Double3 at = tube.tiles.geometry.frame.toWorld(node);
    writeWhole(job.work() / "run.toml", fmt::format("{}[reference]\npressure_at = [{}, {}, {}]\n",
                                                    tube.toml, at[0], at[1], at[2]));
  };
  for (const int ranks : {0, 2}) {
    caseAt({2.3, 5.2, 18.1});
    CHECK(job.run(ranks, runTo("b/run.fields")) == 2);
    REQUIRE(job.errors().size() == 1);
    CHECK_THAT(job.errors().front(), Catch::Contains("run.toml:") && Catch::Contains("solid"));
    CHECK_FALSE(fs::exists(job.work() / "b/run.fields"));
  }
  // Its node belongs to one of the ranks.
  for (const Double3& node : {Double3{1.2, 5.0, 5.0}, Double3{21.0, 5.1, 21.4}}) {
    caseAt(node);
    std::vector<std::string> plan = runTo("b/run.fields");
    plan.back() = "--plan";
    CHECK(job.run(2, plan) == 0);
  }
  caseAt({60.0, 5.0, 5.0});
  CHECK(job.run(2, runTo("b/run.fields")) == 2);
  CHECK_THAT(job.errors().front(), Catch::Contains("outside"));
}

namespace {

// The tube with probes and stations between nodes, at a node, next to the wall.
std::string tubeWithPlaces() {
  const RankCase tube = rankCases().front();
  std::string text = tube.toml;
  for (const Double3& node :
       {Double3{1.2, 5.0, 5.0}, Double3{21.0, 5.0, 21.0}, Double3{21.0, 5.1, 21.4}}) {
    const Double3 at = tube.tiles.geometry.frame.toWorld(node);
    text += fmt::format("[[probe]]\nat = [{}, {}, {}]\n", at[0], at[1], at[2]);
    text += fmt::format("[[station]]\nat = [{}, {}, {}]\nnormal = [1, 0.2, 0.5]\n", at[0], at[1],
                        at[2]);
  }
  return text;
}

}  // namespace

TEST_CASE("Ranks: probes and stations are followed with the same bytes on any number of them",
          "[unit]") {
  Job job;
  writeWhole(job.work() / "run.toml", tubeWithPlaces());
  REQUIRE(job.run(0, runTo("a/run.fields")) == 0);
  REQUIRE(job.run(3, runTo("b/run.fields")) == 0);
  checkSameResults(job);
  CHECK_THAT(readWhole(job.work() / "a/run.monitor.csv"),
             Catch::Contains("probe_3_pressure[Pa],probe_3_velocity_x[m/s]") &&
                 Catch::Contains("station_1_flow_rate[m3/s],station_1_pressure[Pa]"));
}

TEST_CASE("Ranks: probes and stations on two CUDA devices have the bytes of one", "[gpu]") {
  if (solver::backend::countDevices() < 2) {
    WARN("fewer than two CUDA devices: probes and stations are not sampled on several here");
    return;
  }
  Job job;
  writeWhole(job.work() / "run.toml", tubeWithPlaces());
  for (const auto& [ranks, folder] : {std::pair{1, "a"}, {2, "b"}}) {
    std::vector<std::string> words = command(ranks, runTo(folder + std::string("/run.fields")));
    std::replace(words.begin(), words.end(), std::string("cpu"), std::string("cuda"));
    REQUIRE(job.ended(Child(job.work(), words)) == 0);
  }
  checkSameResults(job);
  CHECK_THAT(readWhole(job.work() / "b/run.monitor.csv"),
             Catch::Contains("station_3_flow_rate[m3/s],station_3_pressure[Pa]"));
}

TEST_CASE("Ranks: divergence is reported in the same words on any number of them", "[unit]") {
  Job job;
  for (const std::string keys : {"body_force = [20000, 0, 3000]\non_divergence = \"stop\"\n",
                                 "body_force = [2e6, 0, 3e5]\n"}) {
    INFO(keys);
    std::string wild = rankCases().front().toml;
    wild.insert(wild.find("[solver]\n") + 9, keys);
    writeWhole(job.work() / "run.toml", wild);
    REQUIRE(job.run(0, runTo("a/run.fields")) == 1);
    const std::vector<std::string> alone = job.errors();
    REQUIRE(alone.size() == 1);
    CHECK_THAT(alone.front(), Catch::Contains("diverged"));
    CHECK(job.run(3, runTo("b/run.fields")) == 1);
    CHECK(job.errors() == alone);
  }
}

TEST_CASE("Ranks: a run that recovers leaves the same files on any number of them", "[unit]") {
  Job job;
  std::string fast = rankCases().front().toml;
  fast.insert(fast.find("[solver]\n") + 9, "body_force = [3000, 0, 500]\n");
  writeWhole(job.work() / "run.toml", fast);
  REQUIRE(job.run(0, runTo("a/run.fields")) == 0);
  const std::string recovered = "recovery 1 of at most 3";
  CHECK_THAT(job.said(), Catch::Contains(recovered));
  REQUIRE(job.run(3, runTo("b/run.fields")) == 0);
  CHECK(job.said().find(recovered) != std::string::npos);
  CHECK(job.said().find(recovered) == job.said().rfind(recovered));
  checkSameResults(job);
}

TEST_CASE("Ranks: a file that one cannot read or write ends all with one sentence", "[unit]") {
  Job job;
  const auto refused = [&](const std::string& before, int code, const std::string& words) {
    INFO(before << "\n" << job.said());
    const auto at = [&](const char* name) { return (job.work() / name).string(); };
    CHECK(job.runAfter(before, 3, runTo(at("b/run.fields"), at("run.toml"))) == code);
    const std::vector<std::string> errors = job.errors();
    REQUIRE(errors.size() == 1);
    CHECK_THAT(errors.front(), Catch::Contains(words) && Catch::Contains("(rank 2 of 3"));
    CHECK(readWhole(job.work() / "b/run.fields") == "before");
    CHECK(temporaryFiles(job.work() / "b") == 0);
  };
  writeWhole(job.work() / "b/run.fields", "before");
  refused("cd /", 3, "tube.tiles");
  refused("trap '' XFSZ; ulimit -f 1", 4, "run.fields");
}

TEST_CASE("Ranks: more than there are tiles are refused", "[unit]") {
  Job job;
  const RankCase small = smallCase();
  writeTilesFile(job.work() / "tube.tiles", small.tiles.geometry, newProvenance("test"));
  writeWhole(job.work() / "run.toml", small.toml);
  CHECK(job.run(3, runTo("b/run.fields")) == 2);
  REQUIRE(job.errors().size() == 1);
  CHECK_THAT(job.errors().front(), Catch::Contains("3 ranks") && Catch::Contains("2 tiles"));
}

TEST_CASE("Ranks: a job told to stop leaves one checkpoint, from which any number resumes",
          "[unit]") {
  Job job;
  REQUIRE(job.run(0, runTo("a/run.fields", "long.toml")) == 0);
  // mpirun forwards SIGUSR1; after SIGTERM it does the same, but ends with an exit code of its own.
  for (const auto& [signal, code] : {std::pair(SIGUSR1, 75), std::pair(SIGTERM, 1)}) {
    const std::size_t before = job.bytes("b/run.monitor.csv").size();
    Child child = job.start(4, runTo("b/run.fields", "long.toml"));
    REQUIRE(job.getsOn(before));
    child.signal(signal);
    REQUIRE(child.waitFor(patience) == code);
    CHECK(fs::exists(job.work() / "b/run.ckpt"));
  }
  REQUIRE(job.run(3, runTo("b/run.fields", "long.toml")) == 0);
  CHECK_THAT(job.said(), Catch::Contains("resuming from"));
  checkSameResults(job);
}

TEST_CASE("Ranks: a killed one ends the job, and the last checkpoint resumes to the same bits",
          "[unit]") {
  Job job;
  REQUIRE(job.run(0, runTo("a/run.fields", "kept.toml")) == 0);
  for (const std::size_t rank : {2U, 0U}) {
    const std::string before = job.bytes("b/run.ckpt");
    Child child = job.start(3, runTo("b/run.fields", "kept.toml"));
    REQUIRE(comes([&] { return job.bytes("b/run.ckpt") != before; }));
    const std::vector<pid_t> ranks = child.children();
    REQUIRE(ranks.size() == 3);
    REQUIRE(::kill(ranks[rank], SIGKILL) == 0);
    CHECK(child.waitFor(patience) > 0);
  }
  REQUIRE(job.run(2, runTo("b/run.fields", "kept.toml")) == 0);
  CHECK_THAT(job.said(), Catch::Contains("resuming from"));
  checkSameResults(job);
}
