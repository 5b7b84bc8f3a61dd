// SPDX-License-Identifier: GPL-3.0-or-later
// Chains and studies as dependent jobs, some of which fail, with an sbatch that runs each at once;
// test_slurm.cpp has them under Slurm.
#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/chain/batch_trial.hpp"

using namespace tessera::chain;
namespace fs = std::filesystem;

namespace {

// A tube with cases that are run and one that cannot converge in its steps.
class Jobs {
 public:
  Jobs() {
    prepareTube(work_);
    work_.mustRun("mkdir bin && cp " TESSERA_SOURCE
                  "/tests/chain/sbatch_at_once.sh bin/sbatch && chmod +x bin/sbatch");
  }
  [[nodiscard]] const WorkFolder& work() const { return work_; }
  // Runs them all; how each ended, a word a job.
  std::string submit(const std::string& command) const {
    fs::remove_all(work_.path("jobs"));
    work_.mustRun("export PATH=$PWD/bin:$PATH TESSERA_BIN=" TESSERA_BIN
                  " SOLVER_FLAGS='--backend cpu'; bash " +
                  batchFolder + command);
    return work_.mustRun("cat $(ls -d jobs/* | grep -v log) | tr '\n' ' '").output;
  }
  [[nodiscard]] std::string said(int job) const {
    return readWhole(work_.path("jobs/" + std::to_string(job) + ".log"));
  }
  [[nodiscard]] bool has(const std::string& name) const { return fs::exists(work_.path(name)); }

 private:
  WorkFolder work_;
};

const std::string inVain = "converged = 1e-12\nrequire_convergence = true\n";

}  // namespace

TEST_CASE("Dependent jobs: a failing case costs a chain only its own results", "[pipeline]") {
  const Jobs jobs;
  const std::string chain = "chain.sh tube.stl '--unit mm --across 8' walk.toml rest.toml";
  const std::string walk = readWhole(jobs.work().path("walk.toml"));
  jobs.work().write("walk.toml", walk + inVain);
  CHECK(jobs.submit(chain) == "0 1 1 ");
  INFO(jobs.said(3));
  CHECK_THAT(jobs.said(3),
             Catch::Contains("chain.sh: walk ") && !Catch::Contains("chain.sh: rest "));
  CHECK_FALSE(jobs.has("walk.out"));
  runDirectly(jobs.work(), "rest");
  checkSameAsDirect(jobs.work(), "rest");

  jobs.work().write("walk.toml", walk);
  CHECK(jobs.submit(chain) == "0 0 0 ");
  runDirectly(jobs.work(), "walk");
  checkSameAsDirect(jobs.work(), "walk");

  // Nothing is made of fields of before.
  jobs.work().write("walk.toml", walk + inVain);
  CHECK(jobs.submit(chain) == "0 1 1 ");
  CHECK_THAT(jobs.said(3), Catch::Contains("chain.sh: walk "));

  CHECK(jobs.submit("chain.sh tube.stl '--unit parsec' rest.toml") == "1 cancelled cancelled ");
}

TEST_CASE("Dependent jobs: a failing case costs a study only its own results", "[pipeline]") {
  const Jobs jobs;
  const std::string header = "name,geometry,preprocess,mean,must\n";
  const std::string row = ",tube.stl,--unit mm --across 6,0.02 m/s,";
  const auto write = [&](const char* must) {
    jobs.work().write("tubes.csv",
                      header + "a" + row + "false\nb" + row + must + "\nc" + row + "false\n");
  };
  jobs.work().write("tubes.toml",
                    tubeCase("@mean@", 100) + "converged = 1e-12\nrequire_convergence = @must@\n");
  const auto runs = [&] { return jobs.work().json("out/tubes/study.cmp/summary.json").at("runs"); };
  write("true");
  CHECK(jobs.submit("study.sh tubes.csv") == "0 1 1 ");
  CHECK_THAT(jobs.said(3), Catch::Contains("study: b ") && !Catch::Contains("/tessera-solver") &&
                               Catch::Contains("2 of 3"));
  REQUIRE(runs().size() == 2);
  CHECK(runs()[1].at("name") == "c");

  write("false");
  CHECK(jobs.submit("study.sh tubes.csv") == "0 0 0 ");
  CHECK(runs().size() == 3);

  // No results of the failed start remain.
  write("true");
  CHECK(jobs.submit("study.sh tubes.csv") == "0 1 1 ");
  CHECK(runs().size() == 2);
}
