// SPDX-License-Identifier: GPL-3.0-or-later
// Runs the validation cases and writes the report: ends with 1 when an entry lies outside its
// tolerance.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "pipelines/stage/cli/command_line.hpp"
#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/atomic_file.hpp"
#include "pipelines/stage/io/provenance.hpp"
#include "tests/validation/report.hpp"

using namespace tessera;
using namespace tessera::stage;
using namespace tessera::validation;

namespace {

struct Arguments {
  Options options;
  std::vector<std::string> only;
  bool list = false;
};

std::vector<const Case*> chosenCases(const std::vector<std::string>& only) {
  std::vector<const Case*> chosen;
  std::string known;
  for (const Case& one : cases()) {
    known += (known.empty() ? "" : ", ") + std::string(one.name);
    if (only.empty() || std::find(only.begin(), only.end(), one.name) != only.end())
      chosen.push_back(&one);
  }
  for (const std::string& name : only)
    if (std::none_of(chosen.begin(), chosen.end(), [&](const Case* c) { return c->name == name; }))
      fail(ExitCode::Usage, "there is no case \"" + name + "\"; the cases are: " + known);
  return chosen;
}

CaseResult runCase(const Case& one, const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  CaseResult result{&one, one.run(options)};
  result.findings.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  char text[160];
  std::snprintf(text, sizeof(text), "%s: %zu entries, %zu outside, %.1f s", one.name,
                result.findings.entries.size(), result.findings.failed(), result.findings.seconds);
  logInfo(text);
  return result;
}

int run(const Arguments& arguments, const CommonOptions& common) {
  if (arguments.list) {
    for (const Case& one : cases()) std::printf("%-20s %s: %s\n", one.name, one.title, one.claim);
    return 0;
  }
  std::vector<CaseResult> results;
  bool passed = true;
  for (const Case* one : chosenCases(arguments.only)) {
    results.push_back(runCase(*one, arguments.options));
    passed &= results.back().findings.failed() == 0;
  }
  const bool whole = common.verbose || !arguments.only.empty();
  std::fputs((whole ? entryTable(results) : summaryTable(results)).c_str(), stdout);
  if (!common.output.empty()) {
    std::filesystem::create_directories(common.output);
    writeTextAtomically(common.output / "validation.csv", csvTable(results));
    writeTextAtomically(
        common.output / "report.html",
        reportHtml(results, "Tessera " + versionNumber() + ", commit " + gitHash() + ", " +
                                buildDescription() + "; backend " + arguments.options.backend +
                                (arguments.options.quick ? "; quick form." : ".")));
  }
  return passed ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return runStage("validation", [&] {
    Arguments arguments;
    CommandLine line("validation", "Compares the solver with analytic and published results.", 0, 0,
                     false);
    line.without({"--case", "--plan", "--report"});
    line.repeated("--only", arguments.only, "run this case alone; may be given several times");
    line.flag("--list", arguments.list, "name the cases");
    line.flag("--quick", arguments.options.quick, "coarse and short, as the normal tests do");
    line.choice("--backend", arguments.options.backend, {"auto", "cpu", "cuda"},
                "auto takes the GPU when there is one");
    line.example("validation -o out/validation");
    const auto common = line.parse(argc, argv);
    if (!common) return 0;
    applyCommonOptions(*common);
    return run(arguments, *common);
  });
}
