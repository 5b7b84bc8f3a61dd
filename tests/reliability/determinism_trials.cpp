// SPDX-License-Identifier: GPL-3.0-or-later
// The same input and options give the same bytes, on any number of threads and every time:
// `determinism_trials REPEATS`. A table of runs and of different files; 1 when there are two.
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>

#include "tests/fixtures/child.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using namespace tessera;
using namespace tessera::reliability;
namespace fs = std::filesystem;

namespace {

struct Stage {
  const char* what;
  std::vector<std::string> command;
  std::string target;
};

const std::vector<Stage> stages{
    {"preprocess", {"tessera-preprocess", "tube.stl", "--unit", "mm", "--across", "20"}, "out.vdb"},
    {"tiler", {"tessera-tiler", "tube.vdb"}, "out.tiles"},
    {"tiler, rows", {"tessera-tiler", "tube.vdb", "--placement", "rows"}, "out.tiles"},
    {"solver, f32", {"tessera-solver", "tube.tiles", "--case", "steady.toml"}, "out.fields"},
    {"solver, f64",
     {"tessera-solver", "tube.tiles", "--case", "steady.toml", "--precision", "f64"},
     "out.fields"},
    {"solver, pulsatile", {"tessera-solver", "tube.tiles", "--case", "pulse.toml"}, "out.fields"}};

std::string run(const fs::path& folder, const Stage& stage, int threads) {
  std::vector<std::string> command = stage.command;
  command.insert(command.end(),
                 {"--quiet", "--threads", std::to_string(threads), "-o", stage.target});
  if (command[0] == "tessera-solver")
    command.insert(command.end(), {"--backend", "cpu", "--steps", "600"});
  mustRun(folder, command);
  return readWhole(folder / stage.target);
}

}  // namespace

int main(int argc, char** argv) {
  const int repeats = argc == 2 ? std::atoi(argv[1]) : 0;
  if (repeats < 1) {
    std::fprintf(stderr, "usage: determinism_trials REPEATS\n");
    return 2;
  }
  const TemporaryFolder place;
  const fs::path folder = place / "runs";
  fs::create_directory(folder);
  prepareTube(folder, 14, "100 steps");
  std::printf("%-18s %8s %6s %16s\n", "stage", "threads", "runs", "different files");
  bool same = true;
  for (const Stage& stage : stages) {
    std::set<std::string> files;
    for (const int threads : {1, 2, 3})
      for (int k = 0; k < repeats; ++k) files.insert(run(folder, stage, threads));
    std::printf("%-18s %8s %6d %16zu\n", stage.what, "1, 2, 3", 3 * repeats, files.size());
    std::fflush(stdout);
    same = same && files.size() == 1;
  }
  return same ? 0 : 1;
}
