// SPDX-License-Identifier: GPL-3.0-or-later
// Tables and figures of the papers on dense storage, lists and their hybrid, on this machine,
// compared with the papers' values. --scale 0.1 shortens every length for a quick run. Beds run on
// several devices, one a rank: mpirun -np 2 paper_structures --only beds -o FOLDER.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>

#include "pipelines/stage/cli/command_line.hpp"
#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "solver/comm/ranks.hpp"
#include "tests/bench/structures_parts.hpp"

using namespace tessera;
using namespace tessera::stage;
using namespace tessera::paper;

namespace {

constexpr const char* program = "paper_structures";

struct Part {
  const char* name;
  void (*measure)(const Folder&, const Effort&);
};
constexpr std::array<Part, 4> parts{{{"porosity", &suffaPorosity},
                                     {"beds", &suffaBeds},
                                     {"dense", &habichDense},
                                     {"expansion", &rinaldiExpansion}}};

int run(int argc, char** argv, solver::comm::Ranks& ranks) {
  Effort effort;
  effort.ranks = &ranks;
  std::string artery;
  std::string only = "all";
  std::optional<double> scale, seconds;
  std::optional<std::int64_t> repeats;
  CommandLine line(program,
                   "Measures speed and memory of dense storage, lists and hybrids as Suffa et al. "
                   "2024 (porosity, beds), Habich et al. 2013 (dense) and Rinaldi et al. 2011 "
                   "(expansion) show them. -o is a folder for tables (CSV) and figures (SVG).",
                   0, 0, true);
  line.without({"--case", "--report", "--plan"});
  std::vector<std::string> words{"all"};
  for (const Part& part : parts) words.emplace_back(part.name);
  line.choice("--only", only, words, "a part (all)");
  line.choice("--backend", effort.backend, {"auto", "cpu", "cuda"},
              "where to run; auto: a CUDA device when there is one (auto)");
  line.option("--scale", scale, "of the papers' lengths, 0.02 to 2 (1)");
  line.option("--seconds", seconds, "about so long each repeat of a measurement (0.03)");
  line.option("--repeats", repeats, "of each measurement (3)");
  line.option("--artery FILE.tiles", artery, "of beds, in place of a generated vessel");
  line.example("paper_structures -o out/paper-structures");
  line.example("paper_structures --only porosity --scale 0.3 --backend cpu -o look");
  const auto common = line.parse(argc, argv);
  if (!common) return 0;
  applyCommonOptions(*common);
  if (!ranks.isRoot()) setVerbosity(Verbosity::Silent);
  if (!ranks.alone() && only != "beds")
    fail(ExitCode::Usage,
         fmt::format("{} ranks were started, but only beds are measured on several; add --only "
                     "beds, or start one",
                     ranks.size()));
  effort.artery = artery;
  effort.scale = scale.value_or(1.0);
  effort.bench.seconds = seconds.value_or(effort.bench.seconds);
  effort.bench.repeats = static_cast<int>(repeats.value_or(effort.bench.repeats));
  if (!(effort.scale >= 0.02 && effort.scale <= 2.0))
    fail(ExitCode::Usage, fmt::format("--scale is {}; 0.02 to 2 is required", effort.scale));
  if (!(effort.bench.seconds >= 1e-4 && effort.bench.seconds <= 10.0) || effort.bench.repeats < 1 ||
      effort.bench.repeats > 100)
    fail(ExitCode::Usage, "--seconds from 0.0001 to 10 and --repeats from 1 to 100 are required");
  std::filesystem::create_directories(common->output);
  for (const Part& part : parts) {
    if (only != "all" && only != part.name) continue;
    logInfo(std::string("measuring ") + part.name);
    part.measure(common->output, effort);
  }
  if (ranks.isRoot()) std::printf("Tables and figures: %s\n", common->output.c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return runStage(program, [&] {
    const std::unique_ptr<solver::comm::Ranks> ranks = solver::comm::launchedRanks();
    return solver::comm::runTogether(*ranks, program, [&] { return run(argc, argv, *ranks); });
  });
}
