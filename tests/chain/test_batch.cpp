// SPDX-License-Identifier: GPL-3.0-or-later
// The batch scripts in a plain shell; test_slurm.cpp has them under Slurm.
#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/chain/batch_trial.hpp"

using namespace tessera::chain;
namespace fs = std::filesystem;

TEST_CASE("in a plain batch shell a limit or a signal leaves a checkpoint and 75", "[slow]") {
  const WorkFolder work;
  prepareTube(work);
  work.write("rest.toml", tubeCase("0.02 m/s", 100'000));
  runDirectly(work, "rest");
  work.mustRun("cp direct/tube.tiles .");
  const std::string script = "export TESSERA_BIN=" TESSERA_BIN
                             " SOLVER_FLAGS='--backend cpu'; sh " +
                             batchFolder + "tessera.sub tube.tiles rest.toml";
  CHECK(work.run("export LIMIT=1; " + script).code == 75);
  CHECK(fs::exists(work.path("rest.ckpt")));
  CHECK(work.run("( " + script + " ) & job=$!; sleep 1; pkill -TERM -P $job; wait $job").code ==
        75);
  CHECK_FALSE(fs::exists(work.path("rest.fields")));
  work.mustRun(script);
  checkSameAsDirect(work, "rest");
}

TEST_CASE("batch scripts that lack something say so", "[pipeline]") {
  const WorkFolder work;
  work.write("wrong.csv", "name,geometry\n");
  const auto refused = [&](const std::string& command, const std::string& words) {
    const Outcome outcome = work.run(command);
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.errors, Catch::Contains(words));
  };
  refused("bash " + batchFolder + "slurm.sh tube.tiles", "1 arguments were given");
  refused("bash " + batchFolder + "slurm.sh tube.tiles a.toml b.toml",
          "2 cases were given, the array's task is none; sbatch --array=1-2 runs them all");
  refused("SLURM_ARRAY_TASK_ID=3 bash " + batchFolder + "slurm.sh tube.tiles a.toml b.toml",
          "2 cases were given, the array's task is 3");
  refused("bash " + batchFolder + "chain.sh tube.stl", "1 arguments were given");
  refused("bash " + batchFolder + "study.sh", "0 arguments were given");
  refused("bash " + batchFolder + "study.sh wrong.csv", "wrong.csv:1 is its end and no case");
  refused("sh " + batchFolder + "tessera.sub tube.tiles", "1 arguments were given");
}
