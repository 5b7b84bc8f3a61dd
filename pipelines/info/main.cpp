// SPDX-License-Identifier: GPL-3.0-or-later
// tessera-info: what any Tessera file is, for a person, as JSON, or as an exit status.
#include <iostream>

#include "pipelines/info/describe.hpp"
#include "pipelines/stage/command_line.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/progress.hpp"
#include "tiler/tiles_file.hpp"

namespace tessera {
namespace {

constexpr const char* program = "tessera-info";
constexpr int mostFiles = 100'000;

// The answer is the exit status; why a file fails is told only when asked for more.
int check(const CommonOptions& options) try {
  for (const auto& path : options.inputs) {
    if (inspectFile(path, true).kind == "tiles") checkTilesFile(path);
    logDetail(path.string() + " is whole");
  }
  return static_cast<int>(ExitCode::Done);
} catch (const StageError& error) {
  logDetail(error.what());
  return static_cast<int>(error.code());
}

int inform(int argc, const char* const* argv) {
  CommandLine line(program, "Says what Tessera's files are: .vdb, .tiles, .fields, .ckpt.", 1,
                   mostFiles, false);
  bool asJson = false;
  bool onlyCheck = false;
  line.flag("--json", asJson, "answer as JSON: an object for one file, a list for several");
  line.flag("--check", onlyCheck,
            "verify every byte, and all that a solver relies on in .tiles; answer by exit status "
            "alone: 0 "
            "whole, 3 not");
  line.without({"--output", "--case", "--report", "--plan", "--quiet"});
  line.example("tessera-info geom.tiles");
  line.example("tessera-info --json run.fields");
  line.example("tessera-info --check geom.vdb geom.tiles && echo whole");
  const auto options = line.parse(argc, argv);
  if (!options) return static_cast<int>(ExitCode::Done);
  if (asJson && onlyCheck) {
    fail(ExitCode::Usage, "--json and --check exclude each other; use one of them.");
  }
  applyCommonOptions(*options);
  if (onlyCheck) return check(*options);

  std::vector<Inspection> files;
  for (const auto& path : options->inputs) {
    files.push_back(inspectFile(path, false));
    if (!asJson) std::cout << describeForPerson(files.back(), options->verbose);
  }
  if (asJson) std::cout << describeAsJson(files);
  return static_cast<int>(ExitCode::Done);
}

}  // namespace
}  // namespace tessera

int main(int argc, char** argv) {
  return tessera::runStage(tessera::program, [&] { return tessera::inform(argc, argv); });
}
