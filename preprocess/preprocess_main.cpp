// SPDX-License-Identifier: GPL-3.0-or-later
// tessera-preprocess: from a surface or an image to geom.vdb.
#include <iostream>

#include "pipelines/stage/atomic_file.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/progress.hpp"
#include "pipelines/stage/targets.hpp"
#include "preprocess/image_lattice.hpp"
#include "preprocess/lattice/lattice_file.hpp"
#include "preprocess/phase_log.hpp"
#include "preprocess/surface_lattice.hpp"

using namespace tessera;

namespace {

constexpr const char* program = "tessera-preprocess";

LatticeGeometry makeLattice(const PreprocessOptions& options, PreprocessReport& report) {
  if (options.kind == InputKind::Surface)
    return latticeFromSurface(planSurface(options), options, report);
  return latticeFromImage(planImage(options), options, report);
}

void plan(const PreprocessOptions& options) {
  if (options.kind == InputKind::Surface) {
    SurfacePlan surface = planSurface(options);
    requireNodesPerAxis(surface.lattice);
    surface.report.spacing = surface.lattice.frame.spacing;
    std::cout << healthSummary(surface.report) << std::flush;
    for (const std::string& warning : surface.report.warnings) logWarning(warning);
    std::cout << planText(surface.counts, surface.lattice.frame.spacing, surface.cost);
    return;
  }
  const ImagePlan image = planImage(options);
  requireNodesPerAxis(image.lattice);
  for (const std::string& warning : image.warnings) logWarning(warning);
  std::cout << planText(image.counts, image.lattice.frame.spacing, image.cost);
}

int run(int argc, char** argv) {
  const std::optional<PreprocessOptions> options = parsePreprocessOptions(argc, argv);
  if (!options) return 0;
  applyCommonOptions(options->common);
  checkTargets(options->common);
  if (options->common.plan) {
    plan(*options);
    return 0;
  }
  PreprocessReport report;
  const LatticeGeometry geometry = makeLattice(*options, report);
  Provenance provenance = newProvenance(program);
  provenance.options = options->effective;
  for (const std::filesystem::path& input : options->inputs)
    provenance.inputs.push_back({input.filename().string(), hashFile(input)});
  for (const std::filesystem::path& part : report.parts)
    provenance.inputs.push_back({part.filename().string(), hashFile(part)});
  for (const std::string& warning : report.warnings) logWarning(warning);
  PhaseLog phases;
  writeLatticeFile(options->common.output, geometry, provenance);
  phases.done("write");
  if (!options->common.report.empty())
    writeTextAtomically(options->common.report, reportJson(report));
  std::cout << summaryText(report);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return runStage(program, [&] { return run(argc, argv); });
}
