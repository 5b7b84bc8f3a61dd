// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/info/start_case.hpp"

#include <iostream>

#include "pipelines/info/lattice_of_file.hpp"
#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/atomic_file.hpp"
#include "pipelines/stage/io/targets.hpp"
#include "preprocess/preview/case_recipe.hpp"
#include "preprocess/preview/preview_page.hpp"

namespace tessera::info {

using preprocess::preview::CaseGeometry;
using preprocess::preview::CaseRecipe;
using stage::ExitCode;
using stage::fail;

namespace {

void printCase(const StartOptions& start, const CaseGeometry& geometry) {
  const std::string name =
      start.recipe.empty() ? preprocess::preview::recipeFor(geometry) : start.recipe;
  if ((name == "2d") != (geometry.dimensions == 2) && (name == "2d" || name == "rock"))
    fail(ExitCode::Usage,
         "--recipe " + name + " does not suit a geometry in " +
             (geometry.dimensions == 2 ? "2D; use 2d." : "3D; use rock or steady."));
  if (name == "pulsatile" && geometry.openings.size() < 2)
    fail(ExitCode::Usage, "--recipe pulsatile needs two openings; " + geometry.file + " has " +
                              std::to_string(geometry.openings.size()) + ".");
  const CaseRecipe recipe = caseRecipe(geometry, name, start.waveform);
  if (!recipe.waveform.empty() && !std::filesystem::exists(start.waveform)) {
    stage::writeTextAtomically(start.waveform, recipe.waveform);
    stage::logInfo(start.waveform + " is written, a pulse to start from");
  }
  std::cout << caseText(recipe);
}

}  // namespace

void checkStartOptions(const StartOptions& start, const stage::CommonOptions& options) {
  if (!start.printsCase && (!start.recipe.empty() || !start.waveform.empty()))
    fail(ExitCode::Usage, "--recipe and --waveform belong to --case; add it.");
  if ((start.recipe == "pulsatile") != !start.waveform.empty())
    fail(ExitCode::Usage, start.waveform.empty()
                              ? "--recipe pulsatile needs --waveform FILE.csv, which is written "
                                "unless it exists."
                              : "--waveform belongs to --recipe pulsatile; add it.");
  if (start.any() && options.inputs.size() != 1)
    fail(ExitCode::Usage, "--case and --page take one geometry, a .tiles or .vdb file.");
  if (!start.page.empty() && std::filesystem::path(start.page).extension() != ".html")
    fail(ExitCode::Usage, "--page is \"" + start.page + "\"; expected the name of a .html file.");
}

void startFrom(const StartOptions& start, const stage::CommonOptions& options) {
  std::vector<std::filesystem::path> targets;
  for (const std::string& target : {start.page, start.waveform})
    if (!target.empty() && (target == start.page || !std::filesystem::exists(target)))
      targets.emplace_back(target);
  stage::refuseOverwriting(targets, options.inputs);
  stage::requireWritable(targets);
  FileGeometry file = geometryOfFile(options.inputs.front());
  const CaseGeometry geometry =
      preprocess::preview::caseGeometryOf(file.lattice, options.inputs.front().filename().string());
  if (start.printsCase) printCase(start, geometry);
  if (start.page.empty()) return;
  preprocess::preview::PreviewNotes notes;
  notes.title = geometry.file;
  notes.tiles = std::move(file.tiles);
  notes.tileEdge = file.tileEdge;
  stage::writeTextAtomically(
      start.page,
      previewPage(preprocess::preview::makePreview(file.lattice, std::move(notes)), geometry));
}

}  // namespace tessera::info
