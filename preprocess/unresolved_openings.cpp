// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/unresolved_openings.hpp"

#include <algorithm>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/lattice/choose_lattice.hpp"
#include "preprocess/opening_paths.hpp"

namespace tessera::preprocess {

using geometry::LatticeGeometry;
using geometry::Opening;
using geometry::Patch;
using stage::Dimension;

namespace {

std::vector<bool> openingsWithLinks(const LatticeGeometry& geometry) {
  std::vector<bool> linked(geometry.openings.size(), false);
  for (const Patch patch : geometry.boundary.patch)
    if (geometry::isOpening(patch))
      linked[static_cast<std::size_t>(geometry::openingId(patch)) - 1] = true;
  return linked;
}

template <class Value>
void keepOnly(const std::vector<bool>& kept, std::vector<Value>& values) {
  std::size_t next = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!kept[k]) continue;
    if (next != k) values[next] = std::move(values[k]);  // onto itself it would lose its name
    ++next;
  }
  values.resize(next);
}

// Renumbers the remaining openings in order; patches of the others become wall.
void dropOpenings(const std::vector<bool>& kept, LatticeGeometry& geometry,
                  std::vector<Patch>& label, PreprocessReport& report) {
  std::vector<Patch> patchOf(kept.size(), Patch{0});
  keepOnly(kept, geometry.openings);
  keepOnly(kept, report.openingOrigins);
  keepOnly(kept, report.extensions);
  int id = 0;
  for (std::size_t k = 0; k < kept.size(); ++k)
    if (kept[k]) patchOf[k] = geometry::openingPatch(++id);
  for (int k = 0; k < id; ++k) geometry.openings[static_cast<std::size_t>(k)].id = k + 1;
  for (std::vector<Patch>* patches : {&label, &geometry.boundary.patch})
    for (Patch& patch : *patches)
      if (geometry::isOpening(patch))
        patch = patchOf[static_cast<std::size_t>(geometry::openingId(patch)) - 1];
  report.openings = geometry.openings;
}

// Removes openings without nodes, such as slivers of pores, from sides that keep another opening.
void dropSlivers(LatticeGeometry& geometry, const std::vector<surface::Side>& sides,
                 std::vector<Patch>& label, PreprocessReport& report) {
  const std::vector<bool> linked = openingsWithLinks(geometry);
  std::vector<bool> kept(linked.size(), true);
  std::vector<std::string> dropped;
  for (const std::vector<std::size_t>& side : openingsOnSides(geometry, sides, report)) {
    if (std::none_of(side.begin(), side.end(), [&](std::size_t k) { return linked[k]; })) continue;
    for (const std::size_t k : side)
      if (!linked[k]) {
        kept[k] = false;
        dropped.push_back(geometry.openings[k].name);
      }
  }
  if (dropped.empty()) return;
  dropOpenings(kept, geometry, label, report);
  report.warnings.push_back("no node lies at " + stage::firstOf(dropped) +
                            ", which become walls; the sides of --faces have other openings, and a "
                            "smaller node spacing keeps these.");
}

bool isNarrow(const LatticeGeometry& geometry, const Opening& opening) {
  return opening.radius < 2.0 * geometry.frame.spacing;
}

std::string foundText(const Opening& opening) {
  return fmt::format("opening {} ({}), of radius {}, at {}", opening.id, opening.name,
                     stage::formatQuantity(opening.radius, Dimension::Length),
                     placeText(opening.centre));
}

// Two nodes across, or the half of a spacing that should have sufficed.
std::string finerSpacing(const LatticeGeometry& geometry, const Opening& opening) {
  const double spacing = geometry.frame.spacing;
  const double finer = opening.radius < spacing ? opening.radius : 0.5 * spacing;
  return stage::exactQuantity(lattice::roundedSpacing(finer, false), Dimension::Length, "mm");
}

// By --open or --faces.
bool isRequested(const PreprocessReport& report, std::size_t opening) {
  using surface::CapOrigin;
  if (opening >= report.openingOrigins.size()) return false;
  const CapOrigin origin = report.openingOrigins[opening];
  return origin == CapOrigin::Requested || origin == CapOrigin::Side;
}

// Closes side branches that the lattice does not resolve.
void dropBranches(const PreprocessOptions& options, LatticeGeometry& geometry,
                  std::vector<Patch>& label, PreprocessReport& report) {
  const std::vector<bool> linked = openingsWithLinks(geometry);
  if (options.openings || std::find(linked.begin(), linked.end(), true) == linked.end()) return;
  std::vector<bool> kept = linked;
  std::vector<std::string> warnings;
  for (std::size_t k = 0; k < kept.size(); ++k) {
    if (linked[k]) continue;
    const Opening& opening = geometry.openings[k];
    kept[k] = isRequested(report, k) || !isNarrow(geometry, opening);
    if (kept[k]) continue;
    warnings.push_back(fmt::format(
        "no node lies at {}, so it becomes wall and the ids of later openings move up; --spacing "
        "{} resolves it.",
        foundText(opening), finerSpacing(geometry, opening)));
  }
  if (warnings.empty()) return;
  dropOpenings(kept, geometry, label, report);
  report.warnings.insert(report.warnings.end(), warnings.begin(), warnings.end());
}

// Wide openings without nodes are ends inside another part, such as of united tubes.
void requireLinksAtOpenings(const LatticeGeometry& geometry) {
  const std::vector<bool> linked = openingsWithLinks(geometry);
  for (const Opening& opening : geometry.openings) {
    if (linked[static_cast<std::size_t>(opening.id) - 1]) continue;
    const std::string found = "no node lies at " + foundText(opening);
    stage::fail(stage::ExitCode::Usage,
                isNarrow(geometry, opening)
                    ? fmt::format("{}; choose --spacing {} or less, or make it wall with --close.",
                                  found, finerSpacing(geometry, opening))
                    : found +
                          ", probably because it lies inside another part of the surface; unite "
                          "the parts to one surface without that end, or make it wall with "
                          "--close.");
  }
}

}  // namespace

void closeUnresolved(const PreprocessOptions& options, LatticeGeometry& geometry,
                     std::vector<Patch>& label, PreprocessReport& report) {
  dropSlivers(geometry, options.faces, label, report);
  dropBranches(options, geometry, label, report);
  requireLinksAtOpenings(geometry);
}

}  // namespace tessera::preprocess
