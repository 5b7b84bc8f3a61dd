// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface_plan.hpp"

#include <algorithm>
#include <cmath>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/system/memory.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/lattice/voxelise/voxelise.hpp"
#include "preprocess/lost_faces.hpp"
#include "preprocess/name_openings.hpp"
#include "preprocess/node_limit.hpp"
#include "preprocess/overrule_openings.hpp"
#include "preprocess/plan/coarse_pass.hpp"
#include "preprocess/preprocess_report.hpp"
#include "preprocess/read/surface/triangle_soup.hpp"
#include "preprocess/surface/edit/cut_surface.hpp"
#include "preprocess/surface/health/self_intersections.hpp"
#include "preprocess/surface/openings/caps.hpp"
#include "preprocess/surface/openings/name_caps.hpp"
#include "preprocess/surface/openings/opening_candidates.hpp"
#include "preprocess/surface/openings/periodic_ends.hpp"
#include "preprocess/surface/repair/close_surface.hpp"
#include "preprocess/surface/repair/wrap.hpp"
#include "preprocess/surface_sheets.hpp"
#include "preprocess/unresolved_openings.hpp"

namespace tessera::preprocess {

using geometry::Bounds;
using geometry::Opening;
using surface::Cap;
using surface::RepairedMesh;

namespace {

// Tolerance for vertices in a plane, relative to the longest extent; covers single-precision
// coordinates.
constexpr double planeTolerance = 1e-4;

using Warnings = std::vector<std::string>;

void warnAboutSize(const Double3& extent, Warnings& warnings) {
  const double longest = std::max({extent[0], extent[1], extent[2]});
  if (longest < 1e-3 || longest > 2.0)
    warnings.push_back("the surface measures " + formatExtent(extent) +
                       ", outside of 1 mm to 2 m; check --unit.");
}

surface::HealthReport examineRepaired(const RepairedMesh& repaired, Warnings& warnings) {
  surface::HealthReport health;
  health.asRead = repaired.asRead;
  health.repaired = repaired.closed;
  health.parts = repaired.parts;
  if (repaired.mesh.triangle.size() > surface::maxTrianglesToIntersect) return health;
  surface::countSelfIntersections(repaired.mesh, repaired.closingFrom, health);
  if (repaired.wrap) health.selfIntersectionsAsRead.reset();  // of the wrap's triangles
  // Files keep warnings, so one has no count that depends on when the threads stopped.
  if (!health.allSelfIntersections)
    warnings.push_back(
        "so many triangles lie together that not all pairs were tested; those that intersect are "
        "united.");
  else if (*health.selfIntersections > 0)
    warnings.push_back(
        fmt::format("{} pairs of triangles intersect, {} pairs of parts overlap; they are united.",
                    *health.selfIntersections, health.parts.overlapping));
  return health;
}

void append(std::vector<Cap>& caps, const std::vector<Cap>& more) {
  caps.insert(caps.end(), more.begin(), more.end());
}

bool liesInSide(const geometry::TriangleMesh& mesh, const Cap& cap, const Bounds& bounds,
                double tolerance) {
  for (std::size_t a = 0; a < 3; ++a)
    for (const double plane : {bounds.low[a], bounds.high[a]})
      if (std::all_of(cap.triangle.begin(), cap.triangle.end(), [&](std::uint32_t t) {
            return std::all_of(
                mesh.triangle[t].begin(), mesh.triangle[t].end(),
                [&](std::uint32_t v) { return std::abs(mesh.vertex[v][a] - plane) <= tolerance; });
          }))
        return true;
  return false;
}

// Flat ends apart from the sides of the box, which a porous sample may have cut, and larger than a
// third of the widest opening: facets between grains are smaller. known: caps found.
void addEndsWithinBox(const RepairedMesh& repaired, const std::vector<Cap>& known,
                      const Bounds& bounds, double tolerance,
                      std::vector<surface::OpeningCandidate>& candidates) {
  constexpr double leastRadius = 1.0 / 3.0;
  const auto candidateOf = [&](const Cap& cap) {
    return surface::candidateOf(repaired.mesh, cap.triangle,
                                "--faces is given, and it lies in no side of the box");
  };
  double widest = 0.0;
  for (const Cap& cap : known) widest = std::max(widest, candidateOf(cap).radius());
  std::vector<Cap> ends = surface::findFlatCaps(repaired.mesh, tolerance, known).caps;
  std::erase_if(ends, [&](const Cap& end) {
    return candidateOf(end).radius() < leastRadius * widest ||
           liesInSide(repaired.mesh, end, bounds, tolerance);
  });
  if (!ends.empty() && repaired.parts.parts > 1)
    surface::dropBuriedCaps(repaired.mesh, surface::partsOf(repaired.mesh), ends);
  for (const Cap& end : ends) candidates.push_back(candidateOf(end));
}

// Caps of all kinds; earlier ones take precedence for shared triangles. candidates: added.
std::vector<Cap> allCaps(RepairedMesh& repaired, const std::vector<std::string>& faceName,
                         const Bounds& bounds, const PreprocessOptions& options,
                         std::vector<surface::OpeningCandidate>& candidates, Warnings& warnings) {
  const double tolerance = planeTolerance * bounds.longest();
  for (Cap& cap : repaired.caps)
    if (cap.face) cap.name = faceName[*cap.face];
  std::vector<Cap> caps;
  if (repaired.wrap) append(caps, repaired.caps);
  if (repaired.wrap && repaired.wrap->endsAreKnown) return caps;
  for (const surface::Side& side : options.faces)
    append(caps, surface::capsOnSide(repaired.mesh, bounds, side, tolerance));
  const surface::FoundCaps faces = surface::findFaceCaps(repaired.mesh, faceName);
  append(caps, faces.caps);
  append(caps, repaired.caps);
  const std::array<bool, 3>& periodic = options.periodic;
  if (periodic[0] && periodic[1] && periodic[2]) return caps;  // without ends
  if (!options.faces.empty()) {  // porous: a facet between grains looks like a cap
    addEndsWithinBox(repaired, caps, bounds, tolerance, candidates);
    return caps;
  }
  std::vector<Cap> known = faces.caps;
  append(known, repaired.caps);
  const surface::FoundCaps flat =
      surface::findUnevenCaps(repaired.mesh, std::move(repaired.edges), tolerance, known);
  append(caps, flat.caps);
  candidates.insert(candidates.end(), flat.patches.begin(), flat.patches.end());
  if (known.empty()) {
    warnings.insert(warnings.end(), faces.warnings.begin(), faces.warnings.end());
    warnings.insert(warnings.end(), flat.warnings.begin(), flat.warnings.end());
  }
  return caps;
}

void dropBuried(const RepairedMesh& repaired, std::vector<Cap>& caps, Warnings& warnings) {
  if (caps.empty() || repaired.parts.parts < 2) return;
  const std::uint64_t dropped =
      surface::dropBuriedCaps(repaired.mesh, surface::partsOf(repaired.mesh), caps);
  if (dropped > 0)
    warnings.push_back(fmt::format(
        "{} end(s) lie inside another part and are united with it; they are not openings.",
        dropped));
}

// Drops the warning about a filled hole that --open makes an opening.
void dropAnsweredWarning(const std::optional<surface::FilledHole>& filled, SurfacePlan& plan) {
  if (!filled) return;
  for (std::size_t k = 0; k < plan.openings.size(); ++k)
    if (plan.report.openingOrigins[k] == surface::CapOrigin::Requested &&
        length(plan.openings[k].centre - filled->centre) < filled->radius)
      std::erase(plan.report.warnings, filled->warning);
}

// Adds the tubes of --extend.
void extend(const PreprocessOptions& options, SurfacePlan& plan, Bounds& bounds) {
  plan.report.extensions = extendOpenings(options.extensions, plan.mesh, plan.openings);
  if (plan.report.extensions.empty()) return;
  for (std::size_t k = 0; k < plan.openings.size(); ++k)
    *plan.report.volumeMesh += plan.openings[k].area * plan.report.extensions[k];
  const Double3 before = bounds.extent();
  bounds = geometry::boundsOf(plan.mesh);
  for (std::size_t a = 0; a < 3; ++a)
    if (options.periodic[a] && bounds.extent()[a] > (1.0 + planeTolerance) * before[a])
      stage::fail(stage::ExitCode::Usage,
                  fmt::format("--extend: a tube would leave the box on the periodic {} axis; omit "
                              "one of the two options.",
                              "xyz"[a]));
}

}  // namespace

void suggestOpenings(const PreprocessOptions& options, double metresPerUnit, SurfacePlan& plan) {
  const std::array<bool, 3>& periodic = options.periodic;
  if (!plan.openings.empty() || periodic[0] || periodic[1] || periodic[2]) return;
  if (!options.closed.empty()) {
    plan.report.warnings.push_back("--close leaves the surface without openings.");
    return;
  }
  if (const auto cut = surface::suggestCut(plan.mesh, metresPerUnit))
    plan.report.warnings.push_back(
        "the surface is closed and its ends are not flat, so it has no openings; open the ends of "
        "vessels with --open \"X,Y,Z\", or cut them off, e.g. with --cut \"" +
        *cut + "\".");
}

void findOpenings(const PreprocessOptions& options, OpeningSearch& search, SurfacePlan& plan) {
  surface::LabelledOpenings labelled = overruleOpenings(options, search, plan.mesh);
  plan.openings = std::move(labelled.opening);
  plan.report.openingOrigins = std::move(labelled.origin);
  plan.report.idsToClose = std::move(search.idsToClose);
  plan.report.candidates = std::move(search.candidates);
  requireOpeningCount(options, plan.openings, plan.report);
  if (options.kind != read::InputKind::Surface) return;  // an image's sides may cut many pores
  warnAboutSolid(options, plan.report.openingOrigins, plan.report.candidates, plan.report.warnings);
  warnAboutCandidates(plan.report.candidates, plan.report.warnings);
}

std::string describeBox(const lattice::LatticeChoice& lattice) {
  return fmt::format("a box of {:.0f} x {:.0f} x {:.0f} nodes", lattice.nodes[0], lattice.nodes[1],
                     lattice.nodes[2]);
}

void requirePossible(const lattice::LatticeChoice& lattice) {
  const geometry::Frame& frame = lattice.frame;
  if (!frame.hasPossibleSpacing())
    stage::fail(stage::ExitCode::BadInput,
                fmt::format("The node spacing would be {} m, expected {} m to {} m; check the unit "
                            "and the coordinates of the input.",
                            stage::number(frame.spacing), stage::number(geometry::leastSpacing),
                            stage::number(geometry::mostSpacing)));
  if (!frame.hasResolvedOrigin())
    stage::fail(stage::ExitCode::BadInput,
                fmt::format("The lattice would begin at ({}, {}, {}) m, too far from the origin of "
                            "coordinates for a spacing of {} m; move the input towards it.",
                            stage::number(frame.origin[0]), stage::number(frame.origin[1]),
                            stage::number(frame.origin[2]), stage::number(frame.spacing)));
  const double most = std::max({lattice.nodes[0], lattice.nodes[1], lattice.nodes[2]});
  if (most > lattice::maxNodesPerAxis)
    stage::fail(
        stage::ExitCode::NoResource,
        fmt::format(
            "{} is too large, expected at most {} nodes on an axis; choose a larger node spacing.",
            describeBox(lattice), lattice::maxNodesPerAxis));
}

void countPlan(SurfacePlan& plan, const PreprocessOptions& options) {
  constexpr double nodesOfPlan = 1.5e8, nodesOfRun = 1e6;
  requirePossible(plan.lattice);
  plan::SurfaceToCount surface{
      plan.mesh,
      plan.ends,
      *plan.report.volumeMesh,
      options.periodic,
      options.keepConnected,
      plan.fluid ? &*plan.fluid : nullptr,
      sheetsInLattice(plan.sheets, plan.lattice.frame, plan.lattice.size())};
  const auto count = [&](double maxNodes) {
    plan.counts = plan::countSurface(surface, plan.lattice, maxNodes);
    plan.cost = {plan::surfaceMemory(plan.counts), plan::surfaceSeconds(plan.counts)};
  };
  if (!options.common.plan) {
    const double spacing = plan.lattice.frame.spacing;
    plan.cost.memory = plan::mostSurfaceMemory(
        plan.lattice.nodes, plan.report.areaMesh.value_or(0.0) / (spacing * spacing),
        plan.mesh.triangle.size(), plan.mesh.vertex.size());
    if (2.0 * plan.cost.memory < static_cast<double>(stage::availableMemory())) return;
    count(nodesOfRun);
    if (2.0 * plan.cost.memory < static_cast<double>(stage::availableMemory())) return;
  }
  count(nodesOfPlan);
}

namespace {

// Plan of a closed, outward surface. faceName: by label of the mesh, empty without faces. report:
// repairs and warnings so far.
SurfacePlan planMesh(RepairedMesh&& repaired, const std::vector<std::string>& faceName,
                     const PreprocessOptions& options, PreprocessReport&& report) {
  PhaseLog phases;
  SurfacePlan plan;
  plan.report = std::move(report);
  Warnings& warnings = plan.report.warnings;
  Bounds bounds = geometry::boundsOf(repaired.mesh);
  plan.report.volumeMesh = geometry::enclosedVolume(repaired.mesh);
  OpeningSearch search{{}, std::move(repaired.closedLoops), faceName, repaired.flatParts};
  search.caps = allCaps(repaired, faceName, bounds, options, search.candidates, warnings);
  repaired.edges = {};
  surface::nameCaps(repaired.mesh, faceName, repaired.flatParts, search.caps);
  dropSeparateCaps(repaired.mesh, search.caps, repaired.debris);
  dropBuried(repaired, search.caps, warnings);
  plan.ends = surface::openPeriodicEnds(repaired.mesh, search.caps, search.candidates, bounds,
                                        options.periodic, planeTolerance * bounds.longest());
  plan.mesh = std::move(repaired.mesh);
  findOpenings(options, search, plan);
  dropAnsweredWarning(repaired.filled, plan);
  nameOpenings(options.names, plan.openings);
  plan.sheets = std::move(repaired.sheets.mesh);
  plan.sheets.label.resize(plan.sheets.triangle.size(), geometry::Patch{0});
  plan.wallNames = surface::labelWalls(plan.mesh, faceName, plan.sheets.label);
  warnAboutLostFaces(repaired.debris, faceName, plan.wallNames, plan.openings,
                     geometry::surfaceArea(plan.mesh), warnings);
  extend(options, plan, bounds);
  plan.report.areaMesh = geometry::surfaceArea(plan.mesh);
  phases.done("openings");
  plan.lattice = lattice::chooseLattice(
      bounds, options.spacing, decidingRadius(options.spacing, plan.openings), options.periodic);
  logDecidingOpening(options.spacing, plan.openings);
  if (plan.lattice.frame.spacing != plan.lattice.requested)
    stage::logInfo("node spacing " +
                   stage::formatQuantity(plan.lattice.frame.spacing, stage::Dimension::Length) +
                   ", adapted to a whole number of nodes on the periodic extent");
  requireFewerNodes(options, plan.lattice,
                    {*plan.report.volumeMesh, 3, bounds, options.periodic, plan.openings});
  closeUnresolvedBranches(options, plan);
  countPlan(plan, options);
  phases.done("plan");
  return plan;
}

}  // namespace

SurfacePlan planSurface(const PreprocessOptions& options) {
  PhaseLog phases;
  const auto readSoup = [&] {
    return read::readSurfaces(options.inputs, {options.metresPerUnit, options.unitIsOfFiles});
  };
  read::TriangleSoup soup = readSoup();
  const std::vector<std::string> faceName = soup.faceName;
  const std::string space = soup.space;
  const std::size_t triangles = soup.triangles();
  phases.done("read");
  const std::string& name = options.inputs.front().string();
  const surface::RepairRequest request{options.weld, surface::fillHole, options.cuts,
                                       options.keepSheets, readSoup};
  RepairedMesh repaired =
      options.wrap ? surface::wrap(soup, options.metresPerUnit, name, request, *options.wrap)
                   : surface::repair(std::move(soup), options.metresPerUnit, name, request);
  phases.done("repair");
  const Bounds bounds = geometry::boundsOf(repaired.mesh);
  const Double3 extent = bounds.extent();
  stage::logInfo(fmt::format("surface of {} triangles, {}", triangles, formatExtent(extent)));
  PreprocessReport report;
  report.repairs = repaired.repairs;
  report.warnings = repaired.warnings;
  report.wrap = repaired.wrap;
  report.sheets = repaired.sheets.sheet;
  report.health = examineRepaired(repaired, report.warnings);
  phases.done("health");
  warnAboutSize(extent, report.warnings);
  SurfacePlan plan = planMesh(std::move(repaired), faceName, options, std::move(report));
  plan.lattice.frame.space = space;
  plan.lattice.frame.lengthUnit = stage::lengthUnitOf(options.metresPerUnit);
  for (const std::string& sentence : surface::describeMismatchedEnds(
           plan.mesh, plan.ends, bounds, options.periodic, planeTolerance * bounds.longest()))
    plan.report.warnings.push_back(sentence);
  suggestOpenings(options, options.metresPerUnit, plan);
  return plan;
}

}  // namespace tessera::preprocess
