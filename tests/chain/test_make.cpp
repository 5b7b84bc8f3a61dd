// SPDX-License-Identifier: GPL-3.0-or-later
// The chain under make: a second make does nothing, changed options and cases rebuild only what
// depends on them, and a killed make leaves no partial file.
#include <catch2/catch.hpp>
#include <filesystem>
#include <random>

#include "tests/fixtures/case/case_builder.hpp"
#include "tests/fixtures/chain.hpp"

using namespace tessera::chain;
using namespace tessera::testing;
namespace fs = std::filesystem;

namespace {

const std::vector<std::string> targets{"tube.vdb", "tube.tiles", "tube.fields",
                                       "tube.out/summary.json"};

void prepare(const WorkFolder& work) {
  work.mustRun("tessera-sample tube --quiet --diameter '2 mm' --length '6 mm' -o tube.stl");
  work.write("tube.toml", tubeFlow("0.05 m/s").steps(300).toml());
  work.write("Makefile", "TESSERA_BIN := " TESSERA_BIN
                         "\n"
                         "PREPROCESS_FLAGS = --unit mm --across $(ACROSS)\nACROSS = 12\n"
                         "SOLVER_FLAGS = --backend cpu\n"
                         "all: tube.out/summary.json\n"
                         "include " TESSERA_SOURCE "/pipelines/rules.mk\n");
}

std::vector<fs::file_time_type> times(const WorkFolder& work) {
  std::vector<fs::file_time_type> all;
  for (const auto& name : targets) all.push_back(fs::last_write_time(work.path(name)));
  return all;
}

std::vector<std::string> contents(const WorkFolder& work) {
  std::vector<std::string> all;
  for (const auto& name : targets) all.push_back(readWhole(work.path(name)));
  return all;
}

}  // namespace

TEST_CASE("make: a second make does nothing, a change rebuilds what depends on it", "[pipeline]") {
  const WorkFolder work;
  prepare(work);
  work.mustRun("make");
  const auto first = times(work);
  const auto bytes = contents(work);
  work.mustRun("tessera-info --check tube.vdb tube.tiles tube.fields");

  CHECK_THAT(work.mustRun("make --no-print-directory").output, !Catch::Contains("tessera-"));
  CHECK(times(work) == first);
  // Asked, make says the same, and without doing anything.
  CHECK(work.run("make -q").code == 0);
  CHECK_THAT(work.mustRun("make -n --no-print-directory").output, !Catch::Contains("tessera-"));
  CHECK(work.run("make -q ACROSS=10").code == 1);
  CHECK_THAT(work.mustRun("make -n ACROSS=10").output, Catch::Contains("tessera-preprocess"));
  CHECK(times(work) == first);

  work.mustRun("sed -i 's/0.05 m/0.04 m/' tube.toml && make");
  const auto changedCase = times(work);
  CHECK(changedCase[0] == first[0]);
  CHECK(changedCase[1] == first[1]);
  CHECK(changedCase[2] > first[2]);
  CHECK(changedCase[3] > first[3]);

  work.mustRun("make ACROSS=10");
  const auto changedOptions = times(work);
  CHECK(changedOptions[0] > first[0]);
  CHECK(changedOptions[3] > changedCase[3]);

  // Back to where it began: the same input and options give the same bytes.
  work.mustRun("sed -i 's/0.04 m/0.05 m/' tube.toml && make");
  CHECK(contents(work) == bytes);
}

TEST_CASE("make: a file that the case names is a prerequisite", "[pipeline]") {
  const WorkFolder work;
  prepare(work);
  work.write("in flow.csv", "time[s],velocity[m/s]\n0,0.05\n1,0.05\n");
  const std::string text = readWhole(work.path("tube.toml"));
  const std::string constant = "mean = \"0.05 m/s\"";
  REQUIRE(text.find(constant) != std::string::npos);
  work.write("tube.toml", std::string(text).replace(text.find(constant), constant.size(),
                                                    "waveform = \"in flow.csv\""));
  work.mustRun("make");
  const auto first = times(work);
  CHECK(work.run("make -q").code == 0);
  work.mustRun("touch 'in flow.csv'");
  CHECK(work.run("make -q").code == 1);
  work.mustRun("make");
  const auto second = times(work);
  CHECK(second[1] == first[1]);
  CHECK(second[2] > first[2]);
  CHECK(work.run("make -q").code == 0);
}

TEST_CASE("make: Makefiles of version 0.1 name the options as a prerequisite", "[pipeline]") {
  const WorkFolder work;
  prepare(work);
  work.write("Makefile", readWhole(work.path("Makefile")) +
                             "copy.vdb: tube.stl .copy.vdb.options ; $(tessera-preprocess)\n");
  work.mustRun("make copy.vdb");
  const auto made = fs::last_write_time(work.path("copy.vdb"));
  CHECK_THAT(work.mustRun("make copy.vdb").output, !Catch::Contains("tessera-"));
  CHECK(fs::last_write_time(work.path("copy.vdb")) == made);
  work.mustRun("make copy.vdb ACROSS=10");
  CHECK(fs::last_write_time(work.path("copy.vdb")) > made);
  CHECK_THAT(work.mustRun("make copy.vdb ACROSS=10").output, !Catch::Contains("tessera-"));
}

TEST_CASE("make: a make killed at any time leaves no partial file", "[slow]") {
  const WorkFolder work;
  prepare(work);
  work.mustRun("make");
  const auto bytes = contents(work);
  std::mt19937 random(7);
  for (int round = 0; round < 25; ++round) {
    const double delay = 0.001 * std::uniform_int_distribution<int>(5, 900)(random);
    work.mustRun("rm -rf tube.vdb tube.tiles tube.fields tube.out");
    // The whole process group, as a batch system does; its output is ignored.
    (void)work.run("setsid make & group=$!; sleep " + std::to_string(delay) +
                   "; kill -9 -$group; wait $group");
    for (std::size_t k = 0; k < targets.size(); ++k)
      if (fs::exists(work.path(targets[k]))) CHECK(readWhole(work.path(targets[k])) == bytes[k]);
    work.mustRun("make");
    CHECK(contents(work) == bytes);
  }
}

TEST_CASE(
    "make: make run takes paths relative to where it was called, and the geometry from the first "
    "run",
    "[pipeline]") {
  const WorkFolder work;
  prepare(work);
  work.write("other.toml", readWhole(work.path("tube.toml")) + "# another case\n");
  // With TESSERA_BIN nothing is built.
  const std::string run = "make -C " TESSERA_SOURCE "/pipelines TESSERA_BIN=" TESSERA_BIN
                          " run STL=tube.stl UNIT=mm ACROSS=12 OUT=results CASE=";
  const std::string said = work.mustRun(run + "tube.toml").output;
  CHECK_THAT(said, Catch::Contains("tessera-preprocess") && !Catch::Contains("ninja"));
  CHECK_THAT(work.mustRun(run + "tube.toml").output, !Catch::Contains("/bin/tessera-"));
  CHECK(work.run(run + "tube.toml -q").code == 0);
  CHECK(work.run(run + "other.toml -q").code == 1);
  CHECK_THAT(work.mustRun(run + "other.toml").output,
             !Catch::Contains("/tessera-preprocess") && Catch::Contains("/tessera-solver"));
  CHECK(fs::exists(work.path("results/tube/tube.out/report.html")));
  CHECK(fs::exists(work.path("results/tube/other.out/report.html")));
}

TEST_CASE("make: names with spaces are refused in one sentence, before anything is run",
          "[pipeline]") {
  const WorkFolder work;
  prepare(work);
  work.mustRun("cp tube.stl 'my tube.stl'");
  const std::string make = "make -C " TESSERA_SOURCE "/pipelines TESSERA_BIN=" TESSERA_BIN " run ";
  for (const char* names : {"STL='my tube.stl' CASE=tube.toml", "STL=tube.stl CASE='my tube.toml'",
                            "STL=tube.stl CASE=tube.toml OUT='my results'"}) {
    INFO(names);
    const Outcome outcome = work.run(make + names + " UNIT=mm ACROSS=8");
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.errors, Catch::Contains("space") && Catch::Contains("my "));
  }
}

TEST_CASE("make: the first target of a Makefile that includes the rules is its own", "[pipeline]") {
  const WorkFolder work;
  const std::string include =
      "TESSERA_BIN := " TESSERA_BIN "\ninclude " TESSERA_SOURCE "/pipelines/";
  work.write("Makefile", include + "rules.mk\nall: ; @echo mine\n");
  CHECK(work.mustRun("make -s").output == "mine\n");
  // A study without a target of its own is made.
  work.mustRun("tessera-sample tube --quiet --diameter '2 mm' --length '6 mm' -o tube.stl");
  work.write("many.csv",
             "name,geometry,preprocess,mean\nrest,tube.stl,--unit mm --across 8,1 cm/s\n");
  work.write("many.toml", tubeFlow("@mean@").steps(100).toml());
  work.write("Makefile",
             include + "rules.mk\nCSV = many.csv\ninclude " TESSERA_SOURCE "/pipelines/study.mk\n");
  CHECK_THAT(work.mustRun("make -n").output, Catch::Contains("tessera-solver"));
}

TEST_CASE("make: CUDA=OFF builds without CUDA, and the choice is remembered", "[pipeline]") {
  const WorkFolder work;
  // In place of CMake: a script that prints its arguments and writes the expected files.
  work.mustRun("mkdir pipelines bin && cp " TESSERA_SOURCE "/pipelines/configure.sh pipelines");
  work.write(
      "bin/cmake",
      "#!/bin/sh\necho cmake \"$@\"\nmkdir -p build/release && : > build/release/build.ninja\n"
      "case \"$*\" in *TESSERA_CUDA=OFF*) of=OFF ;; *) of=AUTO ;; esac\n"
      "echo TESSERA_CUDA:STRING=$of > build/release/CMakeCache.txt\n");
  work.mustRun("chmod +x bin/cmake");
  const auto configure = [&](const std::string& cuda) {
    return work.run("unset CUDA; PATH=$PWD/bin:$PATH " + cuda +
                    " pipelines/configure.sh release -DA=B");
  };
  CHECK_THAT(configure("").output, Catch::Contains("cmake --preset release") &&
                                       Catch::Contains("-DA=B") && !Catch::Contains("CUDA"));
  CHECK(configure("").output.empty());
  CHECK(configure("CUDA=AUTO").output.empty());
  CHECK_THAT(configure("CUDA=OFF").output, Catch::Contains("-DTESSERA_CUDA=OFF"));
  CHECK(configure("CUDA=OFF").output.empty());
  CHECK(configure("").output.empty());
  CHECK(configure("CUDA=/usr/local/cuda").output.empty());
  CHECK_THAT(configure("CUDA=AUTO").output, Catch::Contains("-DTESSERA_CUDA=AUTO"));
  work.write("bin/cmake", "#!/bin/sh\nexit 1\n");
  CHECK(configure("CUDA=ON").code == 2);
  CHECK_FALSE(fs::exists(work.path("build/release/build.ninja")));
  const Outcome wrong = configure("CUDA=no");
  CHECK(wrong.code == 2);
  CHECK_THAT(wrong.errors, Catch::Contains("CUDA is no") && Catch::Contains("AUTO"));
  // Both Makefiles hand it on.
  for (const char* folder : {"pipelines", "tests"})
    CHECK_THAT(work.mustRun("make -n -C " TESSERA_SOURCE "/" + std::string(folder) +
                            " build CUDA=OFF TARGETS=nothing")
                   .output,
               Catch::Contains("CUDA=OFF") && Catch::Contains("configure.sh release"));
}

TEST_CASE("make: the demo builds few rows in a new folder, other targets the rest", "[pipeline]") {
  const WorkFolder work;
  work.mustRun("mkdir pipelines bin && cp " TESSERA_SOURCE "/pipelines/configure.sh pipelines");
  // In place of CMake: its cache keeps what -D set and -U did not remove, also where it fails.
  work.write("bin/cmake", R"(#!/bin/sh
echo cmake "$@"
cache=build/release/CMakeCache.txt
mkdir -p build/release
rows=$(sed -n 's/^TESSERA_VARIANTS:STRING=//p' $cache 2> /dev/null)
for word; do
  case $word in -DTESSERA_VARIANTS=*) rows=${word#*=} ;; -UTESSERA_VARIANTS) rows= ;; esac
done
printf 'TESSERA_CUDA:STRING=AUTO\nTESSERA_VARIANTS:STRING=%s\n' "${rows:-solver/variants.def}" > $cache
[ ! -e fails ] || exit 1
: > build/release/build.ninja
)");
  work.mustRun("chmod +x bin/cmake");
  const auto configure = [&](const std::string& words) {
    return work
        .run("unset CUDA ROWS; PATH=$PWD/bin:$PATH " + words + " pipelines/configure.sh release")
        .output;
  };
  const std::string rows = "-DTESSERA_VARIANTS=solver/demo_variants.def";
  work.write("fails", "");
  CHECK_THAT(configure("ROWS=demo"), Catch::Contains(rows));
  work.mustRun("rm fails && rm -r build");
  CHECK_THAT(configure("ROWS=demo"),
             Catch::Contains(rows) &&
                 Catch::Contains("-DTESSERA_COMPARED=solver/comparators/no_variants.def"));
  CHECK(configure("ROWS=demo").empty());
  // Others restore the rows, also after a configuration that failed.
  work.mustRun("rm build/release/build.ninja");
  CHECK_THAT(configure(""),
             Catch::Contains("-UTESSERA_VARIANTS -UTESSERA_COMPARED") && !Catch::Contains(rows));
  CHECK(configure("").empty());
  CHECK(configure("ROWS=demo").empty());
  work.mustRun("rm build/release/build.ninja");
  CHECK_THAT(configure("ROWS=demo"), Catch::Contains("cmake") && !Catch::Contains(rows));
  CHECK(fs::exists(TESSERA_SOURCE "/solver/demo_variants.def"));
  // The goals of make decide; it may stop later, where the programs are not in that folder.
  work.write("a.stl", "");
  work.write("a.toml", "");
  const auto wouldRun = [&](const std::string& goals) {
    return work
        .run("unset TESSERA_BIN MAKEFLAGS; make -n -C " TESSERA_SOURCE "/pipelines OUT=$PWD/out " +
             goals)
        .output;
  };
  CHECK_THAT(wouldRun("demo"), Catch::Contains("ROWS=demo ./configure.sh release"));
  for (const char* goals :
       {"demo build", "demo SOLVER_FLAGS=--quiet", "run STL=a.stl CASE=a.toml ACROSS=8"})
    CHECK_THAT(wouldRun(goals),
               Catch::Contains("configure.sh release") && !Catch::Contains("ROWS=demo"));
}

TEST_CASE("make: rules.mk takes the programs built here, otherwise the installed ones",
          "[pipeline]") {
  const WorkFolder work;
  work.mustRun(
      "mkdir -p usr/bin usr/share/tessera here/pipelines here/build/release/bin && "
      "for copy in usr/share/tessera here/pipelines; do cp " TESSERA_SOURCE
      "/pipelines/rules.mk $copy; done && cp " TESSERA_SOURCE
      "/preprocess/read/formats.def usr/share/tessera && mkdir -p here/preprocess/read && "
      "cp " TESSERA_SOURCE
      "/preprocess/read/formats.def here/preprocess/read && "
      "touch usr/bin/tessera-solver");
  const auto taken = [&](const std::string& rules, const std::string& with = "") {
    work.write("Makefile", "include " + rules + "\nsay: ; @echo $(TESSERA_BIN)\n");
    const std::string folder = work.mustRun("unset TESSERA_BIN; make -s say " + with).output;
    return fs::path(folder.substr(0, folder.find('\n')));
  };
  const fs::path home = fs::canonical(work.path("."));
  CHECK(taken("usr/share/tessera/rules.mk") == home / "usr/bin");
  // Not built yet: the message names the expected path.
  CHECK(taken("here/pipelines/rules.mk") == home / "here/build/release/bin");
  work.mustRun("mkdir -p bin && touch bin/tessera-solver here/build/release/bin/tessera-solver");
  CHECK(taken("here/pipelines/rules.mk") == home / "here/build/release/bin");
  CHECK(taken("usr/share/tessera/rules.mk", "TESSERA_BIN=/mine") == "/mine");
}
