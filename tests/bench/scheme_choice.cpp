// SPDX-License-Identifier: GPL-3.0-or-later
// Which structures of the papers become schemes for runs (structure_rule.hpp), over geometries:
// .tiles files, which count as real, and built-in ones of --bench. tests/bench/scheme_choice.sh
// makes such files. -o is a folder:
//   structures.csv  geometry, fluid nodes, porosity, utilisation, structure, bytes moved and held a
//                   node, MFLUPS, the speed that --plan --structures predicts, and the parts of a
//                   pass on a GPU that it counts
//   gains.csv       memory and speed of each structure against whole tiles
// The verdict is printed. --count needs no device: bytes alone, speeds as predicted for a GPU.
#include <cstdio>
#include <set>

#include "pipelines/stage/cli/command_line.hpp"
#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "solver/bench/bench_geometry.hpp"
#include "solver/comparators/comparator.hpp"
#include "tests/bench/paper_measure.hpp"
#include "tests/bench/structure_rule.hpp"

using namespace tessera;
using namespace tessera::paper;
using namespace tessera::solver::bench;
using namespace tessera::solver::comparators;
using namespace tessera::stage;
using namespace tessera::tiler::file;

namespace {

constexpr const char* program = "scheme_choice";

void checkNames(const std::vector<std::string>& names) {
  std::set<std::string> known;
  std::string list;
  for (const ComparatorInfo& info : comparators())
    if (known.insert(info.name).second) list += (list.empty() ? "" : ", ") + info.name;
  for (const std::string& name : names)
    if (!known.contains(name))
      fail(ExitCode::Usage, "--structure \"" + name + "\" is unknown; available: " + list);
}

int run(int argc, char** argv) {
  RuleChoice choice;
  std::string precision = "all";
  std::optional<double> seconds;
  std::optional<std::int64_t> repeats;
  CommandLine line(
      program,
      "Measures which structures of the papers gain more than 10 % in speed or 20 % in "
      "memory on whole tiles. GEOMETRY: a .tiles file or a built-in one such as "
      "spheres:352. -o is a folder for structures.csv and gains.csv.",
      1, 100, true);
  line.inputs("GEOMETRY", {"tiles"});
  line.without({"--case", "--report", "--plan"});
  line.choice("--backend", choice.backend, {"auto", "cpu", "cuda"},
              "where to run; auto: a CUDA device when there is one (auto)");
  line.choice("--precision", precision, {"all", "f64", "f32"}, "of populations (all)");
  line.choice("--collision", choice.collision, {"bgk", "trt"}, "of populations (trt)");
  line.repeated("--structure", choice.structures,
                "measure these structures and whole tiles, such as lists (all)");
  line.flag("--count", choice.countOnly, "count bytes alone, without a measurement");
  line.option("--seconds", seconds, "about so long each repeat of a measurement (0.05)");
  line.option("--repeats", repeats, "of each measurement (3)");
  line.example("scheme_choice geom.tiles spheres:160 --count -o look");
  const auto common = line.parse(argc, argv);
  if (!common) return 0;
  applyCommonOptions(*common);
  if (precision != "all") choice.precisions = {precision};
  checkNames(choice.structures);
  choice.effort.seconds = seconds.value_or(choice.effort.seconds);
  choice.effort.repeats = static_cast<int>(repeats.value_or(choice.effort.repeats));
  if (!(choice.effort.seconds >= 1e-4 && choice.effort.seconds <= 10.0) ||
      choice.effort.repeats < 1 || choice.effort.repeats > 100)
    fail(ExitCode::Usage, "--seconds from 0.0001 to 10 and --repeats from 1 to 100 are required");
  std::filesystem::create_directories(common->output);
  std::vector<RuleRow> rows;
  for (const std::filesystem::path& input : common->inputs) {
    logInfo("comparing on " + input.string());
    const auto builtIn = builtInNamed(input.string());
    const TilesFile closed =
        withoutOpenings(builtIn ? builtInTiles(*builtIn) : readTilesFile(input));
    const std::vector<RuleRow> more =
        ruleRows(builtIn ? input.string() : input.stem().string(), !builtIn, closed, choice);
    rows.insert(rows.end(), more.begin(), more.end());
    // Kept up to here, should a later geometry fail.
    writeText(common->output / "structures.csv", rowTable(rows));
    writeText(common->output / "gains.csv", gainTable(gainsOf(rows)));
  }
  std::printf("%s", verdict(gainsOf(rows)).c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return runStage(program, [&] { return run(argc, argv); });
}
