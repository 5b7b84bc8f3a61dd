// SPDX-License-Identifier: GPL-3.0-or-later
// The installed tree: make runs a case from PREFIX/share/tessera with the installed programs, help
// is where the system looks for it, and other programs find the readers.
#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/fixtures/case/case_builder.hpp"
#include "tests/fixtures/chain.hpp"

using namespace tessera::chain;
using namespace tessera::testing;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

// False, with a notice, without cmake.
bool install(const WorkFolder& work) {
  if (work.run("command -v cmake").code != 0) {
    WARN("cmake is not installed");
    return false;
  }
  work.mustRun("mkdir -p usr/bin");
  for (const char* part : {"help", "library"})
    work.mustRun(std::string("cmake --install " TESSERA_BIN "/.. --prefix $PWD/usr --component ") +
                 part);
  // The programs themselves are some hundred MB.
  work.mustRun("ln -s " TESSERA_BIN "/* usr/bin/");
  return true;
}

}  // namespace

TEST_CASE("Install: a case runs from the installed tree, which has everything but the source",
          "[pipeline]") {
  const WorkFolder work;
  if (!install(work)) return;
  for (const char* file :
       {"share/tessera/Makefile", "share/tessera/study.mk", "share/tessera/cases/cavity/Makefile",
        "share/tessera/batch/slurm.sh", "share/tessera/modulefiles/tessera",
        "share/doc/tessera/LICENSE", "share/doc/tessera/manual/index.md",
        "share/man/man1/tessera-solver.1", "share/man/man5/tessera-case.5",
        "share/bash-completion/completions/tessera-solver",
        "share/zsh/site-functions/_tessera-solver",
        "share/fish/vendor_completions.d/tessera-solver.fish"})
    CHECK(fs::exists(work.path(std::string("usr/") + file)));
  work.mustRun("tessera-sample tube --quiet --diameter '2 mm' --length '6 mm' -o tube.stl");
  work.write("rest.toml", tubeFlow("0.05 m/s").steps(100).toml());
  const std::string make = "unset TESSERA_BIN; make -C $PWD/usr/share/tessera ";
  const std::string said =
      work.mustRun(make + "run STL=tube.stl UNIT=mm ACROSS=8 CASE=rest.toml").output;
  CHECK_THAT(said, Contains("usr/bin/tessera-solver"));
  CHECK(fs::exists(work.path("out/tube/rest.out/report.html")));
  const std::string help = work.mustRun(make + "help").output;
  CHECK_THAT(help, Contains("usr/share/tessera run STL=") && Contains("resolution") &&
                       Contains("study") && !Contains("figures-tiling"));
  work.write("both.csv", "name,geometry,preprocess,mean\na,tube.stl,--unit mm --across 8,1 cm/s\n");
  work.write("both.toml", tubeFlow("@mean@").steps(100).toml());
  CHECK_THAT(work.mustRun(make + "-n study CSV=both.csv").output, Contains("tessera-solver"));
}

TEST_CASE("Install: find_package(tessera) gives other programs the readers", "[pipeline]") {
  const WorkFolder work;
  if (!install(work)) return;
  work.mustRun(
      "tessera-sample channel2d --quiet --size 16,10 -o channel.pgm && "
      "tessera-preprocess channel.pgm --voxel '1 mm' --pore 0 --faces x-,x+ --quiet -o channel.vdb "
      "&& tessera-tiler channel.vdb --quiet -o channel.tiles");
  work.write("CMakeLists.txt",
             "cmake_minimum_required(VERSION 3.25)\nproject(mine CXX)\n"
             "find_package(tessera 0.2 REQUIRED)\nadd_executable(mine mine.cpp)\n"
             "target_link_libraries(mine PRIVATE tessera::fields tessera::tiles)\n");
  work.write("mine.cpp",
             "#include <cstdio>\n#include \"solver/file/fields_file.hpp\"\n"
             "#include \"tiler/file/tiles_file.hpp\"\n"
             "int main(int argc, char** argv) {\n"
             "  if (argc > 2) tessera::solver::file::readFieldsFile(argv[2]);\n"
             "  std::printf(\"%llu\\n\", static_cast<unsigned long long>(\n"
             "      tessera::tiler::file::readTilesFile(argv[1]).geometry.fluidNodes));\n}\n");
  work.mustRun("cmake -S . -B build -DCMAKE_PREFIX_PATH=$PWD/usr && cmake --build build");
  CHECK(work.mustRun("build/mine channel.tiles").output == "128\n");
}
