// SPDX-License-Identifier: GPL-3.0-or-later
// tessera-preprocess: lattice geom.vdb from a surface or an image.
#include <iostream>
#include <optional>

#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/atomic_file.hpp"
#include "pipelines/stage/io/targets.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/file/lattice_file.hpp"
#include "preprocess/file/vdb_archive.hpp"
#include "preprocess/image_lattice.hpp"
#include "preprocess/image_openings.hpp"
#include "preprocess/input_hashes.hpp"
#include "preprocess/name_openings.hpp"
#include "preprocess/plan/plan.hpp"
#include "preprocess/preprocess_report.hpp"
#include "preprocess/surface_plan.hpp"
#include "preprocess/write_previews.hpp"

using namespace tessera;
using namespace tessera::preprocess;

namespace {

constexpr const char* program = "tessera-preprocess";

geometry::LatticeGeometry makeLattice(const PreprocessOptions& options, PreprocessReport& report) {
  if (options.kind == read::InputKind::Surface)
    return latticeFromSurface(planSurface(options), options, report);
  return latticeFromImage(planImage(options), options, report);
}

// Openings, candidates and files that would be written; then the counts.
void printPlan(const PreprocessOptions& options, const PreprocessReport& report,
               const plan::LatticeCounts& counts, const plan::PlanCost& cost) {
  std::cout << openingsText(report);
  std::vector<std::string> files;
  for (const std::filesystem::path& file : {options.picture, options.page})
    if (!file.empty()) files.push_back(file.string());
  if (!files.empty())
    std::cout << "previews     " << stage::enumeration(files) << " would be written\n";
  std::cout << plan::planText(counts, report.spacing, cost);
}

// Openings of an image without a smoothed surface.
void findSides(const PreprocessOptions& options, ImagePlan& image, PreprocessReport& report) {
  geometry::LatticeGeometry geometry;
  geometry.frame = image::inWorld(image.lattice.frame, image.voxels);
  geometry.fluid = std::move(image.fluid);
  const std::vector<lattice::BoxFace> faces = openSides(geometry, options.faces);
  if (image.names)
    nameBranches(*image.names, geometry.fluid, nodesByFace(geometry.fluid, faces),
                 geometry.openings);
  nameOpenings(options.names, geometry.openings);
  report.openings = std::move(geometry.openings);
}

void plan(const PreprocessOptions& options) {
  if (options.kind == read::InputKind::Surface) {
    SurfacePlan surface = planSurface(options);
    requirePossible(surface.lattice);
    surface.report.spacing = surface.lattice.frame.spacing;
    surface.report.openings = surface.openings;
    std::cout << healthSummary(surface.report) << std::flush;
    for (const std::string& warning : surface.report.warnings) stage::logWarning(warning);
    printPlan(options, surface.report, surface.counts, surface.cost);
    return;
  }
  ImagePlan image = planImage(options);
  requirePossible(image.lattice);
  for (const std::string& warning : image.warnings) stage::logWarning(warning);
  PreprocessReport report;
  if (image.surface) {
    report = std::move(image.surface->report);
    report.openings = image.surface->openings;
  } else {
    findSides(options, image, report);
  }
  report.spacing = image.lattice.frame.spacing;
  report.dimensions = image.voxels.dimensions;
  printPlan(options, report, image.counts, image.cost);
}

// Inputs with their hashes. Slices are one input, by the hash of their hashes in the order of the
// planes, so that provenance does not grow with their number.
std::vector<stage::ProvenanceInput> hashedInputs(const PreprocessOptions& options,
                                                 const PreprocessReport& report,
                                                 InputHashes& hashes) {
  std::vector<stage::ProvenanceInput> inputs;
  if (report.slices.empty())
    for (std::size_t k = 0; const std::string& hash : hashes.get())
      inputs.push_back({options.inputs[k++].filename().string(), hash});
  for (const std::filesystem::path& file : report.slices)
    inputs.push_back({file.filename().string(), stage::hashFile(file)});
  if (options.kind == read::InputKind::Surface || inputs.size() == 1) return inputs;
  std::string together;
  for (const stage::ProvenanceInput& slice : inputs) together += slice.hash;
  return {
      {fmt::format("{} to {} ({} slices)", inputs.front().name, inputs.back().name, inputs.size()),
       stage::hashBytes(together.data(), together.size())}};
}

int run(int argc, char** argv) {
  const std::optional<PreprocessOptions> options = parsePreprocessOptions(argc, argv);
  if (!options) return 0;
  stage::applyCommonOptions(options->common);
  stage::checkTargets(options->common);
  checkPreviewTargets(*options);
  if (options->common.plan) {
    plan(*options);
    return 0;
  }
  const bool inBackground = options->common.threads != 1;
  InputHashes hashes(options->inputs, options->kind == read::InputKind::Surface && inBackground);
  std::optional<file::VdbModuleAhead> moduleAhead;
  if (inBackground) moduleAhead.emplace();
  PreprocessReport report;
  const geometry::LatticeGeometry geometry = makeLattice(*options, report);
  stage::Provenance provenance = stage::newProvenance(program);
  provenance.options = options->effective;
  provenance.inputs = hashedInputs(*options, report, hashes);
  for (const std::filesystem::path& part : report.parts)
    provenance.inputs.push_back({part.filename().string(), stage::hashFile(part)});
  std::vector<std::filesystem::path> read = options->inputs;
  read.insert(read.end(), report.slices.begin(), report.slices.end());
  provenance.warnings = stage::warningsToKeep(report.warnings, read);
  for (const std::string& warning : report.warnings) stage::logWarning(warning);
  PhaseLog phases;
  writePreviews(geometry, *options, report);
  phases.done("previews");
  file::writeLatticeFile(options->common.output, geometry, provenance);
  phases.done("write");
  if (!options->common.report.empty())
    stage::writeTextAtomically(options->common.report, reportJson(report));
  std::cout << summaryText(report);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return stage::runStage(program, [&] { return run(argc, argv); });
}
