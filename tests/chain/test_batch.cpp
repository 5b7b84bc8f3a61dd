// SPDX-License-Identifier: GPL-3.0-or-later
// The batch scripts: against a Slurm controller and node daemon on this machine, where they are
// installed and may run, and in a plain shell.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/chain/chain.hpp"

using namespace tessera::chain;
namespace fs = std::filesystem;

namespace {

const std::string batch = TESSERA_SOURCE "/pipelines/batch/";
const std::string settings = "export TESSERA_BIN=" TESSERA_BIN " SOLVER_FLAGS='--backend cpu'; ";

std::string caseOf(const std::string& mean, int steps) {
  return "[fluid]\ndensity = 1000\nviscosity = \"4e-3 Pa.s\"\n[solver]\nvelocity_scale = 0.05\n"
         "[[opening]]\nid = 1\nkind = \"velocity\"\nmean = \"" +
         mean + "\"\n[[opening]]\nid = 2\nkind = \"pressure\"\nvalue = 0\n[stop]\nsteps = " +
         std::to_string(steps) + "\n";
}

void prepare(const WorkFolder& work) {
  work.mustRun("tessera-sample tube --quiet --diameter '2 mm' --length '6 mm' -o tube.stl");
  work.write("rest.toml", caseOf("0.02 m/s", 200));
  work.write("walk.toml", caseOf("0.04 m/s", 200));
}

// The same without a batch system, in the folder direct/.
void runDirectly(const WorkFolder& work, const std::string& name) {
  work.mustRun(
      "mkdir -p direct && tessera-preprocess tube.stl --unit mm --across 8 -o direct/tube.vdb &&"
      " tessera-tiler direct/tube.vdb -o direct/tube.tiles && tessera-solver "
      "direct/tube.tiles --backend cpu --case " +
      name + ".toml -o direct/" + name + ".fields && tessera-postprocess direct/" + name +
      ".fields -o direct/" + name + ".out");
}

void checkSameAsDirect(const WorkFolder& work, const std::string& name) {
  INFO(name);
  for (const std::string& file : {name + ".fields", name + ".out/summary.json"}) {
    REQUIRE(fs::exists(work.path(file)));
    CHECK(readWhole(work.path(file)) == readWhole(work.path("direct/" + file)));
  }
}

class Slurm {
 public:
  explicit Slurm(const WorkFolder& work) : work_(work) {
    const bool installed = work.run("command -v slurmctld slurmd munged sbatch").code == 0;
    if (installed && ::geteuid() == 0) running_ = work.run(script() + " slurm").code == 0;
  }
  Slurm(const Slurm&) = delete;
  Slurm& operator=(const Slurm&) = delete;
  ~Slurm() {
    if (running_) (void)work_.run(script() + " slurm stop; sleep 1");
  }
  [[nodiscard]] bool running() const { return running_; }
  [[nodiscard]] Outcome run(const std::string& command) const {
    return work_.run("export SLURM_CONF=$PWD/slurm/slurm.conf; " + settings + command);
  }
  // Until the shell's condition holds, for at most some minutes.
  [[nodiscard]] bool waitUntil(const std::string& condition) const {
    return run("for i in $(seq 600); do if " + condition +
               "; then exit 0; fi; sleep 0.5; done; exit 1")
               .code == 0;
  }

 private:
  static std::string script() { return "bash " TESSERA_SOURCE "/tests/chain/start_slurm.sh"; }
  const WorkFolder& work_;
  bool running_ = false;
};

}  // namespace

TEST_CASE("Slurm runs the chain as dependent jobs and takes a job that ran out of time up again",
          "[slow]") {
  const WorkFolder work;
  const Slurm slurm(work);
  if (!slurm.running()) {
    WARN("Slurm is not installed or cannot start here (slurmctld slurmd slurm-client munge, root)");
    return;
  }
  prepare(work);
  work.write("long.toml", caseOf("0.02 m/s", 400'000));

  // Geometry, an array of two cases, results.
  const Outcome sent = slurm.run("SBATCH_SOLVE=--cpus-per-task=1 bash " + batch +
                                 "chain.sh tube.stl '--unit mm --across 8' rest.toml walk.toml");
  INFO(sent.output << sent.errors);
  REQUIRE(sent.code == 0);
  REQUIRE(slurm.waitUntil("[ -z \"$(squeue -h)\" ]"));
  for (const char* name : {"rest", "walk"}) {
    runDirectly(work, name);
    checkSameAsDirect(work, name);
  }

  // A minute of time, and the signal 50 s before its end: a checkpoint, and back to the queue.
  const Outcome job = slurm.run(
      "sbatch --parsable --cpus-per-task=2 --time=1 --signal=TERM@50 "
      "--output=long.log " +
      batch + "slurm.sh tube.tiles long.toml");
  REQUIRE(job.code == 0);
  const std::string id = job.output.substr(0, job.output.find('\n'));
  REQUIRE(slurm.waitUntil("grep -q 'goes back to the queue' long.log 2>/dev/null"));
  CHECK(fs::exists(work.path("long.ckpt")));
  CHECK_FALSE(fs::exists(work.path("long.fields")));
  REQUIRE(slurm.waitUntil("squeue -h -o %T | grep -q PENDING"));
  // Not after the two minutes that Slurm lets pass, and with time enough.
  REQUIRE(slurm.run("scontrol update JobId=" + id + " TimeLimit=10 StartTime=now").code == 0);
  REQUIRE(slurm.waitUntil("[ -z \"$(squeue -h)\" ]"));
  INFO(readWhole(work.path("long.log")));
  CHECK(work.json("long.solver.json").at("steps") == 400'000);
  CHECK(fs::exists(work.path("long.out/summary.json")));
}

TEST_CASE("Slurm runs the script for several ranks, here one, to the same files", "[slow]") {
  const WorkFolder work;
  const Slurm slurm(work);
  if (!slurm.running()) {
    WARN("Slurm is not installed or cannot start here (slurmctld slurmd slurm-client munge, root)");
    return;
  }
  prepare(work);
  runDirectly(work, "rest");
  work.mustRun("cp direct/tube.tiles .");
  const Outcome sent = slurm.run("sbatch --wait --ntasks=1 --cpus-per-task=2 --output=rest.log " +
                                 batch + "slurm_ranks.sh tube.tiles rest.toml");
  INFO(sent.output << sent.errors << readWhole(work.path("rest.log")));
  REQUIRE(sent.code == 0);
  checkSameAsDirect(work, "rest");
}

TEST_CASE("Slurm takes waiting jobs from the queue when the one before fails", "[slow]") {
  const WorkFolder work;
  const Slurm slurm(work);
  if (!slurm.running()) {
    WARN("Slurm is not installed or cannot start here (slurmctld slurmd slurm-client munge, root)");
    return;
  }
  prepare(work);
  REQUIRE(slurm.run("bash " + batch + "chain.sh tube.stl '--unit parsec' rest.toml").code == 0);
  REQUIRE(slurm.waitUntil("[ -z \"$(squeue -h)\" ]"));
  CHECK_FALSE(fs::exists(work.path("tube.tiles")));
  CHECK_FALSE(fs::exists(work.path("rest.fields")));
}

TEST_CASE("in a plain batch shell a limit or a signal leaves a checkpoint and 75", "[slow]") {
  const WorkFolder work;
  prepare(work);
  work.write("rest.toml", caseOf("0.02 m/s", 100'000));
  runDirectly(work, "rest");
  work.mustRun("cp direct/tube.tiles .");
  const std::string script = settings + "sh " + batch + "tessera.sub tube.tiles rest.toml";
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
  const auto refused = [&](const std::string& command, const std::string& words) {
    const Outcome outcome = work.run(command);
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.errors, Catch::Contains(words));
  };
  refused("bash " + batch + "slurm.sh tube.tiles", "there is no case for task 1");
  refused("SLURM_ARRAY_TASK_ID=3 bash " + batch + "slurm.sh tube.tiles a.toml b.toml",
          "there is no case for task 3");
  refused("bash " + batch + "slurm_ranks.sh tube.tiles", "1 arguments were given");
  refused("bash " + batch + "chain.sh tube.stl", "1 arguments were given");
  refused("sh " + batch + "tessera.sub tube.tiles", "1 arguments were given");
}
