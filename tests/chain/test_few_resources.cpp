// SPDX-License-Identifier: GPL-3.0-or-later
// Few resources: descriptors, threads and memory. The programs say so with the right exit code and
// leave nothing behind; --version and --help always work.
#include <catch2/catch.hpp>
#include <set>

#include "tests/chain/batch_trial.hpp"

using namespace tessera::chain;

namespace {

// Each command with the prefix of the files that it may leave.
const std::vector<std::pair<std::string, std::string>> commands{
    {"tessera-preprocess tube.stl --unit mm --across 6 -o out.vdb", "out.vdb"},
    {"tessera-tiler tube.vdb -o out.tiles", "out.tiles"},
    {"tessera-solver tube.tiles --case rest.toml --backend cpu --steps 5 -o out.fields", "out."},
    {"tessera-postprocess run.fields tube.tiles -o out", "out"},
    {"tessera-compare run.out run.out -o out", "out"},
    {"tessera-info tube.tiles", "none"}};

void prepareChain(const WorkFolder& work) {
  prepareTube(work);
  work.mustRun(
      "tessera-preprocess tube.stl --unit mm --across 6 --quiet -o tube.vdb && tessera-tiler "
      "tube.vdb "
      "--quiet -o tube.tiles && tessera-solver tube.tiles --case rest.toml --backend cpu --steps "
      "20 "
      "--quiet -o run.fields && tessera-postprocess run.fields tube.tiles --quiet -o run.out");
}

// Closes descriptors that the tests were started with.
const std::string alone = "exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; ";

// Runs all commands under a limit; each ends with 0 or with one of the codes, and leaves nothing
// but the solver's record of its steps. before: of the program, on its command line.
void checkUnder(const WorkFolder& work, const std::string& limit, const std::set<int>& codes,
                const std::string& before = "") {
  for (const auto& [command, made] : commands) {
    const std::vector<std::string> names = work.names();
    const Outcome outcome = work.run("(" + alone + limit + "; exec " + before + command + ")");
    INFO(limit << "; " << command << "\n" << outcome.errors);
    if (outcome.code == 0) {
      work.mustRun("rm -rf " + made + "*");
      continue;
    }
    CHECK(codes.contains(outcome.code));
    CHECK_THAT(outcome.errors, Catch::Contains("tessera-"));
    CHECK_THAT(outcome.errors, !Catch::Contains("Internal error"));
    work.mustRun("rm -f out.monitor.csv");
    CHECK(work.names() == names);
  }
}

}  // namespace

TEST_CASE("Few resources: --version and --help work wherever a process starts", "[pipeline]") {
  const WorkFolder work;
  for (const char* program :
       {"sample", "preprocess", "tiler", "solver", "postprocess", "compare", "info"})
    for (const char* limit : {"ulimit -n 4", "ulimit -f 0", "ulimit -d 20000", "ulimit -s 128"})
      for (const char* option : {"--version", "--help"}) {
        const std::string command =
            "(" + alone + limit + "; tessera-" + program + " " + option + ") | cat";
        INFO(command);
        CHECK_THAT(work.mustRun(command).output,
                   Catch::Contains("tessera-" + std::string(program)));
      }
}

TEST_CASE("Few resources: descriptors", "[pipeline]") {
  const WorkFolder work;
  prepareChain(work);
  for (const int descriptors : {4, 5, 7, 23}) {
    // A soft limit is raised, a hard one is named.
    checkUnder(work, "ulimit -S -n " + std::to_string(descriptors), {});
    checkUnder(work, "ulimit -n " + std::to_string(descriptors), {5});
  }
  checkUnder(work, "ulimit -n 24", {});
}

TEST_CASE("Few resources: a file size that is limited", "[pipeline]") {
  const WorkFolder work;
  prepareChain(work);
  checkUnder(work, "ulimit -f 1", {4});
}

TEST_CASE("Few resources: threads", "[pipeline]") {
  const WorkFolder work;
  prepareChain(work);
  // The limit of processes counts those of a user, and root has none.
  if (work.run("test $(id -u) = 0 && setpriv --reuid 54321 --clear-groups true").code != 0) return;
  work.mustRun("chmod -R a+rwX .");
  for (const int processes : {1, 2, 4})
    checkUnder(work, "ulimit -u " + std::to_string(processes), {5},
               "setpriv --reuid 54321 --clear-groups ");
}
