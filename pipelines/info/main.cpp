// SPDX-License-Identifier: GPL-3.0-or-later
// tessera-info: describes any Tessera file as text, as JSON, or by an exit status.
#include <iostream>

#include "pipelines/info/describe.hpp"
#include "pipelines/info/recognise.hpp"
#include "pipelines/info/start_case.hpp"
#include "pipelines/stage/case/case_file.hpp"
#include "pipelines/stage/cli/command_line.hpp"
#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/atomic_file.hpp"
#include "pipelines/stage/io/targets.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/file/lattice_file.hpp"
#include "preprocess/preview/case_recipe.hpp"
#include "solver/file/fields_file.hpp"
#include "tiler/file/tiles_file.hpp"

namespace tessera::info {

using stage::ExitCode;
using stage::fail;

namespace {

constexpr const char* program = "tessera-info";
constexpr int mostFiles = 100'000;

// Returns the exit status; --verbose prints the reason of a failure.
int check(const stage::CommonOptions& options) try {
  for (const auto& path : options.inputs) {
    const std::string kind = inspectFile(path, true).kind;
    // As the next stage reads them; a checkpoint is judged by the run that it belongs to.
    if (kind == "lattice") preprocess::file::readLatticeFile(path);
    if (kind == "tiles") tiler::file::checkTilesFile(path);
    if (kind == "fields") solver::file::readFieldsFile(path);
    stage::logDetail(path.string() + " is whole");
  }
  return static_cast<int>(ExitCode::Done);
} catch (const stage::StageError& error) {
  stage::logDetail(error.what());
  return static_cast<int>(error.code());
}

// Foreign files are identified but not validated.
Inspection look(const std::filesystem::path& path) {
  if (auto foreign = recognise(path)) return *foreign;
  return inspectFile(path, false);
}

int inputs(const stage::CommonOptions& options) {
  for (const auto& path : options.inputs)
    for (const auto& file : stage::CaseFile::load(path).namedFiles())
      std::cout << file.string() << '\n';
  return static_cast<int>(ExitCode::Done);
}

int plan(const stage::CommonOptions& options, bool onlyCheck) {
  for (const auto& path : options.inputs) {
    std::error_code absent;
    const auto bytes = std::filesystem::file_size(path, absent);
    std::cout << fmt::format("{}  {}{}\n", path.string(),
                             absent ? "is not a file" : fmt::format("{} bytes", bytes),
                             onlyCheck ? ", all to be read" : "");
  }
  std::cout << "nothing is written by --plan\n";
  return static_cast<int>(ExitCode::Done);
}

int inform(int argc, const char* const* argv) {
  stage::CommandLine line(
      program,
      "Describes files: .vdb, .tiles, .fields, .ckpt, and surfaces, images, cases, monitors, "
      "reports, folders of results.",
      0, mostFiles, false);
  line.inputs("FILE...");
  line.group("Instead of the description");
  bool asJson = false;
  bool onlyCheck = false;
  bool listFormats = false;
  bool listInputs = false;
  line.flag("--json", asJson, "print JSON: an object for one file, a list for several");
  line.flag("--formats", listFormats,
            "list the formats instead: extension, kind (surface and image: read by "
            "tessera-preprocess), name");
  line.flag(
      "--check", onlyCheck,
      "verify every byte, and that .vdb, .tiles and .fields have the content that the next stage "
      "relies on; exit status 0 (whole) or 3, no output");
  line.flag("--inputs", listInputs,
            "list the files that cases name instead (waveforms, tables), one on each line");
  line.without({"--output", "--case"});
  StartOptions start;
  line.flag("--case", start.printsCase,
            "print a commented case to start from instead, with a condition for each opening of a "
            ".tiles or .vdb; it runs as it stands");
  line.choice("--recipe", start.recipe, preprocess::preview::recipeNames(),
              "with --case: the flow that it is for; chosen by the geometry if not given");
  line.option("--waveform FILE.csv", start.waveform,
              "with --recipe pulsatile: CSV of the inflow that the case names; written unless it "
              "exists");
  line.option("--page FILE.html", start.page,
              "write a page to turn a .tiles or .vdb, with its openings and tiles, and to write a "
              "case");
  line.example("tessera-info geom.tiles");
  line.example("tessera-info geom.tiles --case > case.toml");
  line.example("tessera-info geom.tiles --page geom.html");
  line.example("tessera-info --json run.fields");
  line.example("tessera-info --check geom.vdb geom.tiles && echo whole");
  const auto options = line.parse(argc, argv);
  if (!options) return static_cast<int>(ExitCode::Done);
  if (asJson && onlyCheck) {
    fail(ExitCode::Usage, "--json and --check exclude each other; use one.");
  }
  if (onlyCheck && !options->report.empty())
    fail(ExitCode::Usage, "--check only sets the exit status; leave out --report.");
  if (listFormats != options->inputs.empty())
    fail(ExitCode::Usage, listFormats ? "--formats takes no input; leave the files out."
                                      : "no input was given; --help shows the options.");
  if (listFormats && (onlyCheck || options->plan || !options->report.empty()))
    fail(ExitCode::Usage, "--formats combines only with --json; leave the other options out.");
  if (listInputs &&
      (asJson || onlyCheck || listFormats || options->plan || !options->report.empty()))
    fail(ExitCode::Usage, "--inputs combines with no other option; leave them out.");
  checkStartOptions(start, *options);
  if (start.any() && (asJson || onlyCheck || listFormats || listInputs || options->plan ||
                      !options->report.empty()))
    fail(ExitCode::Usage, "--case and --page combine with no other output; leave it out.");
  stage::applyCommonOptions(*options);
  if (start.any()) {
    startFrom(start, *options);
    return static_cast<int>(ExitCode::Done);
  }
  if (listInputs) return inputs(*options);
  if (listFormats) {
    std::cout << (asJson ? formatsAsJson() : formatsForPerson());
    return static_cast<int>(ExitCode::Done);
  }
  if (options->plan) return plan(*options, onlyCheck);
  if (onlyCheck) return check(*options);
  stage::checkTargets(*options);

  std::vector<Inspection> files;
  for (const auto& path : options->inputs) {
    files.push_back(look(path));
    if (!asJson) std::cout << describeForPerson(files.back(), options->verbose);
  }
  if (asJson) std::cout << describeAsJson(files);
  if (!options->report.empty()) stage::writeTextAtomically(options->report, describeAsJson(files));
  return static_cast<int>(ExitCode::Done);
}

}  // namespace
}  // namespace tessera::info

int main(int argc, char** argv) {
  return tessera::stage::runStage(tessera::info::program,
                                  [&] { return tessera::info::inform(argc, argv); });
}
