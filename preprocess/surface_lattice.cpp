// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface_lattice.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/memory.hpp"
#include "pipelines/stage/progress.hpp"
#include "pipelines/stage/quantity.hpp"
#include "preprocess/lattice/components.hpp"
#include "preprocess/lattice/links.hpp"
#include "preprocess/lattice/voxelise.hpp"
#include "preprocess/phase_log.hpp"
#include "preprocess/read/unite.hpp"
#include "preprocess/surface/flat_caps.hpp"

namespace tessera {
namespace {

// Vertices this close to a plane lie in it, in parts of the longest extent: what a file of
// single-precision coordinates leaves of a plane.
constexpr double planeTolerance = 1e-4;

void warnAboutSize(const Double3& extent, std::vector<std::string>& warnings) {
  const double longest = std::max({extent[0], extent[1], extent[2]});
  if (longest < 1e-3 || longest > 2.0)
    warnings.push_back("the surface measures " + formatExtent(extent) +
                       ", outside of 1 mm to 2 m; check --unit.");
}

bool liesOnPeriodicEnd(const TriangleMesh& mesh, const Bounds& bounds, std::size_t triangle,
                       const std::array<bool, 3>& periodic) {
  const double tolerance = planeTolerance * bounds.longest();
  const Triangle& t = mesh.triangle[triangle];
  for (std::size_t a = 0; a < 3; ++a) {
    if (!periodic[a]) continue;
    for (const double plane : {bounds.low[a], bounds.high[a]})
      if (std::all_of(t.begin(), t.end(), [&](std::uint32_t v) {
            return std::abs(mesh.vertex[v][a] - plane) <= tolerance;
          }))
        return true;
  }
  return false;
}

// Takes the triangles on the end planes of periodic axes out, and the caps they belong to.
void openPeriodicEnds(TriangleMesh& mesh, std::vector<Cap>& caps, const Bounds& bounds,
                      const std::array<bool, 3>& periodic) {
  std::vector<std::uint32_t> place(mesh.triangle.size());
  std::uint32_t kept = 0;
  constexpr std::uint32_t gone = ~std::uint32_t{0};
  for (std::size_t t = 0; t < mesh.triangle.size(); ++t)
    place[t] = liesOnPeriodicEnd(mesh, bounds, t, periodic) ? gone : kept++;
  dropTriangles(mesh, [&](std::size_t t) { return place[t] == gone; });
  std::erase_if(caps, [&](const Cap& cap) { return place[cap.triangle.front()] == gone; });
  for (Cap& cap : caps)
    for (std::uint32_t& t : cap.triangle) t = place[t];
}

std::vector<Cap> allCaps(RepairedMesh& repaired, const Bounds& bounds,
                         const PreprocessOptions& options, std::vector<std::string>& warnings) {
  const double tolerance = planeTolerance * bounds.longest();
  std::vector<Cap> caps;
  for (const Side& side : options.faces) {
    const std::vector<Cap> found = capsOnSide(repaired.mesh, bounds, side, tolerance);
    caps.insert(caps.end(), found.begin(), found.end());
  }
  const FlatCaps flat = findFlatCaps(repaired.mesh, tolerance, repaired.caps);
  caps.insert(caps.end(), repaired.caps.begin(), repaired.caps.end());
  caps.insert(caps.end(), flat.caps.begin(), flat.caps.end());
  if (options.faces.empty() && repaired.caps.empty())
    warnings.insert(warnings.end(), flat.warnings.begin(), flat.warnings.end());
  return caps;
}

std::optional<double> smallestRadius(const std::vector<Opening>& openings) {
  std::optional<double> smallest;
  for (const Opening& opening : openings)
    smallest = std::min(smallest.value_or(opening.radius), opening.radius);
  return smallest;
}

// Fitted to runs with a million triangles from 1e6 to 7.5e8 nodes: triangles, bits of the box and
// their copies, links by area.
void estimateCost(SurfacePlan& plan) {
  const double spacing = plan.lattice.frame.spacing;
  const double wallNodes = *plan.report.areaMesh / (spacing * spacing);
  const auto triangles = static_cast<double>(plan.mesh.triangle.size());
  plan.memory = 130.0 * triangles + 0.25 * plan.lattice.count() + 100.0 * wallNodes;
  plan.seconds = 6e-7 * triangles + 1.5e-9 * plan.lattice.count() + 8e-7 * wallNodes;
}

void requireNodesPerAxis(const LatticeChoice& lattice) {
  const double most = std::max({lattice.nodes[0], lattice.nodes[1], lattice.nodes[2]});
  if (most > maxNodesPerAxis)
    fail(ExitCode::NoResource, describeBox(lattice) + " is too large, at most " +
                                   std::to_string(maxNodesPerAxis) +
                                   " nodes fit on an axis; choose a larger node spacing.");
}

TriangleMesh inLatticeCoordinates(TriangleMesh mesh, const LatticeChoice& lattice) {
  for (Double3& vertex : mesh.vertex) {
    vertex = lattice.frame.toLattice(vertex);
    for (std::size_t a = 0; a < 3; ++a)  // rounding may put it just outside
      vertex[a] = std::clamp(vertex[a], -0.5, lattice.nodes[a] - 0.5);
  }
  return mesh;
}

Surface surfaceOf(const TriangleMesh& mesh) {
  Surface surface;
  surface.vertex.reserve(mesh.vertex.size());
  for (const Double3& v : mesh.vertex)
    surface.vertex.push_back(
        {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])});
  surface.triangle = mesh.triangle;
  surface.label = mesh.label;
  return surface;
}

void keepReachable(LatticeGeometry& geometry, const TriangleMesh& mesh,
                   std::vector<std::string>& warnings) {
  const std::vector<std::uint64_t> seeds = nodesAtOpenings(geometry.fluid, mesh);
  const ComponentCount count = keepConnected(geometry.fluid, geometry.periodic, seeds);
  if (geometry.openings.empty())
    warnings.push_back(
        "the surface has no openings, so the largest connected part is kept; flow can only be "
        "driven by a body force.");
  if (count.droppedNodes > 0)
    warnings.push_back(std::to_string(count.droppedNodes) + " nodes in " +
                       std::to_string(count.components - count.kept) +
                       " unconnected part(s) were made solid; --keep all keeps them.");
}

void requireLinksAtOpenings(const LatticeGeometry& geometry) {
  std::vector<char> reached(geometry.openings.size() + 1, 0);
  for (const Patch patch : geometry.boundary.patch)
    if (isOpening(patch)) reached[static_cast<std::size_t>(openingId(patch))] = 1;
  for (const Opening& opening : geometry.openings)
    if (!reached[static_cast<std::size_t>(opening.id)])
      fail(ExitCode::Usage, "no node lies at opening " + std::to_string(opening.id) +
                                " of radius " + formatQuantity(opening.radius, Dimension::Length) +
                                "; choose a smaller node spacing.");
}

void warnAboutResult(const PreprocessReport& report, std::vector<std::string>& warnings) {
  const double difference = std::abs(report.volumeVoxels / *report.volumeMesh - 1.0);
  char percent[16];
  std::snprintf(percent, sizeof percent, "%.1f %%", 100.0 * difference);
  if (difference > 0.05)
    warnings.push_back("the fluid's volume differs by " + std::string(percent) +
                       " from that of the surface; it is coarse for this node spacing, overlaps "
                       "itself, or has unconnected parts.");
  const std::optional<double> radius = smallestRadius(report.openings);
  if (radius && 2.0 * *radius < 8.0 * report.spacing)
    warnings.push_back(
        "the smallest opening has fewer than 8 nodes across; flow rates there will "
        "be rough.");
}

}  // namespace

std::string describeBox(const LatticeChoice& lattice) {
  char text[120];
  std::snprintf(text, sizeof text, "a box of %.0f x %.0f x %.0f nodes", lattice.nodes[0],
                lattice.nodes[1], lattice.nodes[2]);
  return text;
}

SurfacePlan planSurface(const PreprocessOptions& options) {
  PhaseLog phases;
  const TriangleSoup soup = readSurfaces(options.inputs);
  phases.done("read");
  RepairedMesh repaired = repair(soup, options.metresPerUnit, options.inputs.front().string());
  phases.done("repair");
  const Bounds bounds = boundsOf(repaired.mesh);
  SurfacePlan plan;
  plan.extent = bounds.extent();
  plan.report.repairs = repaired.repairs;
  plan.report.warnings = repaired.warnings;
  logInfo("surface of " + std::to_string(soup.triangles()) + " triangles, " +
          formatExtent(plan.extent));
  warnAboutSize(plan.extent, plan.report.warnings);
  plan.report.volumeMesh = enclosedVolume(repaired.mesh);
  std::vector<Cap> caps = allCaps(repaired, bounds, options, plan.report.warnings);
  openPeriodicEnds(repaired.mesh, caps, bounds, options.periodic);
  plan.report.areaMesh = surfaceArea(repaired.mesh);
  plan.mesh = std::move(repaired.mesh);
  plan.openings = labelOpenings(plan.mesh, caps);
  phases.done("openings");
  plan.lattice =
      chooseLattice(bounds, options.spacing, smallestRadius(plan.openings), options.periodic);
  if (plan.lattice.frame.spacing != plan.lattice.requested)
    logInfo("node spacing " + formatQuantity(plan.lattice.frame.spacing, Dimension::Length) +
            ", so that the periodic extent is a whole number of them");
  plan.lattice.frame.space = soup.space;
  estimateCost(plan);
  return plan;
}

LatticeGeometry latticeFromSurface(SurfacePlan&& plan, const PreprocessOptions& options,
                                   PreprocessReport& report) {
  requireMemory(plan.memory, describeBox(plan.lattice), "choose a larger node spacing");
  requireNodesPerAxis(plan.lattice);
  PhaseLog phases;
  report = std::move(plan.report);
  LatticeGeometry geometry;
  geometry.frame = plan.lattice.frame;
  geometry.periodic = options.periodic;
  geometry.openings = std::move(plan.openings);
  const TriangleMesh mesh = inLatticeCoordinates(std::move(plan.mesh), plan.lattice);
  geometry.fluid = voxelise(mesh, plan.lattice.size(), options.periodic);
  phases.done("voxelise");
  if (options.keepConnected) keepReachable(geometry, mesh, report.warnings);
  phases.done("connect");
  describeLattice(geometry, report);
  if (report.fluidNodes == 0)
    fail(ExitCode::Usage, "no node lies inside the surface; choose a smaller node spacing.");
  geometry.boundary = findLinks(geometry.fluid, options.periodic, mesh).boundary;
  phases.done("links");
  requireLinksAtOpenings(geometry);
  geometry.surface = surfaceOf(mesh);
  warnAboutResult(report, report.warnings);
  return geometry;
}

}  // namespace tessera
