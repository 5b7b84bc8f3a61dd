// SPDX-License-Identifier: GPL-3.0-or-later
// The batch scripts in a plain shell; test_slurm.cpp has them under Slurm.
#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/chain/batch_trial.hpp"

using namespace tessera::chain;
namespace fs = std::filesystem;

TEST_CASE("Batch scripts: a time limit or a signal leaves a checkpoint and exit code 75",
          "[slow]") {
  const WorkFolder work;
  prepareTube(work);
  work.write("rest.toml", tubeCase("0.02 m/s", 100'000));
  runDirectly(work, "rest");
  work.mustRun("cp direct/tube.tiles .");
  const std::string script = "export TESSERA_BIN=" TESSERA_BIN
                             " SOLVER_FLAGS='--backend cpu'; exec sh " +
                             batchFolder + "tessera.sub tube.tiles rest.toml";
  CHECK(work.run("export LIMIT=1; " + script).code == 75);
  CHECK(fs::exists(work.path("rest.ckpt")));
  for (const std::string signal : {"TERM", "USR2", "XCPU"}) {
    INFO(signal);
    // The signal comes when the monitor has got lines of this start.
    CHECK(work.run("lines=$(wc -l <rest.monitor.csv); ( " + script +
                   " ) & job=$!; while [ $(wc -l <rest.monitor.csv) -le $lines ] && kill -0 $job; "
                   "do sleep 0.01; done; kill -" +
                   signal + " $job; wait $job")
              .code == 75);
  }
  CHECK_FALSE(fs::exists(work.path("rest.fields")));
  work.mustRun(script);
  checkSameAsDirect(work, "rest");
}

TEST_CASE("Batch scripts: a job that makes progress is requeued, one that does not is not",
          "[pipeline]") {
  const WorkFolder work;
  // In place of the solver: a script that makes $MADE steps and ends with $STATUS, or by a signal.
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
    CHECK_THAT(outcome.errors, Catch::Contains("--time"));
  }
  CHECK(job("STATUS=1 MADE=0 SLURM_RESTART_COUNT=1").code == 1);
  CHECK_FALSE(wentBack());
  // The solver's report names a file as the cause; a report of an earlier start does not count.
  const std::string stop = "{\n  \"stopped_by\": \"the file STOP\"\n}\n";
  work.write("rest.solver.json", stop);
  CHECK(job("STATUS=75 MADE=11").code == 75);
  CHECK(wentBack());
  work.write("bin/tessera-solver",
             "#!/bin/sh\ncat > rest.solver.json <<E\n" + stop + "E\nexit 75\n");
  const Outcome ended = job("");
  CHECK(ended.code == 75);
  CHECK_THAT(ended.output, Catch::Contains("STOP"));
  CHECK_FALSE(wentBack());
}

TEST_CASE("Batch scripts: a controller that is slow to answer ends no job", "[pipeline]") {
  const WorkFolder work;
  work.mustRun("mkdir bin");
  work.write("bin/tessera-solver",
             "#!/bin/sh\n[ ! -e rest.monitor.csv ] || touch locked\nexit 75\n");
  work.write("bin/tessera-info", "#!/bin/sh\necho step 0\n");
  work.write("bin/sleep", "#!/bin/sh\n");
  // Two times of three there is no answer.
  const std::string silent = "#!/bin/sh\necho >> $0.calls\n[ $(($(wc -l < $0.calls) % 3)) = 0 ]";
  work.write("bin/squeue", silent + " && echo $STATE\n");
  work.write("bin/scontrol", silent + " && echo requeued $2 >> requeued\n");
  work.mustRun("chmod +x bin/*");
  const auto job = [&](const std::string& with) {
    return work.run(
        "PATH=$PWD/bin:$PATH TESSERA_BIN=$PWD/bin SLURM_SUBMIT_DIR=$PWD SLURM_JOB_ID=7 " + with +
        " bash " + batchFolder + "slurm.sh tube.tiles rest.toml");
  };
  CHECK_THAT(job("STATE=COMPLETING").output, Catch::Contains("cancelled"));
  CHECK_FALSE(fs::exists(work.path("requeued")));
  const Outcome back = job("STATE=RUNNING");
  CHECK(back.code == 75);
  CHECK_THAT(back.output, Catch::Contains("goes back to the queue"));
  CHECK_THAT(back.errors, !Catch::Contains("does not take rest back"));
  CHECK(readWhole(work.path("requeued")) == "requeued 7\n");
  // A controller that never answers cancels nothing.
  work.write("bin/squeue", "#!/bin/sh\nexit 1\n");
  CHECK_THAT(job("").output, Catch::Contains("goes back to the queue"));
  // A host that went down may still have the monitor.
  work.write("rest.monitor.csv", "");
  (void)job("SLURM_RESTART_COUNT=1");
  CHECK_FALSE(fs::exists(work.path("locked")));
}

TEST_CASE("Batch scripts: a finished run is not repeated when its results failed", "[pipeline]") {
  const std::string sub = "sh " + batchFolder + "tessera.sub";
  const std::string slurm = "SLURM_SUBMIT_DIR=$PWD SLURM_JOB_ID=7 bash " + batchFolder + "slurm.sh";
  for (const std::string& script : {sub, slurm}) {
    INFO(script);
    const WorkFolder work;
    work.mustRun("mkdir bin cases");
    work.write("bin/tessera-solver", "#!/bin/sh\necho >> started\ntouch rest.fields\n");
    work.write("bin/tessera-postprocess",
               "#!/bin/sh\n[ -e again ] || { touch again; kill -KILL $$; }\n");
    work.write("cases/rest.toml", "[[opening]]\nid = 1\nwaveform\t= \"in let.csv\"\n");
    const std::string old = "touch -d '1 hour ago' ";
    work.mustRun("ln -s " TESSERA_BIN "/tessera-info bin && chmod +x bin/* && " + old +
                 "tube.tiles cases/rest.toml 'cases/in let.csv'");
    const auto starts = [&](const std::string& flags) {
      std::filesystem::remove(work.path("started"));
      (void)work.run("export TESSERA_BIN=$PWD/bin SOLVER_FLAGS='" + flags + "'; " + script +
                     " tube.tiles cases/rest.toml");
      return fs::exists(work.path("started"));
    };
    CHECK(starts("--steps 9"));
    CHECK(fs::exists(work.path("again")));
    CHECK_FALSE(starts("--steps 9"));
    for (const std::string file : {"tube.tiles", "cases/rest.toml", "'cases/in let.csv'"}) {
      INFO(file);
      work.mustRun("touch -d '1 minute' " + file);
      CHECK(starts("--steps 9"));
      work.mustRun(old + file);
      CHECK_FALSE(starts("--steps 9"));
    }
    for (const char* kept : {"rest.ckpt", "rest.ckpt.prev"}) {
      work.write(kept, "");
      CHECK(starts("--steps 9"));
      fs::remove(work.path(kept));
    }
    CHECK(starts("--steps 10"));
    CHECK_FALSE(starts("--steps 10"));
    // Another case of this name, older than the fields.
    work.write("cases/rest.toml", "[[opening]]\nid = 2\n");
    work.mustRun(old + "cases/rest.toml");
    CHECK(starts("--steps 10"));
  }
}

TEST_CASE("Batch scripts: missing or wrong arguments are refused", "[pipeline]") {
  const WorkFolder work;
  work.write("wrong.csv", "name,geometry\n");
  const auto refused = [&](const std::string& command, const std::string& words) {
    const Outcome outcome = work.run(command);
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.errors, Catch::Contains(words));
  };
  refused("bash " + batchFolder + "slurm.sh tube.tiles", "1 argument");
  refused("bash " + batchFolder + "slurm.sh tube.tiles a.toml b.toml", "--array=1-2");
  refused("SLURM_ARRAY_TASK_ID=3 bash " + batchFolder + "slurm.sh tube.tiles a.toml b.toml", "3");
  refused("bash " + batchFolder + "chain.sh tube.stl", "1 argument");
  refused("bash " + batchFolder + "study.sh", "0 argument");
  refused("bash " + batchFolder + "study.sh wrong.csv", "wrong.csv:1");
  refused("sh " + batchFolder + "tessera.sub tube.tiles", "1 argument");
}
