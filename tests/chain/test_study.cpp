// SPDX-License-Identifier: GPL-3.0-or-later
// A parameter study under make -j2: twenty cases from a CSV, killed and restarted, and invalid CSV
// files.
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <random>

#include "tests/fixtures/case/case_builder.hpp"
#include "tests/fixtures/chain.hpp"

using namespace tessera::chain;
using namespace tessera::testing;
namespace fs = std::filesystem;

namespace {

// Two geometries, ten speeds.
std::string cases() {
  std::string csv = "name,geometry,preprocess,mean,steps\n# what a comment says\n";
  for (int i = 0; i < 20; ++i)
    csv += "case" + std::to_string(i) + ",tube.stl,--unit mm --across " +
           std::to_string(6 + 2 * (i % 2)) + ",\"0.0" + std::to_string(1 + i / 2) + " m/s\",100\n";
  return csv;
}

// The build itself is taken as done.
const std::string study =
    "make -C " TESSERA_SOURCE "/pipelines -j2 -o build TESSERA_BIN=" TESSERA_BIN
    " study SOLVER_FLAGS='--backend cpu' OUT=out CSV=cases.csv";

void prepareStudy(const WorkFolder& work) {
  work.mustRun("tessera-sample tube --quiet --diameter '2 mm' --length '4 mm' -o tube.stl");
  work.write("cases.toml", tubeFlow("@mean@").table("stop").raw("steps", "@steps@").toml());
  work.write("cases.csv", cases());
}

bool isTarget(const fs::path& path) {
  return path.extension() == ".vdb" || path.extension() == ".tiles" ||
         path.extension() == ".fields" || path.filename() == "summary.json";
}

struct Mark {
  ino_t inode = 0;
  fs::file_time_type written;
  friend bool operator==(const Mark&, const Mark&) = default;
};

// Marks of all finished targets of the study, by path.
std::map<std::string, Mark> marks(const WorkFolder& work) {
  std::map<std::string, Mark> found;
  if (!fs::exists(work.path("out"))) return found;
  for (const auto& entry : fs::recursive_directory_iterator(work.path("out"))) {
    // A folder of results counts once it has its name.
    const bool unfinished = entry.path().string().find(".part") != std::string::npos;
    if (unfinished || !isTarget(entry.path())) continue;
    struct stat status {};
    REQUIRE(::stat(entry.path().c_str(), &status) == 0);
    found[entry.path().string()] = {status.st_ino, fs::last_write_time(entry.path())};
  }
  return found;
}

std::map<std::string, std::string> filesOf(const WorkFolder& work) {
  std::map<std::string, std::string> found;
  for (const auto& [path, mark] : marks(work)) found[path] = readWhole(path);
  return found;
}

}  // namespace

TEST_CASE(
    "Parameter study: twenty cases killed at a random moment continue: no corrupt target, nothing "
    "twice",
    "[slow]") {
  const WorkFolder work;
  prepareStudy(work);
  work.mustRun(study);
  const auto whole = filesOf(work);
  REQUIRE(whole.size() == 2 + 2 + 20 + 20 + 1);  // vdb, tiles, fields, results, comparison
  CHECK(work.json("out/cases/study.cmp/summary.json").at("runs").size() == 20);

  std::mt19937 random(20);
  work.mustRun("rm -rf out");
  // Three kills at random moments after so many finished runs, then to the end.
  for (const int finished : {1, 5, 9}) {
    const double delay = 0.001 * std::uniform_int_distribution<int>(0, 300)(random);
    const auto before = marks(work);
    const Outcome outcome =
        work.run("setsid " + study + " & group=$!; while [ $(ls out/cases/*.fields | wc -l) -lt " +
                 std::to_string(finished) + " ] && kill -0 $group; do sleep 0.02; done; sleep " +
                 std::to_string(delay) + "; kill -9 -$group; wait $group");
    CHECK(outcome.code == 128 + 9);
    const auto after = marks(work);
    for (const auto& [path, mark] : before) CHECK(after.at(path) == mark);
    for (const auto& [path, mark] : after) {
      INFO(path << " of " << finished << " runs and " << delay << " s");
      CHECK(readWhole(path) == whole.at(path));
    }
  }
  const auto before = marks(work);
  CHECK(!before.empty());
  CHECK(before.size() < whole.size());
  work.mustRun(study);
  const auto after = marks(work);
  for (const auto& [path, mark] : before) CHECK(after.at(path) == mark);
  CHECK(filesOf(work) == whole);
}

TEST_CASE("Parameter study: only a changed or added line of the CSV runs again", "[pipeline]") {
  const WorkFolder work;
  prepareStudy(work);
  const std::string header = "name,geometry,preprocess,mean,steps,solver\n";
  const std::string a = "a,tube.stl,--unit mm --across 6,0.02 m/s,50,\n";
  work.write("cases.csv", header + a + "b,tube.stl,--unit mm --across 6,0.03 m/s,50,\n");
  work.mustRun(study);
  const auto first = marks(work);
  REQUIRE(first.size() == 1 + 1 + 2 + 2 + 1);
  CHECK_THAT(readWhole(work.path("out/cases/b.toml")),
             Catch::Contains("mean = \"0.03 m/s\"") && Catch::Contains("steps = 50"));
  CHECK_THAT(work.mustRun(study).output, !Catch::Contains("/bin/tessera-"));
  CHECK(marks(work) == first);
  CHECK(work.run(study + " -q").code == 0);

  work.write("cases.csv", header + a + "b,tube.stl,--unit mm --across 6,0.04 m/s,50,\n" +
                              "c,tube.stl,--unit mm --across 6,0.05 m/s,50,--steps 40\n");
  work.mustRun(study);
  const auto second = marks(work);
  CHECK(second.size() == first.size() + 2);
  CHECK(work.json("out/cases/b.solver.json").at("steps") == 50);
  CHECK(work.json("out/cases/c.solver.json").at("steps") == 40);
  for (const auto& [path, mark] : first) {
    const bool again =
        path.find("/b.") != std::string::npos || path.find(".cmp") != std::string::npos;
    INFO(path);
    CHECK((second.at(path) == mark) != again);
  }
}

TEST_CASE("Parameter study: invalid CSV files are refused with file and line", "[pipeline]") {
  const WorkFolder work;
  prepareStudy(work);
  const std::string header = "name,geometry,mean,steps\n";
  const auto refused = [&](const std::string& csv, const std::string& words) {
    work.write("cases.csv", csv);
    const Outcome outcome = work.run(study);
    INFO(csv << outcome.errors);
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.errors, Catch::Contains("study: ") && Catch::Contains(words));
    CHECK(marks(work).empty());
  };
  refused("", "cases.csv");
  refused(header, "cases.csv");
  refused("name,mean\na,1\n", "geometry");
  refused("name,name,geometry\n", "name");
  refused(header + "a,tube.stl,1\n", "cases.csv:2");
  refused(header + "a,tube.stl,\"1,2\n", "cases.csv:2");
  refused(header + "../a,tube.stl,1,2\n", "\"../a\"");
  refused(header + "a,tube.stl,1,2\na,tube.stl,1,2\n", "cases.csv:3");
  refused(header + "a,,1,2\n", "geometry");
  refused(header + "a,my tube.stl,1,2\n", "space");
  refused(header + "a,tube.stl;touch\tx;.stl,1,2\n", "character");
  refused("name,geometry,preprocess,mean,steps\na,tube.stl,--report tube.stl,1,2\n", "output");
  refused("name,geometry,preprocess,mean,steps\na,tube.stl,\"-'o'x\",1,2\n", "output");
  refused("name,geometry,preprocess,mean,steps\na,tube.stl,--unit 'mm,1,2\n", "quote");
  refused("name,geometry,preprocess,mean,steps\na,tube.stl,--unit $(touch x),1,2\n", "shell");
  refused("name,geometry,preprocess,mean,steps\na,tube.stl,(PWN),1,2\n", "quotes");
  refused("name,geometry,mean\na,tube.stl,1\n", "@steps@");
  refused(header + "a,tube.stl,1,2\n" + "b,tube.stl,1,2,3\n", "cases.csv:3");
  work.write("cases.toml", "nothing\n");
  refused(header + "a,tube.stl,1,2\n", "mean");
}
