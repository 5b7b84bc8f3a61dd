// SPDX-License-Identifier: GPL-3.0-or-later
// The program at its end: under limits of its memory, and with a report that cannot be written.
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <cstdlib>

#include "pipelines/stage/io/json.hpp"
#include "solver/file/fields_file.hpp"
#include "tests/fixtures/case/case_builder.hpp"
#include "tests/fixtures/case/run_in_folder.hpp"

using namespace tessera;
using namespace tessera::stage;
using namespace tessera::tiler::file;
using namespace tessera::testing;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

// Half a million nodes and a case of three steps.
struct Box {
  TemporaryFolder folder{};
  Box() {
    writeTilesFile(folder / "box.tiles", openBox({80, 80, 80}).geometry, newProvenance("t"));
    writeWhole(folder / "box.toml", tubeFlow("0.01 m/s", "1e-6 m2/s").steps(3).toml());
  }
  // Exit code of a shell's line in the folder, SOLVE being the program where it is on it.
  int run(std::string line) const {
    const std::string solve = "SOLVE";
    if (const std::size_t at = line.find(solve); at != std::string::npos)
      line.replace(at, solve.size(),
                   TESSERA_BIN
                   "/tessera-solver box.tiles --case box.toml --backend cpu --threads 1 --quiet -o "
                   "run.fields");
    return WEXITSTATUS(std::system(
        ("cd " + folder.path().string() + " && { " + line + "; } >said.txt 2>&1").c_str()));
  }
  int runUnder(int kilobytes, const std::string& options) const {
    return run("ulimit -d " + std::to_string(kilobytes) + " && SOLVE " + options);
  }
  std::string said() const { return readWhole(folder / "said.txt"); }
};

}  // namespace

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which take much themselves
// Limits on the data segment, from too little on. Told to stop at its first sample the run obeys;
// then it is resumed.
TEST_CASE("tessera-solver: under any memory limit a run is refused at the start or loses nothing",
          "[unit]") {
  const Box box;
  const TemporaryFolder& folder = box.folder;
  int refusals = 0, stops = 0, ends = 0;
  for (int kilobytes = 130000; kilobytes <= 385000; kilobytes += 15000) {
    INFO("ulimit -d " << kilobytes);
    writeWhole(folder / "STOP", "");
    const int stopped = box.runUnder(kilobytes, "");
    INFO(box.said());
    if (stopped == 5) {  // before anything was written
      CHECK(readWhole(folder / "run.monitor.csv").empty());
      ++refusals;
      continue;
    }
    CHECK(stopped == 75);
    CHECK(fs::exists(folder / "run.ckpt"));
    const int ended = box.runUnder(kilobytes, "--resume");
    INFO(box.said());
    if (ended == 5) {
      CHECK(fs::exists(folder / "run.ckpt"));
      CHECK(box.run("SOLVE --resume") == 0);
      ++stops;
    } else {
      CHECK(ended == 0);
      ++ends;
    }
    CHECK(fs::exists(folder / "run.fields"));
    for (const char* name : {"run.fields", "run.monitor.csv"}) fs::remove(folder / name);
  }
  CHECK(refusals > 0);
  CHECK(stops > 0);
  CHECK(ends > 0);
}
#endif

TEST_CASE("tessera-solver: a report that cannot be written leaves the fields and the checkpoints",
          "[unit]") {
  const Box box;
  writeWhole(box.folder / "box.toml",
             readWhole(box.folder / "box.toml") + "[output]\ncheckpoint_every = \"20 steps\"\n");
  fs::create_directory(box.folder / "reports");
  // The folder disappears while the run is under way; it exists at the start. Nearly all of the
  // steps are left when the first checkpoint appears.
  CHECK(box.run("SOLVE --steps 600 --report reports/run.json & run=$!; "
                "while ! [ -e run.ckpt ] && kill -0 $run; do sleep 0.01; done; "
                "mv reports gone; wait $run") == 4);
  CHECK_THAT(box.said(), Contains("reports/run.json") && Contains("run.fields"));
  const std::string fields = readWhole(box.folder / "run.fields");
  CHECK(fields.size() > 0);
  fs::remove(box.folder / "run.fields");
  CHECK(box.run("SOLVE --steps 600 --report run.json --resume") == 0);
  CHECK(readWhole(box.folder / "run.fields") == fields);
  CHECK(fs::exists(box.folder / "run.json"));
  CHECK_FALSE(fs::exists(box.folder / "run.ckpt"));
}

TEST_CASE("tessera-solver: the report lies next to the fields unless another place is named",
          "[unit]") {
  const Box box;
  CHECK(box.run("SOLVE --report run.json") == 0);
  CHECK_FALSE(fs::exists(box.folder / "run.solver.json"));
  const std::string fields = readWhole(box.folder / "run.fields");
  CHECK(box.run("SOLVE") == 0);
  CHECK(readWhole(box.folder / "run.fields") == fields);
  const Json report = Json::parse(readWhole(box.folder / "run.solver.json"));
  CHECK(report.at("steps") == 3);
  CHECK_FALSE(report.at("machine").get<std::string>().empty());
  CHECK(report.at("fields_hash") == solver::file::fieldsHash(box.folder / "run.fields"));
}

TEST_CASE("tessera-solver: side files that are no regular files are refused before the run",
          "[unit]") {
  const Box box;
  writeWhole(box.folder / "precious.txt", "mine");
  for (const std::string name :
       {"run.monitor.csv", "run.ckpt", "run.ckpt.prev", "run.0007.fields", "run.solver.json"})
    for (const std::string made :
         {"mkfifo ", "mkdir ", "ln -s precious.txt ", "ln -s /dev/null "}) {
      INFO(made << name);
      CHECK(box.run(made + name) == 0);
      CHECK(box.run("timeout 60 SOLVE --steps 5") == 4);
      CHECK_THAT(box.said(), Contains(name));
      CHECK_FALSE(fs::exists(box.folder / "run.fields"));
      CHECK(box.run("rm -rf " + name) == 0);
    }
  // Read before anything is written.
  CHECK(box.run("mkfifo wave.csv && timeout 60 SOLVE --steps 5 --initial wave.csv") == 3);
  CHECK(readWhole(box.folder / "precious.txt") == "mine");
  CHECK(box.run("SOLVE --steps 5") == 0);
}

TEST_CASE("tessera-solver: columns of the plan have one unit, that of their largest value",
          "[unit]") {
  const Box box;
  TilesFile tiles = openBox({20, 12, 12});
  const double section = tiles.geometry.openings[0].area;
  tiles.geometry.throats = {{{2}, tiles.geometry.openings[1].centre, {1, 0, 0}, section / 8.0, 1}};
  writeTilesFile(box.folder / "box.tiles", tiles.geometry, newProvenance("t"));
  writeWhole(box.folder / "box.toml", tubeFlow("0.3 m/s", "3e-4 m2/s").steps(200).toml());
  CHECK(box.run("SOLVE --plan") == 0);
  CHECK_THAT(box.said(), Contains("2.4/4.8 m/s") && Contains("0.3/0.6 m/s"));
}

TEST_CASE("tessera-solver: the plan has the flow at each opening, the errors and the time",
          "[unit]") {
  const Box box;
  writeTilesFile(box.folder / "box.tiles", openBox({20, 12, 12}).geometry, newProvenance("t"));
  writeWhole(box.folder / "box.toml", tubeFlow("0.01 m/s", "3e-6 m2/s").steps(200).toml());
  CHECK(box.run("XDG_CACHE_HOME=$PWD/cache SOLVE --plan") == 0);
  CHECK_THAT(box.said(), Contains("in 14.4 mm3/s"));
  CHECK_THAT(box.said(), Contains("out 14.4") && Contains("velocity 10 mm/s"));
  CHECK_THAT(box.said(),
             Contains("errors       expected at most") && Contains("time         about"));
  CHECK_THAT(box.said(), Contains("from the memory bandwidth"));
  CHECK_FALSE(fs::exists(box.folder / "cache"));
  // A measured speed, in this user's cache.
  CHECK(
      box.run("XDG_CACHE_HOME=$PWD/cache " TESSERA_BIN
              "/tessera-solver --bench step box.tiles --backend cpu --threads 1 --precision f32") ==
      0);
  CHECK(fs::exists(box.folder / "cache/tessera/speeds.txt"));
  CHECK(box.run("XDG_CACHE_HOME=$PWD/cache SOLVE --plan") == 0);
  CHECK_THAT(box.said(), Contains("measured by --bench"));

  CHECK(box.run("XDG_CACHE_HOME=$PWD/cache SOLVE --report run.json") == 0);
  const Json report = Json::parse(readWhole(box.folder / "run.json"));
  const Json& plan = report.at("plan");
  CHECK(plan.at("openings")[0].at("flow_rate_m3_s").get<double>() == Approx(-1.44e-8));
  CHECK(plan.at("openings")[1].at("flow_rate_m3_s").get<double>() == Approx(1.44e-8).epsilon(1e-3));
  CHECK(plan.at("openings")[1].at("peak_velocity_m_s").get<double>() == Approx(0.02).epsilon(1e-3));
  CHECK(plan.at("seconds").get<double>() > 0.0);
  CHECK(report.at("expected_error").at("wss_mean").get<double>() > 0.0);
}

TEST_CASE("tessera-solver: the plan has a table of structures on request", "[unit]") {
  const Box box;
  writeTilesFile(box.folder / "box.tiles", openBox({20, 12, 12}).geometry, newProvenance("t"));
  const auto flow = [] { return tubeFlow("0.01 m/s", "3e-6 m2/s").steps(200); };
  writeWhole(box.folder / "box.toml", flow().toml());
  CHECK(box.run("XDG_CACHE_HOME=$PWD/cache SOLVE --plan") == 0);
  CHECK_THAT(box.said(), !Contains("structure "));
  CHECK(box.run("XDG_CACHE_HOME=$PWD/cache SOLVE --plan --structures --precision f64") == 0);
  CHECK_THAT(box.said(), Contains("structure ") && Contains("copy bandwidth"));
  // 2 x 19 x 8 bytes and 18 indices.
  for (const char* name : {"tiles ", "tiles-moments ", "lists ", "dense ", "hybrid ",
                           "tiles-compact ", "fluid-index-array "})
    CHECK_THAT(box.said(), Contains(std::string("\n") + name));
  CHECK_THAT(box.said(), Contains(" 376.0 "));
  CHECK_THAT(box.said(), Contains("nothing was written"));
  CHECK(box.run("SOLVE --structures") == 2);
  CHECK_THAT(box.said(), Contains("--structures is a table of --plan"));
  CHECK(box.run("SOLVE --plan --structures --precision f16") == 2);
  CHECK_THAT(box.said(), Contains("f64 and f32"));
}

TEST_CASE("tessera-solver: a Mach number above 0.3 is said with the step that gives 0.1",
          "[unit]") {
  const Box box;
  writeTilesFile(box.folder / "box.tiles", openBox({20, 12, 12}).geometry, newProvenance("t"));
  const auto said = [&](double latticeVelocity) {
    CaseBuilder flow = tubeFlow("0.01 m/s", "3e-6 m2/s").steps(600);
    flow.table("solver").with("velocity_scale", latticeVelocity);
    writeWhole(box.folder / "box.toml", flow.toml());
    CHECK(box.run("SOLVE; rm -f run.*") == 0);
    return box.said();
  };
  CHECK_THAT(said(0.05), !Contains("compressibility errors are not small"));
  const std::string fast = said(0.24);
  CHECK_THAT(fast, Contains("at the largest velocity, above 0.3") && Contains("gives 0.1"));
  const std::string given = "time_step = \"";
  const std::size_t at = fast.find(given) + given.size();
  // The same flow at that step.
  CaseBuilder flow = tubeFlow("0.01 m/s", "3e-6 m2/s").steps(4000);
  flow.table("solver").with("time_step", fast.substr(at, fast.find('"', at) - at));
  std::string text = flow.toml();
  const std::string scale = "velocity_scale = 0.05\n";
  writeWhole(box.folder / "box.toml", text.erase(text.find(scale), scale.size()));
  CHECK(box.run("SOLVE --report run.json") == 0);
  CHECK(Json::parse(readWhole(box.folder / "run.json")).at("mach_max").get<double>() ==
        Approx(0.1).margin(0.03));
}
