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

TEST_CASE("a job that gets on goes back to the queue, one that does not stays out of it",
          "[pipeline]") {
  const WorkFolder work;
  // In place of the solver one that makes $MADE steps and ends with $STATUS, or by a signal.
  work.mustRun("mkdir bin");
  work.write("bin/tessera-solver",
             "#!/bin/sh\necho $(($(cat step) + MADE)) > step\n"
             "[ $STATUS != signal ] || kill -USR1 $$\nexit $STATUS\n");
  work.write("bin/tessera-info", "#!/bin/sh\necho \"    step  $(cat step)\"\n");
  work.write("bin/scontrol", "#!/bin/sh\necho requeued $2 >> requeued\n");
  work.write("bin/squeue", "#!/bin/sh\necho RUNNING\n");
  work.mustRun("chmod +x bin/* && echo 500 > step");
  const auto job = [&](const std::string& with) {
    fs::remove(work.path("requeued"));
    return work.run(
        "PATH=$PWD/bin:$PATH TESSERA_BIN=$PWD/bin SLURM_SUBMIT_DIR=$PWD SLURM_JOB_ID=7 " + with +
        " bash " + batchFolder + "slurm.sh tube.tiles rest.toml");
  };
  const auto wentBack = [&] { return fs::exists(work.path("requeued")); };
  for (const char* with : {"STATUS=75 MADE=11 SLURM_RESTART_COUNT=3", "STATUS=75 MADE=1",
                           "STATUS=signal MADE=0", "STATUS=75 MADE=400 SLURM_RESTART_COUNT=1"}) {
    INFO(with);
    CHECK(job(with).code == 75);
    CHECK(wentBack());
  }
  for (const char* with :
       {"STATUS=75 MADE=10 SLURM_RESTART_COUNT=1", "STATUS=75 MADE=0 SLURM_RESTART_COUNT=2",
        "STATUS=signal MADE=0 SLURM_RESTART_COUNT=1"}) {
    INFO(with);
    const Outcome outcome = job(with);
    CHECK(outcome.code == 75);
    CHECK_FALSE(wentBack());
    CHECK_THAT(outcome.errors, Catch::Contains("the time of the job is spent by its start") &&
                                   Catch::Contains("longer --time"));
  }
  CHECK(job("STATUS=1 MADE=0 SLURM_RESTART_COUNT=1").code == 1);
  CHECK_FALSE(wentBack());
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
