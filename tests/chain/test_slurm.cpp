// SPDX-License-Identifier: GPL-3.0-or-later
// The Slurm scripts against a controller and two nodes on this machine, where Slurm is installed
// and may run: slurmctld slurmd slurm-client munge, and root.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "tests/chain/batch_trial.hpp"

using namespace tessera::chain;
namespace fs = std::filesystem;

namespace {

// Time limit of seconds' work on a busy machine.
constexpr int patience = 600;  // s

class Slurm {
 public:
  explicit Slurm(const WorkFolder& work) : work_(work) {
    const bool installed = work.run("command -v slurmctld slurmd munged sbatch unshare").code == 0;
    if (!installed || ::geteuid() != 0) {
      WARN("skipped: Slurm is not here (slurmctld slurmd slurm-client munge, root)");
      return;
    }
    running_ = work.run(script() + " slurm").code == 0;
    REQUIRE(running_);
    recordPrograms();
  }
  Slurm(const Slurm&) = delete;
  Slurm& operator=(const Slurm&) = delete;
  ~Slurm() { (void)work_.run("[ ! -f slurm/slurm.conf ] || " + script() + " slurm stop"); }

  [[nodiscard]] bool running() const { return running_; }
  [[nodiscard]] Outcome run(const std::string& command) const {
    // Ranks that wait leave their core to others, and mpirun may be called by root.
    return work_.run(
        "export SLURM_CONF=$PWD/slurm/slurm.conf TESSERA_BIN=$PWD/slurm/bin"
        " SOLVER_FLAGS='--backend auto' OMPI_MCA_mpi_yield_when_idle=1 OMPI_ALLOW_RUN_AS_ROOT=1"
        " OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; " +
        command);
  }
  // First line of a command's output.
  [[nodiscard]] std::string mustSay(const std::string& command) const {
    const Outcome outcome = run(command);
    INFO(command << "\n" << outcome.output << outcome.errors);
    REQUIRE(outcome.code == 0);
    return outcome.output.substr(0, outcome.output.find('\n'));
  }
  // Waits until the shell's condition is true.
  [[nodiscard]] bool waitUntil(const std::string& condition) const {
    return run("for i in $(seq " + std::to_string(2 * patience) + "); do if " + condition +
               "; then exit 0; fi; sleep 0.5; done; exit 1")
               .code == 0;
  }
  [[nodiscard]] bool waitUntilEmpty() const {
    return waitUntil("jobs=$(squeue -h) && [ -z \"$jobs\" ]");
  }

  // Where the solver was started: a line a process with task, rank, host, cores and GPUs.
  [[nodiscard]] std::set<std::string> solvers() const {
    std::istringstream lines(readWhole(work_.path("slurm/solvers")));
    std::set<std::string> found;
    for (std::string line; std::getline(lines, line);) found.insert(line);
    return found;
  }
  void forgetSolvers() const { fs::remove(work_.path("slurm/solvers")); }

 private:
  static std::string script() { return "bash " TESSERA_SOURCE "/tests/chain/start_slurm.sh"; }
  void recordPrograms() const {
    work_.mustRun("mkdir slurm/bin && ln -s " TESSERA_BIN
                  "/tessera-* slurm/bin && rm slurm/bin/tessera-solver");
    work_.write(
        "slurm/bin/tessera-solver",
        "#!/bin/sh\n"
        "echo task ${SLURM_ARRAY_TASK_ID:-0} rank ${OMPI_COMM_WORLD_RANK:-$SLURM_PROCID} on "
        "$(hostname), cores $(nproc), GPUs $CUDA_VISIBLE_DEVICES >> " +
            work_.path("slurm/solvers").string() +
            "\n"
            "exec " TESSERA_BIN "/tessera-solver \"$@\"\n");
    work_.mustRun("chmod +x slurm/bin/tessera-solver");
  }
  const WorkFolder& work_;
  bool running_ = false;
};

// The case long.toml runs until it is told to stop. Then it gets some steps more than it has made,
// and the requeued job time and a short delay: a node refuses to start a job in the second in which
// it ended.
void endSoon(const WorkFolder& work, const Slurm& slurm, const std::string& job) {
  REQUIRE(slurm.waitUntil("grep -q 'goes back to the queue' long.log 2>/dev/null"));
  const std::string log = readWhole(work.path("long.log"));
  INFO(log);
  CHECK_FALSE(fs::exists(work.path("long.fields")));
  std::smatch step;
  REQUIRE(std::regex_search(log, step, std::regex("stopped by a signal: step ([0-9]+) is kept")));
  work.write("long.toml", tubeCase("0.02 m/s", std::stol(step[1]) + 100));
  REQUIRE(slurm.waitUntil("squeue -h -o %T | grep -q PENDING"));
  (void)slurm.mustSay("scontrol update JobId=" + job + " TimeLimit=30 StartTime=now+5");
  REQUIRE(slurm.waitUntilEmpty());
  const std::string whole = readWhole(work.path("long.log"));
  INFO(whole << readWhole(work.path("slurm/ctld.log")));
  CHECK_THAT(whole, Catch::Contains("resum"));
  runDirectly(work, "long");
  checkSameAsDirect(work, "long");
}

constexpr long endless = 1'000'000'000;

const std::string onRanks = "--nodes=2 --ntasks-per-node=2 --gpus-per-node=2 --cpus-per-task=1 ";

const std::set<std::string> fourRanks{
    "task 0 rank 0 on n1, cores 1, GPUs 0,1", "task 0 rank 1 on n1, cores 1, GPUs 0,1",
    "task 0 rank 2 on n2, cores 1, GPUs 0,1", "task 0 rank 3 on n2, cores 1, GPUs 0,1"};

// tube.tiles, its rest case run directly, and long.toml, which has no end of its own.
void prepareLongRun(const WorkFolder& work) {
  prepareTube(work);
  runDirectly(work, "rest");
  work.mustRun("cp direct/tube.tiles .");
  work.write("long.toml", tubeCase("0.02 m/s", endless));
}

}  // namespace

TEST_CASE("Slurm: the chain runs as dependent jobs, each case of the array on a GPU of its own",
          "[slow]") {
  const WorkFolder work;
  const Slurm slurm(work);
  if (!slurm.running()) return;
  prepareTube(work);
  (void)slurm.mustSay("SBATCH_SOLVE='--cpus-per-task=1 --gres=gpu:1' bash " + batchFolder +
                      "chain.sh tube.stl '--unit mm --across 8' rest.toml walk.toml");
  REQUIRE(slurm.waitUntilEmpty());
  for (const char* name : {"rest", "walk"}) {
    runDirectly(work, name);
    checkSameAsDirect(work, name);
  }
  std::set<char> tasks;
  for (const std::string& line : slurm.solvers()) {
    INFO(line);
    CHECK(std::regex_match(line, std::regex("task [12] rank 0 on n[12], cores 1, GPUs [01]")));
    tasks.insert(line.at(5));
  }
  CHECK(tasks.size() == 2);
}

TEST_CASE("Slurm: a job that was told to stop is requeued and continues", "[slow]") {
  const WorkFolder work;
  const Slurm slurm(work);
  if (!slurm.running()) return;
  prepareLongRun(work);
  const std::string job =
      slurm.mustSay("sbatch --parsable --array=2 --cpus-per-task=2 --output=long.log " +
                    batchFolder + "slurm.sh tube.tiles rest.toml long.toml");
  REQUIRE(slurm.waitUntil("[ -s long.monitor.csv ]"));
  (void)slurm.mustSay("scancel --batch --signal=USR1 " + job);
  endSoon(work, slurm, job);
  CHECK(slurm.solvers().size() == 1);
  CHECK_THAT(*slurm.solvers().begin(), Catch::StartsWith("task 2 rank 0 on n"));
  CHECK_THAT(*slurm.solvers().begin(), Catch::Contains("cores 2"));
}

TEST_CASE("Slurm: a job ended by a file STOP is not requeued", "[slow]") {
  const WorkFolder work;
  const Slurm slurm(work);
  if (!slurm.running()) return;
  prepareLongRun(work);
  (void)slurm.mustSay("sbatch --cpus-per-task=2 --output=long.log " + batchFolder +
                      "slurm.sh tube.tiles long.toml");
  REQUIRE(slurm.waitUntil("[ -s long.monitor.csv ]"));
  work.write("STOP", "");
  REQUIRE(slurm.waitUntilEmpty());
  CHECK_THAT(readWhole(work.path("long.log")),
             Catch::Contains("long was ended by the file STOP; its checkpoint is kept"));
  CHECK(fs::exists(work.path("long.ckpt")));
}

TEST_CASE("Slurm: ranks on two nodes end in time and continue to the same files", "[slow]") {
  const WorkFolder work;
  const Slurm slurm(work);
  if (!slurm.running()) return;
  if (slurm.run("srun --mpi=list 2>&1 | grep -qw pmix").code != 0) {
    WARN("Slurm was built without PMIx: skipped");
    return;
  }
  prepareLongRun(work);
  // The least time Slurm knows, and the signal 50 s before its end; Slurm looks every half minute.
  const std::string job =
      slurm.mustSay("sbatch --parsable --time=1 --signal=B:USR1@50 --output=long.log " + onRanks +
                    batchFolder + "slurm.sh tube.tiles long.toml");
  endSoon(work, slurm, job);
  CHECK(slurm.solvers() == fourRanks);
}

TEST_CASE("Slurm: each rank sees one GPU where one is requested", "[slow]") {
  const WorkFolder work;
  const Slurm slurm(work);
  if (!slurm.running()) return;
  prepareTube(work);
  runDirectly(work, "rest");
  work.mustRun("cp direct/tube.tiles .");
  (void)slurm.mustSay(
      "sbatch --wait --output=rest.log --nodes=2 --ntasks-per-node=2 --gpus-per-task=1 "
      "--cpus-per-task=1 " +
      batchFolder + "slurm.sh tube.tiles rest.toml");
  CHECK(slurm.solvers() == std::set<std::string>{"task 0 rank 0 on n1, cores 1, GPUs 0",
                                                 "task 0 rank 1 on n1, cores 1, GPUs 1",
                                                 "task 0 rank 2 on n2, cores 1, GPUs 0",
                                                 "task 0 rank 3 on n2, cores 1, GPUs 1"});
  checkSameAsDirect(work, "rest");
}

TEST_CASE("Slurm: mpirun starts and stops ranks on two nodes of a job", "[slow]") {
  const WorkFolder work;
  const Slurm slurm(work);
  if (!slurm.running()) return;
  prepareLongRun(work);
  const std::string job = slurm.mustSay("MPI=mpirun sbatch --parsable --output=long.log " +
                                        onRanks + batchFolder + "slurm.sh tube.tiles long.toml");
  REQUIRE(slurm.waitUntil("[ -s long.monitor.csv ]"));
  (void)slurm.mustSay("scancel --batch --signal=USR1 " + job);
  endSoon(work, slurm, job);
  std::set<std::string> places;
  for (const std::string& line : slurm.solvers()) places.insert(line.substr(0, 21));
  CHECK(places == std::set<std::string>{"task 0 rank 0 on n1, ", "task 0 rank 1 on n1, ",
                                        "task 0 rank 2 on n2, ", "task 0 rank 3 on n2, "});
}

TEST_CASE("Slurm: a study is an array of jobs and ends in the files of make study", "[slow]") {
  const WorkFolder work;
  const Slurm slurm(work);
  if (!slurm.running()) return;
  prepareTube(work);
  work.write("tubes.toml", tubeCase("@mean@", 100));
  work.write("tubes.csv",
             "name,geometry,preprocess,mean\nslow,tube.stl,--unit mm --across 6,0.01 m/s\n"
             "fast,tube.stl,--unit mm --across 6,0.02 m/s\n"
             "fine,tube.stl,--unit mm --across 8,0.02 m/s\n");
  (void)slurm.mustSay("bash " + batchFolder + "study.sh tubes.csv");
  REQUIRE(slurm.waitUntilEmpty());
  std::set<std::string> tasks;
  for (const std::string& line : slurm.solvers()) tasks.insert(line.substr(0, 6));
  CHECK(tasks == std::set<std::string>{"task 1", "task 2", "task 3"});
  slurm.forgetSolvers();
  // Targets that are up to date are not rebuilt.
  (void)slurm.mustSay("bash " + batchFolder + "study.sh tubes.csv");
  REQUIRE(slurm.waitUntilEmpty());
  CHECK(slurm.solvers().empty());
  work.mustRun("make -f " TESSERA_SOURCE "/pipelines/rules.mk -f " TESSERA_SOURCE
               "/pipelines/study.mk TESSERA_BIN=" TESSERA_BIN " CSV=tubes.csv OUT=direct study");
  for (const char* file : {"slow.fields", "fast.out/summary.json", "study.cmp/summary.json"}) {
    INFO(file);
    const std::string in = std::string("tubes/") + file;
    REQUIRE(fs::exists(work.path("out/" + in)));
    CHECK(readWhole(work.path("out/" + in)) == readWhole(work.path("direct/" + in)));
  }
}

TEST_CASE("Slurm: waiting jobs are cancelled when the one before fails", "[slow]") {
  const WorkFolder work;
  const Slurm slurm(work);
  if (!slurm.running()) return;
  prepareTube(work);
  (void)slurm.mustSay("bash " + batchFolder + "chain.sh tube.stl '--unit parsec' rest.toml");
  REQUIRE(slurm.waitUntilEmpty());
  CHECK_FALSE(fs::exists(work.path("tube.tiles")));
  CHECK_FALSE(fs::exists(work.path("rest.fields")));
}
