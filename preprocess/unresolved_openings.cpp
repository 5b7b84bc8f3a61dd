// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/unresolved_openings.hpp"

#include <algorithm>
#include <initializer_list>
#include <numeric>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/lattice/choose_lattice.hpp"
#include "preprocess/node_limit.hpp"
#include "preprocess/nodes_at_opening.hpp"
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

// Renumbers the remaining openings in order; labels and patches of the others become wall.
void dropOpenings(const std::vector<bool>& kept, std::vector<Opening>& openings,
                  std::initializer_list<std::vector<Patch>*> labelled, PreprocessReport& report) {
  std::vector<Patch> patchOf(kept.size(), Patch{0});
  keepOnly(kept, openings);
  if (!report.openingOrigins.empty()) keepOnly(kept, report.openingOrigins);
  if (!report.idsToClose.empty()) keepOnly(kept, report.idsToClose);
  if (!report.extensions.empty()) keepOnly(kept, report.extensions);
  int id = 0;
  for (std::size_t k = 0; k < kept.size(); ++k)
    if (kept[k]) patchOf[k] = geometry::openingPatch(++id);
  for (int k = 0; k < id; ++k) openings[static_cast<std::size_t>(k)].id = k + 1;
  for (std::vector<Patch>* patches : labelled)
    for (Patch& patch : *patches)
      if (geometry::isOpening(patch))
        patch = patchOf[static_cast<std::size_t>(geometry::openingId(patch)) - 1];
}

void dropOpenings(const std::vector<bool>& kept, LatticeGeometry& geometry,
                  std::vector<Patch>& label, PreprocessReport& report) {
  dropOpenings(kept, geometry.openings, {&label, &geometry.boundary.patch}, report);
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

bool isNarrow(const geometry::Frame& frame, const Opening& opening) {
  return opening.radius < 2.0 * frame.spacing;
}

// The opening with the id that --close takes, whatever became wall before.
Opening withIdToClose(const PreprocessReport& report, Opening opening) {
  const auto k = static_cast<std::size_t>(opening.id) - 1;
  if (k < report.idsToClose.size()) opening.id = report.idsToClose[k];
  return opening;
}

std::string foundText(const Opening& opening) {
  return fmt::format("opening {} ({}), of radius {}, at {}", opening.id, opening.name,
                     stage::formatQuantity(opening.radius, Dimension::Length),
                     placeText(opening.centre));
}

// Two nodes across, or the half of a spacing that should have sufficed.
double finerSpacing(double spacing, const std::array<bool, 3>& periodic, const Opening& opening) {
  const double finer = opening.radius < spacing ? opening.radius : 0.5 * spacing;
  return lattice::finerSpacing(spacing, finer, periodic);
}

std::string spacingText(double spacing) {
  return stage::exactQuantity(spacing, Dimension::Length, "mm");
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
  const double spacing = geometry.frame.spacing;
  for (std::size_t k = 0; k < kept.size(); ++k) {
    if (linked[k]) continue;
    const Opening opening = withIdToClose(report, geometry.openings[k]);
    kept[k] = isRequested(report, k) || !isNarrow(geometry.frame, opening);
    if (kept[k]) continue;
    const double finer = finerSpacing(spacing, geometry.periodic, opening);
    report.closed.push_back({opening, 2.0 * opening.radius / spacing, finer});
    warnings.push_back(fmt::format(
        "no node lies at {}, so it becomes wall and the ids of later openings move up; --spacing "
        "{} keeps it.",
        foundText(opening), spacingText(finer)));
  }
  if (warnings.empty()) return;
  dropOpenings(kept, geometry, label, report);
  report.warnings.insert(report.warnings.end(), warnings.begin(), warnings.end());
}

// Wide openings without nodes are ends inside another part, such as of united tubes.
void requireLinksAtOpenings(const LatticeGeometry& geometry, const PreprocessReport& report) {
  const std::vector<bool> linked = openingsWithLinks(geometry);
  for (const Opening& opening : geometry.openings) {
    if (linked[static_cast<std::size_t>(opening.id) - 1]) continue;
    const Opening named = withIdToClose(report, opening);
    const std::string found = "no node lies at " + foundText(named);
    const std::string close = fmt::format("or make it wall with --close {}.", named.id);
    stage::fail(stage::ExitCode::Usage,
                isNarrow(geometry.frame, opening)
                    ? fmt::format("{}; choose --spacing {} or less{}", found,
                                  spacingText(finerSpacing(geometry.frame.spacing,
                                                           geometry.periodic, opening)),
                                  geometry.openings.size() > 2 ? ", " + close : ".")
                    : found +
                          ", probably because it lies inside another part of the surface; unite "
                          "the parts to one surface without that end, " +
                          close);
  }
}

constexpr double fewestAcross = 2.0;  // nodes

bool isUnresolved(const Opening& opening, double spacing) {
  return 2.0 * opening.radius < fewestAcross * spacing;
}

// Openings without which nothing flows: the two widest, and the one that is called inlet.
std::vector<bool> areEssential(const std::vector<Opening>& openings) {
  std::vector<std::size_t> widest(openings.size());
  std::iota(widest.begin(), widest.end(), std::size_t{0});
  std::stable_sort(widest.begin(), widest.end(), [&](std::size_t a, std::size_t b) {
    return openings[a].radius > openings[b].radius;
  });
  std::vector<bool> essential(openings.size(), false);
  for (std::size_t k = 0; k < std::min<std::size_t>(2, widest.size()); ++k)
    essential[widest[k]] = true;
  for (std::size_t k = 0; k < openings.size(); ++k)
    if (openings[k].name == "inlet") essential[k] = true;
  return essential;
}

// Openings that --across counts across, of --open and of --faces.
bool isWanted(const PreprocessOptions& options, const SurfacePlan& plan, std::size_t k) {
  const Opening* deciding = decidingOpening(options.spacing, plan.openings);
  return deciding == &plan.openings[k] || isRequested(plan.report, k);
}

// The options that close an opening; a name of --name would have no opening then.
std::string closing(const PreprocessOptions& options, const Opening& opening) {
  const std::string close = fmt::format("--close {}", opening.id);
  for (const OpeningName& request : options.names)
    if (request.name == opening.name)
      return fmt::format("{} and without --name {}={}", close, request.opening, request.name);
  return close;
}

[[noreturn]] void refuseUnresolved(const PreprocessOptions& options, const SurfacePlan& plan,
                                   const Opening& opening) {
  const double spacing = plan.lattice.frame.spacing;
  const Opening named = withIdToClose(plan.report, opening);
  // Closed, it would leave two ends to flow between; else the next one is refused, or nothing
  // flows.
  const auto others =
      std::count_if(plan.openings.begin(), plan.openings.end(), [&](const Opening& other) {
        return other.id != opening.id && !isUnresolved(other, spacing);
      });
  stage::fail(
      stage::ExitCode::Usage,
      fmt::format("{}, has fewer than 2 nodes of {} across, and without it nothing flows; choose "
                  "--spacing {} or less{}.",
                  foundText(named), stage::formatQuantity(spacing, Dimension::Length),
                  spacingText(finerSpacing(spacing, options.periodic, opening)),
                  others >= 2 ? ", or make it wall with " + closing(options, named) : ""));
}

// Narrowest of the essential openings that is not resolved; nullptr: none.
const Opening* narrowestEssential(const PreprocessOptions& options, const SurfacePlan& plan) {
  const bool mayBeNarrow = options.openings || !options.faces.empty();  // pores, or the user's word
  const std::vector<bool> essential = areEssential(plan.openings);
  const Opening* narrowest = nullptr;
  for (std::size_t k = 0; k < plan.openings.size(); ++k) {
    const Opening& opening = plan.openings[k];
    if (!essential[k] || mayBeNarrow || isWanted(options, plan, k)) continue;
    if (isUnresolved(opening, plan.lattice.frame.spacing) &&
        (narrowest == nullptr || opening.radius < narrowest->radius))
      narrowest = &opening;
  }
  return narrowest;
}

// Even pores have the widest opening resolved.
void requireWidest(const PreprocessOptions& options, const SurfacePlan& plan) {
  const auto widest =
      std::max_element(plan.openings.begin(), plan.openings.end(),
                       [](const Opening& a, const Opening& b) { return a.radius < b.radius; });
  if (widest != plan.openings.end() && isUnresolved(*widest, plan.lattice.frame.spacing))
    refuseUnresolved(options, plan, *widest);
}

// Clause that --openings keeps an opening that is not resolved; empty where it would be refused,
// since no node lies at one of the openings.
std::string optionThatKeeps(const SurfacePlan& plan) {
  const geometry::Frame& frame = plan.lattice.frame;
  const bool haveNodes =
      std::all_of(plan.openings.begin(), plan.openings.end(), [&](const Opening& opening) {
        return !isNarrow(frame, opening) || linkEndsOn(opening, plan.mesh, frame);
      });
  return haveNodes ? fmt::format("--openings {} keeps it, ", plan.openings.size()) : "";
}

}  // namespace

void closeUnresolvedBranches(const PreprocessOptions& options, SurfacePlan& plan) {
  if (const Opening* opening = narrowestEssential(options, plan))
    refuseUnresolved(options, plan, *opening);
  if (options.kind == read::InputKind::Surface) requireWidest(options, plan);
  if (options.openings) return;
  const double spacing = plan.lattice.frame.spacing;
  std::vector<bool> kept(plan.openings.size(), true);
  for (std::size_t k = 0; k < kept.size(); ++k)
    kept[k] = !isUnresolved(plan.openings[k], spacing) || isWanted(options, plan, k);
  const std::string keeps = optionThatKeeps(plan);
  for (std::size_t k = 0; k < kept.size(); ++k) {
    if (kept[k]) continue;
    const Opening opening = withIdToClose(plan.report, plan.openings[k]);
    const double across = 2.0 * opening.radius / spacing;
    const double finer = finerSpacing(spacing, options.periodic, opening);
    plan.report.closed.push_back({opening, across, finer});
    plan.report.warnings.push_back(fmt::format(
        "{}, has only {} nodes across, so it becomes wall and the ids of later openings move up; "
        "--spacing {} keeps it, {}and --close {} closes it without this warning.",
        foundText(opening), stage::number(across, 2), spacingText(finer), keeps, opening.id));
  }
  if (std::find(kept.begin(), kept.end(), false) != kept.end())
    dropOpenings(kept, plan.openings, {&plan.mesh.label}, plan.report);
}

void closeUnresolved(const PreprocessOptions& options, LatticeGeometry& geometry,
                     std::vector<Patch>& label, PreprocessReport& report) {
  dropSlivers(geometry, options.faces, label, report);
  dropBranches(options, geometry, label, report);
  requireLinksAtOpenings(geometry, report);
}

}  // namespace tessera::preprocess
