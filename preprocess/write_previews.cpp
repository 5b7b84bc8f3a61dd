// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/write_previews.hpp"

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/atomic_file.hpp"
#include "pipelines/stage/io/targets.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/geometry/finer_spacing.hpp"
#include "preprocess/preview/preview_page.hpp"
#include "preprocess/preview/preview_picture.hpp"
#include "preprocess/surface/openings/openings.hpp"

namespace tessera::preprocess {

using preview::OtherPlace;

namespace {

std::vector<OtherPlace> otherPlaces(const PreprocessReport& report) {
  std::vector<OtherPlace> others;
  for (const surface::OpeningCandidate& candidate : report.candidates) {
    if (candidate.number == 0) continue;
    others.push_back({picture::MarkKind::Candidate, fmt::format("C{}", candidate.number), "",
                      candidate.reason, fmt::format("--open {}", candidate.number),
                      candidate.centre, candidate.normal, candidate.radius()});
  }
  for (const ClosedOpening& closed : report.closed)
    others.push_back({picture::MarkKind::Closed, "\u00d7", closed.opening.name,
                      fmt::format("{:.1f} nodes across do not resolve it", closed.nodesAcross),
                      geometry::spacingOption(closed.spacing), closed.opening.centre,
                      closed.opening.normal, closed.opening.radius});
  return others;
}

preview::PreviewNotes notesOf(const PreprocessOptions& options, const PreprocessReport& report) {
  preview::PreviewNotes notes;
  notes.title = options.inputs.front().filename().string();
  notes.others = otherPlaces(report);
  for (const surface::CapOrigin origin : report.openingOrigins)
    notes.origins.push_back(surface::describeOrigin(origin));
  notes.warnings = report.warnings;
  return notes;
}

}  // namespace

void checkPreviewTargets(const PreprocessOptions& options) {
  std::vector<std::filesystem::path> others = options.inputs;
  others.insert(others.end(),
                {options.common.caseFile, options.common.output, options.common.report});
  std::vector<std::filesystem::path> targets;
  for (const std::filesystem::path& target : {options.picture, options.page})
    if (!target.empty()) targets.push_back(target);
  stage::refuseOverwriting(targets, others);
  if (!options.common.plan) stage::requireWritable(targets);
}

void writePreviews(const geometry::LatticeGeometry& geometry, const PreprocessOptions& options,
                   const PreprocessReport& report) {
  if (options.picture.empty() && options.page.empty()) return;
  const preview::Preview made = preview::makePreview(geometry, notesOf(options, report));
  if (!options.picture.empty()) picture::writePng(options.picture, preview::drawPreview(made));
  if (options.page.empty()) return;
  const preview::CaseGeometry facts = preview::caseGeometryOf(geometry, made.notes.title);
  stage::writeTextAtomically(options.page, preview::previewPage(made, facts));
}

}  // namespace tessera::preprocess
