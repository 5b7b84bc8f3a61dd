// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface_plan.hpp"

#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/numbers_apart.hpp"
#include "pipelines/stage/system/memory.hpp"
#include "pipelines/stage/system/parallel_for.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/check_topology.hpp"
#include "preprocess/lattice/connectivity/components.hpp"
#include "preprocess/lattice/links/links.hpp"
#include "preprocess/lattice/voxelise/voxelise.hpp"
#include "preprocess/opening_paths.hpp"
#include "preprocess/preprocess_report.hpp"
#include "preprocess/surface_sheets.hpp"
#include "preprocess/unresolved_openings.hpp"

namespace tessera::preprocess {

using geometry::LatticeGeometry;

namespace {

geometry::Surface surfaceOf(geometry::TriangleMesh&& mesh) {
  geometry::Surface surface;
  surface.vertex.resize(mesh.vertex.size());
  tbb::parallel_for(std::size_t{0}, mesh.vertex.size(), [&](std::size_t k) {
    const Double3& v = mesh.vertex[k];
    surface.vertex[k] = {static_cast<float>(v[0]), static_cast<float>(v[1]),
                         static_cast<float>(v[2])};
  });
  surface.triangle = std::move(mesh.triangle);
  surface.label = std::move(mesh.label);
  mesh = {};
  return surface;
}

std::string volumeText(std::uint64_t nodes, double spacing) {
  return stage::number(1e9 * static_cast<double>(nodes) * spacing * spacing * spacing, 4) + " mm3";
}

using Cuts = std::vector<lattice::CutNode>;  // nodes with wall links to other fluid nodes

// Fluid nodes at the openings. With cut links only those with a link that ends there: a sheet may
// lie just before an opening.
std::vector<std::uint64_t> seedsOf(const LatticeGeometry& geometry,
                                   const geometry::TriangleMesh& mesh, const Cuts& cuts) {
  if (cuts.empty()) return lattice::nodesAtOpenings(geometry.fluid, mesh);
  std::vector<std::uint64_t> seeds;
  for (const std::vector<std::uint64_t>& nodes : lattice::nodesByLink(geometry))
    seeds.insert(seeds.end(), nodes.begin(), nodes.end());
  return seeds;
}

// Removes unconnected fluid, or reports it.
void keepReachable(LatticeGeometry& geometry, const geometry::TriangleMesh& mesh,
                   const PreprocessOptions& options, const Cuts& cuts, PreprocessReport& report) {
  const bool keepAll = !options.keepConnected;
  std::vector<std::string>& warnings = report.warnings;
  if (keepAll && geometry.openings.empty()) return;
  const std::vector<std::uint64_t> seeds = seedsOf(geometry, mesh, cuts);
  const lattice::ComponentCount count =
      keepAll ? lattice::countConnected(geometry.fluid, geometry.periodic, seeds, cuts)
              : lattice::keepConnected(geometry.fluid, geometry.periodic, seeds, cuts);
  report.dead = {count.droppedNodes, count.components - count.kept, !keepAll};
  if (geometry.openings.empty())
    warnings.push_back(
        "the surface has no openings, so the largest connected part is kept; only a body force can "
        "drive a flow.");
  else if (geometry.openings.size() == 1)
    warnings.push_back(
        options.closed.empty()
            ? "only one opening was found, so nothing can flow through; if another end is closed "
              "and not flat, open it with --open \"X,Y,Z\" or cut it off with --cut."
            : "--close leaves only one opening, so nothing can flow through.");
  if (count.droppedNodes > 0)
    warnings.push_back(fmt::format(
        "{} nodes, {}, in {} unconnected part(s), the largest of {} at {}, {}", count.droppedNodes,
        volumeText(count.droppedNodes, geometry.frame.spacing), report.dead->parts,
        stage::plural(count.largestDropped, "node"),
        placeText(geometry.frame.toWorld(count.droppedCentre)),
        keepAll ? "are kept, though no opening leads there; --keep connected makes them solid."
                : "were made solid; --keep all keeps them."));
}

// Before parts are removed. enclosed: nodes, counted once per enclosing part.
void checkVolume(std::uint64_t nodes, std::uint64_t enclosed, double spacing,
                 PreprocessReport& report) {
  const auto sum = static_cast<double>(enclosed);
  report.volumeError = sum * std::pow(spacing, 3) / *report.volumeMesh - 1.0;
  const double error = std::abs(*report.volumeError);
  const char* const sign = *report.volumeError > 0.0 ? "more" : "less";
  if (error > volumeNonsense)
    stage::fail(stage::ExitCode::Usage,
                fmt::format("nodes of {} cannot represent this surface: the voxels' volume is {} "
                            "{} than the surface's; choose a smaller node spacing.",
                            stage::formatQuantity(spacing, stage::Dimension::Length),
                            stage::percent(error), sign));
  if (error > volumeTolerance) {
    const auto [own, most] = stage::numbersApart(100.0 * error, 100.0 * volumeTolerance);
    report.warnings.push_back(
        fmt::format("the voxels' volume is {} % {} than the surface's, at most {} % is required; "
                    "the node spacing is too coarse for this surface: choose a smaller one.",
                    own, sign, most));
  }
  const double twice = 1.0 - static_cast<double>(nodes) / sum;
  if (twice > volumeTolerance)
    report.warnings.push_back(fmt::format(
        "the surface encloses {} of its volume more than once; overlapping parts are united.",
        stage::percent(twice)));
}

// How many fewer connected parts there are when no sheet cuts links. parts: with the sheets.
std::uint64_t splitBySheets(const LatticeGeometry& geometry, const geometry::TriangleMesh& mesh,
                            const std::vector<geometry::BitLattice>& overlaps,
                            const std::vector<std::vector<std::uint64_t>>& touching,
                            std::uint64_t parts, const PreprocessReport& report) {
  if (report.sheets.empty() || parts < 2) return 0;
  const geometry::BoundaryNodes boundary =
      lattice::findLinks(geometry.fluid, geometry.periodic, mesh, overlaps).boundary;
  const Cuts cuts = lattice::cutNodesOf(geometry.fluid, geometry.periodic, boundary);
  const std::uint64_t without = lattice::partsOf(geometry.fluid, geometry.periodic, touching,
                                                 geometry::Neighbours::TwentySix, cuts)
                                    .size();
  return parts - std::min(parts, without);
}

// Connected parts of the lattice of a surface, compared with those of the surface: topology, paths
// between openings.
void checkParts(const LatticeGeometry& geometry, const geometry::TriangleMesh& mesh,
                const std::vector<geometry::BitLattice>& overlaps, const PreprocessOptions& options,
                const Cuts& cuts, PreprocessReport& report) {
  std::vector<std::vector<std::uint64_t>> touching = lattice::nodesByLink(geometry);
  const std::vector<std::vector<std::uint64_t>> atOpenings = touching;
  const std::size_t openings = touching.size();
  const bool isPeriodic = options.periodic[0] || options.periodic[1] || options.periodic[2];
  const bool isOne = isPeriodic || (report.health && report.health->parts.parts == 1);
  const SurfaceParts surface = surfaceParts(mesh, openings, isOne);
  for (auto& nodes : nodesWithin(surface, mesh, geometry.fluid))
    touching.push_back(std::move(nodes));
  std::vector<lattice::FluidPart> parts, withoutCorners;
  const auto partsBy = [&](geometry::Neighbours neighbours, const auto& nodes) {
    return lattice::partsOf(geometry.fluid, geometry.periodic, nodes, neighbours, cuts);
  };
  tbb::parallel_invoke([&] { parts = partsBy(geometry::Neighbours::TwentySix, touching); },
                       [&] {
                         if (openings > 0)
                           withoutCorners = partsBy(geometry::Neighbours::Eighteen, atOpenings);
                       });
  report.latticeParts = parts.size();
  if (!isPeriodic)  // parts of a surface that is open at periodic ends may continue there
    compareTopology(surface, mesh, geometry, parts,
                    splitBySheets(geometry, mesh, overlaps, touching, parts.size(), report),
                    report.dead && report.dead->isSolid ? report.dead->parts : 0, report);
  if (openings == 0) return;
  for (lattice::FluidPart& part : parts)
    std::erase_if(part.openings, [&](std::uint32_t k) { return k >= openings; });
  reportPaths(
      geometry, options.faces, parts,
      {options.inputs.front().string(), "open other --faces, or choose a smaller node spacing"},
      report);
  warnAboutCorners(geometry, parts, withoutCorners, report);
}

// Finds the links, then removes fluid that no opening reaches over them: no other fluid node has a
// link to it that is not a wall's already. Returns the cut nodes that remain.
Cuts linkAndConnect(LatticeGeometry& geometry, const geometry::TriangleMesh& mesh,
                    const geometry::TriangleMesh& sheets,
                    const std::vector<geometry::BitLattice>& overlaps,
                    const PreprocessOptions& options, PhaseLog& phases, PreprocessReport& report) {
  lattice::FoundLinks links =
      lattice::findLinks(geometry.fluid, geometry.periodic, mesh, overlaps, sheets);
  geometry.boundary = std::move(links.boundary);
  phases.done("links");
  const auto findCuts = [&] {
    return links.cutLinks == 0
               ? Cuts{}
               : lattice::cutNodesOf(geometry.fluid, geometry.periodic, geometry.boundary);
  };
  Cuts cuts = findCuts();
  keepReachable(geometry, mesh, options, cuts, report);
  if (report.dead && report.dead->isSolid && report.dead->nodes > 0) {
    lattice::dropSolid(geometry.fluid, geometry.boundary);
    cuts = findCuts();
  }
  for (const lattice::CutNode& cut : cuts)
    geometry.cutLinks += static_cast<std::uint64_t>(std::popcount(cut.links));
  geometry.cutLinks /= 2;  // counted at both ends
  phases.done("connect");
  return cuts;
}

}  // namespace

LatticeGeometry latticeFromSurface(SurfacePlan&& plan, const PreprocessOptions& options,
                                   PreprocessReport& report) {
  stage::requireMemory(plan.cost.memory, describeBox(plan.lattice), "choose a larger node spacing");
  requirePossible(plan.lattice);
  PhaseLog phases;
  report = std::move(plan.report);
  LatticeGeometry geometry;
  geometry.frame = plan.lattice.frame;
  geometry.periodic = options.periodic;
  geometry.openings = std::move(plan.openings);
  geometry.wallNames = std::move(plan.wallNames);
  geometry::TriangleMesh mesh =
      lattice::inLatticeCoordinates(std::move(plan.mesh), plan.lattice.frame, plan.lattice.nodes);
  std::uint64_t enclosed = 0;
  std::vector<geometry::BitLattice> overlaps;
  if (plan.fluid) {
    geometry.fluid = std::move(*plan.fluid);
    enclosed = geometry.fluid.count();
  } else {
    lattice::Voxels voxels =
        lattice::nodesInside(mesh, plan.ends, plan.lattice.size(), options.periodic);
    overlaps =
        lattice::nodesInOverlaps(mesh, plan.ends, plan.lattice.size(), options.periodic, voxels);
    geometry.fluid = std::move(voxels.fluid);
    enclosed = voxels.windingSum;
  }
  phases.done("voxelise");
  if (enclosed > 0) checkVolume(geometry.fluid.count(), enclosed, geometry.frame.spacing, report);
  if (geometry.fluid.count() == 0)
    stage::fail(stage::ExitCode::Usage,
                "no node lies inside the surface; choose a smaller node spacing.");
  const geometry::TriangleMesh sheets =
      sheetsInLattice(std::move(plan.sheets), geometry.frame, geometry.fluid.size);
  const Cuts cuts = linkAndConnect(geometry, mesh, sheets, overlaps, options, phases, report);
  describeLattice(geometry, report);
  closeUnresolved(options, geometry, mesh.label, report);
  if (options.kind == read::InputKind::Surface)  // images: reportPercolation()
    checkParts(geometry, mesh, overlaps, options, cuts, report);
  phases.done("paths");
  geometry.surface = surfaceOf(std::move(mesh));
  addBothSides(sheets, geometry.surface);
  numberParts(geometry, report);
  stage::parallelFor(2, [&](std::size_t k) {  // each is serial in part
    if (k == 0)
      describeThinnest(geometry, cuts, report);
    else
      describeThroats(geometry, cuts, report);
  });
  phases.done("widths");
  warnAboutResolution(geometry, report);
  return geometry;
}

}  // namespace tessera::preprocess
