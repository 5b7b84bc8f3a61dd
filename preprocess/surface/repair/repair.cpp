// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/repair/repair.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "preprocess/geometry/mesh_measure.hpp"
#include "preprocess/surface/edit/cut_surface.hpp"
#include "preprocess/surface/health/health_text.hpp"
#include "preprocess/surface/repair/lids.hpp"
#include "preprocess/surface/topology/drop_duplicates.hpp"
#include "preprocess/surface/topology/orient.hpp"
#include "preprocess/surface/topology/suggest_weld.hpp"
#include "preprocess/surface/topology/weld.hpp"

namespace tessera::preprocess::surface {

using geometry::surfaceArea;
using geometry::TriangleMesh;
using stage::Dimension;
using stage::ExitCode;
using stage::fail;
using stage::formatQuantity;

namespace {

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g %%", 100.0 * share);
  return text;
}

// A surface wound alike, with what is still open.
struct Joined {
  TriangleMesh mesh;
  EdgeTable edges;
  std::vector<BoundaryLoop> loops;
  std::uint64_t degenerate = 0, stitched = 0, duplicates = 0, wound = 0;
};

Joined join(WeldedMesh welded, EdgeTable edges) {
  Joined joined;
  joined.stitched = stitch(welded, verticesOfSingleEdges(edges));
  joined.degenerate = welded.degenerate;
  joined.mesh = std::move(welded.mesh);
  TriangleMesh& mesh = joined.mesh;
  if (joined.stitched > 0) edges = edgesOf(mesh);
  joined.duplicates = dropDuplicates(mesh, edges);
  if (joined.duplicates > 0) edges = edgesOf(mesh);
  joined.wound = windAlike(mesh, edges);
  if (joined.wound > 0) edges = edgesOf(mesh);
  joined.loops = boundaryLoops(mesh, edges);
  joined.edges = std::move(edges);
  return joined;
}

void cut(Joined& joined, const std::vector<CutPlane>& planes, RepairedMesh& repaired) {
  const CutEnds ends =
      cutAway(joined.mesh, planes, std::ldexp(geometry::boundsOf(joined.mesh).longest(), -20));
  joined.edges = edgesOf(joined.mesh);
  joined.loops = boundaryLoops(joined.mesh, joined.edges);
  markCuts(ends, planes, joined.loops);
  repaired.warnings.insert(repaired.warnings.end(), ends.warnings.begin(), ends.warnings.end());
}

struct Holes {
  double edges = 0.0;
  double area = 0.0;                       // m2
  const BoundaryLoop* farthest = nullptr;  // the largest that is far from any plane
};

Holes holesOf(const Joined& joined) {
  Holes holes;
  for (const BoundaryLoop& loop : joined.loops) {
    if (isOpening(loop)) continue;
    holes.edges += static_cast<double>(loop.vertex.size());
    holes.area += loop.fanArea;
    if (loop.outOfPlane > 0.25 * loop.radius() &&
        (holes.farthest == nullptr || loop.fanArea > holes.farthest->fanArea))
      holes.farthest = &loop;
  }
  return holes;
}

bool isLoose(const Joined& joined, const Holes& holes) {
  const auto edges = static_cast<double>(censusOf(joined.mesh, joined.edges).edges);
  return holes.edges > 0.01 * edges && holes.area > 0.01 * surfaceArea(joined.mesh);
}

// The first of the tolerances to try with which the surface can be closed, losing no area.
std::optional<double> helpfulWeld(const WeldedMesh& welded, const EdgeTable& edges) {
  const double area = surfaceArea(welded.mesh);
  const double most = 0.01 * geometry::boundsOf(welded.mesh).longest();
  for (const double weld : weldsToTry(welded.mesh, edges)) {
    if (weld <= welded.tolerance || weld > most) continue;
    WeldedMesh trial = welded;
    trial.tolerance = weld;
    const Joined joined = join(std::move(trial), edges);
    if (joined.mesh.triangle.empty() || surfaceArea(joined.mesh) < 0.9 * area) continue;
    if (!isLoose(joined, holesOf(joined))) return weld;
  }
  return std::nullopt;
}

// Few long loops rather than loose triangles: ragged ends, holes in the wall.
std::string describeLongHoles(const std::vector<BoundaryLoop>& loops, const Holes& holes,
                              double area) {
  std::size_t count = 0, shortest = ~std::size_t{0};
  for (const BoundaryLoop& loop : loops) {
    if (isOpening(loop)) continue;
    if (!loop.usedOnce) return "";
    ++count;
    shortest = std::min(shortest, loop.vertex.size());
  }
  constexpr std::size_t most = 20, longEnough = 12;
  if (count > most || shortest < longEnough) return "";
  return std::to_string(count) + " hole(s) of " + std::to_string(shortest) + " edges or more, " +
         percent(holes.area / area) + " of the area, have no flat and sharp rim";
}

[[noreturn]] void refuseLoose(const WeldedMesh& welded, const SurfaceHealth& asRead,
                              const Joined& joined, const std::string& name) {
  const EdgeCensus census = censusOf(joined.mesh, joined.edges);
  const auto all = static_cast<double>(census.edges);
  const std::string after =
      " after welding at " + formatQuantity(welded.tolerance, Dimension::Length) + ": ";
  const std::optional<double> weld = helpfulWeld(welded, edgesOf(welded.mesh));
  for (const std::string& line : refusedLines(asRead)) stage::logInfo(line);
  if (100 * census.open < census.edges)
    fail(ExitCode::BadInput,
         name + " cannot be closed: " + percent(static_cast<double>(census.crowded) / all) +
             " of its edges have more than two triangles" + after +
             "not the surface of a body; mesh it again as one closed surface.");
  const std::string holes =
      describeLongHoles(joined.loops, holesOf(joined), surfaceArea(joined.mesh));
  if (!weld && !holes.empty())
    fail(ExitCode::BadInput,
         name + " cannot be closed: " + holes +
             "; where a vessel ends raggedly, cut it off straight with --cut, and close holes "
             "in the wall.");
  fail(ExitCode::BadInput, name + ": loose triangles, " +
                               percent(static_cast<double>(census.open) / all) +
                               " of edges unmatched" + after + "not a surface; " +
                               (weld ? "try --weld \"" + formatQuantity(*weld, Dimension::Length) +
                                           "\" or mesh it again."
                                     : "mesh it again as one closed surface."));
}

// Refuses a hole that would have to be guessed.
void requireFillable(const Joined& joined, const Holes& holes, const RepairRequest& request,
                     const std::string& name, RepairedMesh& repaired) {
  if (holes.farthest == nullptr) return;
  const double share = holes.farthest->fanArea / surfaceArea(joined.mesh);
  const std::string hole = "a hole of " + std::to_string(holes.farthest->vertex.size()) +
                           " edges, " + percent(share) + " of the area, ";
  if (share > (request.fillHole ? 0.1 : 0.01)) {
    for (const std::string& line : refusedLines(repaired.asRead)) stage::logInfo(line);
    fail(ExitCode::BadInput, name + " cannot be closed: " + hole +
                                 "is too large and too far from a plane to be guessed; close it, "
                                 "or cut the vessel off straight before it with --cut.");
  }
  if (share > 0.001)
    repaired.warnings.push_back(hole +
                                "far from any plane, was filled as wall; if the vessel ends "
                                "there, cut it off straight with --cut.");
}

void requireVolume(const Parts& parts, const std::string& name) {
  const auto holdsVolume = [](const Part& part) {
    return std::abs(part.volume) > 1e-6 * part.area * std::sqrt(part.area);
  };
  if (std::none_of(parts.part.begin(), parts.part.end(), holdsVolume))
    fail(ExitCode::BadInput,
         name + " encloses no volume; give the closed surface of the fluid's region.");
}

struct Closing {
  std::vector<Cap> caps;
  std::vector<std::uint32_t> holes;  // the first triangle over each
};

Closing closeAll(TriangleMesh& mesh, const std::vector<BoundaryLoop>& loops,
                 const HoleFiller& fill) {
  Closing closing{coverCuts(mesh, loops), {}};
  for (const BoundaryLoop& loop : loops) {
    if (loop.cut) continue;
    const bool opening = isOpening(loop);
    const std::uint32_t first = closeLoop(mesh, loop, opening ? HoleFiller{} : fill);
    if (!opening) {
      closing.holes.push_back(first);
      continue;
    }
    Cap& cap = closing.caps.emplace_back();
    cap.triangle.resize(mesh.triangle.size() - first);
    std::iota(cap.triangle.begin(), cap.triangle.end(), first);
  }
  return closing;
}

// Drops parts that hold less than a millionth of the largest one's volume, a hundredth of it in
// length, with their caps and holes. Returns how many.
std::uint64_t dropDebris(TriangleMesh& mesh, Parts& parts, Closing& closing,
                         std::uint32_t& closingFrom) {
  double largest = 0.0;
  for (const Part& part : parts.part) largest = std::max(largest, std::abs(part.volume));
  const auto isDebris = [&](std::size_t t) {
    return std::abs(parts.part[parts.ofTriangle[t]].volume) <= 1e-6 * largest;
  };
  const auto dropped = std::count_if(parts.part.begin(), parts.part.end(), [&](const Part& part) {
    return std::abs(part.volume) <= 1e-6 * largest;
  });
  if (dropped == 0) return 0;
  std::erase_if(closing.caps, [&](const Cap& cap) { return isDebris(cap.triangle.front()); });
  std::erase_if(closing.holes, isDebris);
  std::vector<std::uint32_t> place(mesh.triangle.size());
  std::uint32_t kept = 0, keptOfFile = 0;
  for (std::size_t t = 0; t < place.size(); ++t) {
    place[t] = kept;
    if (isDebris(t)) continue;
    ++kept;
    if (t < closingFrom) ++keptOfFile;
  }
  closingFrom = keptOfFile;
  for (Cap& cap : closing.caps)
    for (std::uint32_t& t : cap.triangle) t = place[t];
  geometry::dropTriangles(mesh, isDebris);
  parts = partsOf(mesh);
  return static_cast<std::uint64_t>(dropped);
}

// One corner that is far off is enough, since what is one vertex goes by the extent.
[[noreturn]] void refuseWithoutArea(const std::string& name, double tolerance) {
  fail(ExitCode::BadInput, name + " has no triangle with an area, where corners within " +
                               formatQuantity(tolerance, Dimension::Length) +
                               ", a millionth of its extent, are one; look for a corner far from "
                               "the others, or export it again.");
}

WeldedMesh weldAsAsked(const read::TriangleSoup& soup, double metresPerUnit,
                       const std::string& name, const RepairRequest& request) {
  WeldedMesh welded = weld(soup, metresPerUnit);
  if (welded.mesh.triangle.empty()) refuseWithoutArea(name, welded.tolerance);
  if (!request.weld) return welded;
  const double longest = geometry::boundsOf(welded.mesh).longest();
  if (*request.weld < welded.tolerance || *request.weld > 0.1 * longest)
    fail(ExitCode::Usage,
         "--weld was given " + formatQuantity(*request.weld, Dimension::Length) + ", expected is " +
             formatQuantity(welded.tolerance, Dimension::Length) + " to " +
             formatQuantity(0.1 * longest, Dimension::Length) + " for " + name +
             ", whose longest side is " + formatQuantity(longest, Dimension::Length) + ".");
  welded.tolerance = *request.weld;
  return welded;
}

void examineAsRead(const read::TriangleSoup& soup, const WeldedMesh& welded, const EdgeTable& edges,
                   SurfaceHealth& health) {
  health = examine(welded.mesh, edges);
  health.triangles = soup.triangles();
  health.degenerate = welded.degenerate;
}

}  // namespace

RepairedMesh repair(const read::TriangleSoup& soup, double metresPerUnit, const std::string& name,
                    const RepairRequest& request) {
  RepairedMesh repaired;
  WeldedMesh welded = weldAsAsked(soup, metresPerUnit, name, request);
  EdgeTable edges = edgesOf(welded.mesh);
  examineAsRead(soup, welded, edges, repaired.asRead);
  repaired.tolerance = welded.tolerance;

  Joined joined = join(std::move(welded), std::move(edges));
  TriangleMesh& mesh = joined.mesh;
  if (mesh.triangle.empty()) refuseWithoutArea(name, repaired.tolerance);
  repaired.asRead.openLoops = openLoopsOf(joined.loops);
  if (!request.cuts.empty()) cut(joined, request.cuts, repaired);
  const Holes holes = holesOf(joined);
  requireFillable(joined, holes, request, name, repaired);
  if (isLoose(joined, holes))
    refuseLoose(weldAsAsked(soup, metresPerUnit, name, request), repaired.asRead, joined, name);

  repaired.closingFrom = static_cast<std::uint32_t>(mesh.triangle.size());
  joined.edges = {};  // the parts are found by edges of their own
  Closing closing = closeAll(mesh, joined.loops, request.fillHole);
  Parts parts = partsOf(mesh);
  requireVolume(parts, name);
  findLids(mesh, parts, closing.caps);
  const std::uint64_t debris = dropDebris(mesh, parts, closing, repaired.closingFrom);
  const OutwardTurn outward = turnOutward(mesh, parts);
  if (outward.turned > 0 && repaired.asRead.winding == Winding::Consistent)
    repaired.asRead.winding =
        outward.turned == parts.part.size() ? Winding::InsideOut : Winding::Mixed;
  repaired.parts = {parts.part.size(), outward.cavities, outward.covered};
  repaired.repairs = {{"degenerate_triangles_dropped", joined.degenerate},
                      {"vertices_stitched", joined.stitched},
                      {"duplicate_triangles_dropped", joined.duplicates},
                      {"triangles_turned", joined.wound},
                      {"holes_closed", closing.holes.size()},
                      {"openings_capped", closing.caps.size()},
                      {"debris_parts_dropped", debris},
                      {"parts_turned_outward", outward.turned}};
  repaired.mesh = std::move(mesh);
  repaired.caps = std::move(closing.caps);
  if (outward.cavities > 0)
    repaired.warnings.push_back(std::to_string(outward.cavities) +
                                " closed part(s) inside another one are kept as solid bodies.");
  if (outward.covered > 0)
    repaired.warnings.push_back(std::to_string(outward.covered) +
                                " closed part(s) lie inside another one and are wound like it, so "
                                "they change nothing; turn them inside-out to make them solid.");
  return repaired;
}

}  // namespace tessera::preprocess::surface
