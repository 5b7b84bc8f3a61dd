// SPDX-License-Identifier: GPL-3.0-or-later
// tessera-compare: compares the results of two or more runs.
#include <iostream>

#include "pipelines/picture/typeset.hpp"
#include "pipelines/stage/cli/command_line.hpp"
#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/atomic_file.hpp"
#include "pipelines/stage/io/targets.hpp"
#include "pipelines/stage/text.hpp"
#include "postprocess/compare/comparison_picture.hpp"
#include "postprocess/compare/write_comparison.hpp"
#include "postprocess/fields/output_folder.hpp"

namespace tessera::postprocess::compare {
namespace {

constexpr int mostRuns = 10'000;

Comparison readAndCompare(const stage::CommonOptions& options) {
  if (options.inputs.size() < 2)
    stage::fail(stage::ExitCode::Usage,
                "one run was given; at least two are required: name another folder of "
                "tessera-postprocess.");
  std::vector<RunSummary> runs;
  for (const auto& input : options.inputs) runs.push_back(readRunSummary(input));
  return compareRuns(std::move(runs));
}

// Refuses a run folder as output, which the comparison would replace.
void refuseRunAsTarget(const stage::CommonOptions& options) {
  for (const auto& input : options.inputs) {
    std::error_code ignored;
    const auto folder = std::filesystem::is_directory(input, ignored) ? input : input.parent_path();
    if (!options.output.empty() && std::filesystem::equivalent(folder, options.output, ignored))
      stage::fail(stage::ExitCode::Usage,
                  options.output.string() +
                      " is one of the runs and would be replaced; name another output.");
  }
}

void printPlan(const Comparison& comparison, const stage::CommonOptions& options) {
  std::cout << fmt::format(
      "runs        {}\nquantities  {}\nspacings    {}\noutput      {}, nothing is written by "
      "--plan\n",
      comparison.runs.size(), comparison.quantities.size(),
      comparison.meshStudy.empty()
          ? std::string("one, no error bars")
          : fmt::format("error bars from the {} finest", comparison.meshStudy.size()),
      options.output.empty() ? "(none given)" : options.output.string());
}

stage::Provenance originOf(const Comparison& comparison) {
  stage::Provenance provenance = stage::newProvenance("tessera-compare");
  for (const RunSummary& run : comparison.runs) provenance.inputs.push_back({run.name, run.hash});
  return provenance;
}

int compare(int argc, const char* const* argv) {
  stage::CommandLine line(
      "tessera-compare",
      "Compares the results of two or more runs: a table with relative differences and curves of "
      "the monitors; for two to four node spacings an error bar of every number, for three the "
      "observed order and Richardson's value.\nINPUT: folders of tessera-postprocess; differences "
      "are relative to the first.",
      1, mostRuns, true);
  line.without({"--case"});
  line.inputs("FOLDER FOLDER...", {"out"});
  line.output("FOLDER");
  line.file("summary.json", "differences, observed orders and error bars");
  line.file("comparison.csv, values.csv", "the same as tables");
  line.environment(tessera::picture::fontsVariable, tessera::picture::fontsEffect);
  line.example("tessera-compare rest.out exercise.out -o rest-exercise.cmp");
  line.example("tessera-compare coarse.out medium.out fine.out -o mesh.cmp");
  const auto options = line.parse(argc, argv);
  if (!options) return 0;
  stage::applyCommonOptions(*options);
  refuseRunAsTarget(*options);
  stage::refuseOverwriting(*options);
  if (!options->plan) {
    fields::OutputFolder::check(options->output);
    stage::requireWritable({options->report});
  }
  const Comparison comparison = readAndCompare(*options);
  if (options->plan) {
    printPlan(comparison, *options);
    return 0;
  }
  for (const std::string& warning : comparison.warnings) stage::logWarning(warning);
  const std::string json = comparisonJson(comparison, originOf(comparison));
  fields::OutputFolder(options->output).write([&](const std::filesystem::path& folder) {
    stage::writeTextAtomically(folder / "summary.json", json);
    writeComparisonTables(comparison, folder);
    writeComparisonPictures(comparison, folder);
  });
  if (!options->report.empty()) stage::writeTextAtomically(options->report, json);
  std::cout << comparisonForPeople(comparison, options->output);
  return 0;
}

}  // namespace
}  // namespace tessera::postprocess::compare

int main(int argc, char** argv) {
  return tessera::stage::runStage(
      "tessera-compare", [&] { return tessera::postprocess::compare::compare(argc, argv); });
}
