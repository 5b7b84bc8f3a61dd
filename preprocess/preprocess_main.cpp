// SPDX-License-Identifier: GPL-3.0-or-later
// tessera-preprocess: lattice geom.vdb from a surface or an image.
#include <iostream>

#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/atomic_file.hpp"
#include "pipelines/stage/io/targets.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/file/lattice_file.hpp"
#include "preprocess/image_lattice.hpp"
#include "preprocess/input_hashes.hpp"
#include "preprocess/preprocess_report.hpp"
#include "preprocess/surface_plan.hpp"

using namespace tessera;
using namespace tessera::preprocess;

namespace {

constexpr const char* program = "tessera-preprocess";

geometry::LatticeGeometry makeLattice(const PreprocessOptions& options, PreprocessReport& report) {
  if (options.kind == read::InputKind::Surface)
    return latticeFromSurface(planSurface(options), options, report);
  return latticeFromImage(planImage(options), options, report);
}

void plan(const PreprocessOptions& options) {
  if (options.kind == read::InputKind::Surface) {
    SurfacePlan surface = planSurface(options);
    requirePossible(surface.lattice);
    surface.report.spacing = surface.lattice.frame.spacing;
    std::cout << healthSummary(surface.report) << std::flush;
    for (const std::string& warning : surface.report.warnings) stage::logWarning(warning);
    std::cout << plan::planText(surface.counts, surface.lattice.frame.spacing, surface.cost);
    return;
  }
  const ImagePlan image = planImage(options);
  requirePossible(image.lattice);
  for (const std::string& warning : image.warnings) stage::logWarning(warning);
  std::cout << plan::planText(image.counts, image.lattice.frame.spacing, image.cost);
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
  if (options->common.plan) {
    plan(*options);
    return 0;
  }
  InputHashes hashes(options->inputs,
                     options->kind == read::InputKind::Surface && options->common.threads != 1);
  PreprocessReport report;
  const geometry::LatticeGeometry geometry = makeLattice(*options, report);
  stage::Provenance provenance = stage::newProvenance(program);
  provenance.options = options->effective;
  provenance.inputs = hashedInputs(*options, report, hashes);
  for (const std::filesystem::path& part : report.parts)
    provenance.inputs.push_back({part.filename().string(), stage::hashFile(part)});
  for (const std::string& warning : report.warnings) stage::logWarning(warning);
  PhaseLog phases;
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
