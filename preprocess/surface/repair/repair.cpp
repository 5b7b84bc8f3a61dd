// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/repair/repair.hpp"

#include <tbb/parallel_invoke.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/geometry/mesh.hpp"
#include "preprocess/surface/edit/cut_surface.hpp"
#include "preprocess/surface/health/surface_health.hpp"
#include "preprocess/surface/repair/debris.hpp"
#include "preprocess/surface/repair/separate_caps.hpp"
#include "preprocess/surface/topology/drop_duplicates.hpp"
#include "preprocess/surface/topology/orient.hpp"
#include "preprocess/surface/topology/weld.hpp"

namespace tessera::preprocess::surface {

using geometry::surfaceArea;
using geometry::TriangleMesh;
using stage::Dimension;
using stage::ExitCode;
using stage::fail;
using stage::formatQuantity;
using stage::percent;

namespace {

using Joined = JoinedSurface;

Joined join(WeldedMesh welded, EdgeTable edges) {
  Joined joined;
  joined.stitched = stitch(welded, verticesOfSingleEdges(edges), welded.tolerance);
  joined.degenerate = welded.degenerate;
  joined.mesh = std::move(welded.mesh);
  TriangleMesh& mesh = joined.mesh;
  if (joined.stitched > 0) edges = edgesOf(mesh);
  joined.twoSided = dropDuplicates(mesh, edges);
  joined.duplicates = joined.twoSided.triangles;
  if (joined.duplicates > 0) edges = edgesOf(mesh);
  joined.overlays = dropOverlays(mesh, edges);
  if (!joined.overlays.empty()) edges = edgesOf(mesh);
  joined.reversed = orientConsistently(mesh, edges);
  if (joined.reversed > 0) edges = edgesOf(mesh);
  joined.loops = boundaryLoops(mesh, edges);
  joined.edges = std::move(edges);
  return joined;
}

struct Holes {
  double edges = 0.0;
  double area = 0.0;     // m2
  double largest = 0.0;  // m2
  std::size_t number = 0;
  bool isSimple = true;                       // every edge has one triangle
  const BoundaryLoop* leastPlanar = nullptr;  // the largest non-planar one
};

Holes holesOf(const Joined& joined) {
  Holes holes;
  for (const BoundaryLoop& loop : joined.loops) {
    if (isOpening(loop)) continue;
    holes.edges += static_cast<double>(loop.vertex.size());
    holes.area += loop.fanArea;
    holes.largest = std::max(holes.largest, loop.fanArea);
    ++holes.number;
    holes.isSimple = holes.isSimple && loop.usedOnce;
    if (loop.outOfPlane > 0.25 * loop.radius() &&
        (holes.leastPlanar == nullptr || loop.fanArea > holes.leastPlanar->fanArea))
      holes.leastPlanar = &loop;
  }
  return holes;
}

// Whether few loops of the rest, with an edge of one triangle each, are holes in a surface: loose
// triangles, strips and panels have many, or large ones.
bool areFewHoles(const Joined& joined, const Holes& holes) {
  constexpr double mostOfOne = 0.005, mostArea = 0.1;  // of the surface
  constexpr std::size_t mostShare = 200;               // one per triangles
  return holes.isSimple && holes.largest <= mostOfOne * surfaceArea(joined.mesh) &&
         holes.area <= mostArea * surfaceArea(joined.mesh) &&
         mostShare * holes.number <= joined.mesh.triangle.size();
}

// Whether the holes have more than 1 % of the edges and of the area.
bool hasManyHoles(const Joined& joined, const Holes& holes) {
  if (holes.edges == 0.0) return false;
  const auto edges = static_cast<double>(censusOf(joined.mesh, joined.edges).edges);
  return holes.edges > 0.01 * edges && holes.area > 0.01 * surfaceArea(joined.mesh);
}

bool isLoose(const Joined& joined, const Holes& holes) {
  return hasManyHoles(joined, holes) && !areFewHoles(joined, holes);
}

bool isRiddled(const Joined& joined, const Holes& holes) {
  return hasManyHoles(joined, holes) && areFewHoles(joined, holes);
}

// First of the candidate tolerances with which the surface can be closed without loss of area.
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

// Describes few long loops, such as ragged ends or holes in the wall; empty for loose triangles.
std::string describeLongHoles(const std::vector<BoundaryLoop>& loops, const Holes& holes,
                              double area) {
  std::size_t count = 0, shortest = ~std::size_t{0};
  for (const BoundaryLoop& loop : loops) {
    if (isOpening(loop)) continue;
    if (!loop.usedOnce) return "";
    ++count;
    shortest = std::min(shortest, loop.vertex.size());
  }
  constexpr std::size_t maxHoles = 20, minEdges = 12;
  if (count > maxHoles || shortest < minEdges) return "";
  return fmt::format("{} hole(s) of {} edges or more, {} of the area, have no flat and sharp rim",
                     count, shortest, percent(holes.area / area));
}

// Length at which a wrap bridges gaps of two edges, within a 300th and a 30th of the extent.
std::string wrapAdvice(const Joined& joined) {
  const double longest = geometry::boundsOf(joined.mesh).longest();
  const double length = std::clamp(2.0 * joined.asRead.meanEdge, longest / 300.0, longest / 30.0);
  const double power = std::pow(10.0, std::floor(std::log10(length)));
  const double first = length / power;
  const double rounded = power * (first < 1.5 ? 1.0 : first < 3.5 ? 2.0 : first < 7.5 ? 5.0 : 10.0);
  return "wrap it, e.g. with --wrap \"" + formatQuantity(rounded, Dimension::Length) + "\"";
}

[[noreturn]] void refuseLoose(const WeldedMesh& welded, const Joined& joined,
                              const std::string& name) {
  const EdgeCensus census = censusOf(joined.mesh, joined.edges);
  const auto all = static_cast<double>(census.edges);
  const std::string after =
      " after welding at " + formatQuantity(welded.tolerance, Dimension::Length) + ": ";
  const std::optional<double> weld = helpfulWeld(welded, edgesOf(welded.mesh));
  const std::string wrap = wrapAdvice(joined);
  for (const std::string& line : refusedLines(joined.asRead)) stage::logInfo(line);
  if (100 * census.open < census.edges)
    fail(ExitCode::BadInput,
         name + " cannot be closed: " + percent(static_cast<double>(census.nonManifold) / all) +
             " of its edges have more than two triangles" + after +
             "it is not the surface of a body; mesh it again as one closed surface, or " + wrap +
             ".");
  const std::string holes =
      describeLongHoles(joined.loops, holesOf(joined), surfaceArea(joined.mesh));
  if (!weld && !holes.empty())
    fail(
        ExitCode::BadInput,
        name + " cannot be closed: " + holes +
            "; if a vessel ends raggedly, cut it off with --cut, and close holes in the wall, or " +
            wrap + ".");
  fail(ExitCode::BadInput, name + ": unconnected triangles, " +
                               percent(static_cast<double>(census.open) / all) +
                               " of edges unmatched" + after + "it is not a surface; " +
                               (weld ? "try --weld \"" + formatQuantity(*weld, Dimension::Length) +
                                           "\" or mesh it again, or "
                                     : "mesh it again as one closed surface, or ") +
                               wrap + ".");
}

double shareOfLeastPlanar(const Joined& joined, const Holes& holes) {
  return holes.leastPlanar ? holes.leastPlanar->fanArea / surfaceArea(joined.mesh) : 0.0;
}

// Largest share of the area of a non-planar hole that is filled.
constexpr double mostFilled(bool hasFiller) {
  return hasFiller ? 0.1 : 0.01;
}

// Refuses a large non-planar hole; a smaller one that is worth a warning is returned.
std::optional<FilledHole> requireFillable(const Joined& joined, const Holes& holes,
                                          const RepairRequest& request, const std::string& name) {
  if (holes.leastPlanar == nullptr) return std::nullopt;
  const double share = shareOfLeastPlanar(joined, holes);
  const std::string hole = fmt::format("a hole of {} edges, {} of the area, ",
                                       holes.leastPlanar->vertex.size(), percent(share));
  if (share > mostFilled(static_cast<bool>(request.fillHole))) {
    for (const std::string& line : refusedLines(joined.asRead)) stage::logInfo(line);
    fail(ExitCode::BadInput, name + " cannot be closed: " + hole +
                                 "is too large and too far from planar to be filled; close it, "
                                 "cut the vessel off before it with --cut, or " +
                                 wrapAdvice(joined) + ".");
  }
  if (share <= 0.001) return std::nullopt;
  return FilledHole{
      holes.leastPlanar->centre, holes.leastPlanar->radius(),
      hole +
          "far from planar, was filled as wall; if the vessel ends there, cut it off with --cut."};
}

void requireVolume(const Parts& parts, const std::string& name) {
  const auto hasVolume = [](const Part& part) {
    return std::abs(part.volume) > 1e-6 * part.area * std::sqrt(part.area);
  };
  if (std::none_of(parts.part.begin(), parts.part.end(), hasVolume))
    fail(ExitCode::BadInput,
         name + " encloses no volume; provide the closed surface of the fluid region.");
}

struct Closing {
  std::vector<Cap> caps;
  std::vector<std::uint32_t> holes;          // first triangle of each
  std::vector<OpeningCandidate> candidates;  // holes that resemble an end
};

std::vector<std::uint32_t> trianglesFrom(std::uint32_t first, const TriangleMesh& mesh) {
  std::vector<std::uint32_t> triangles(mesh.triangle.size() - first);
  std::iota(triangles.begin(), triangles.end(), first);
  return triangles;
}

Closing closeAll(TriangleMesh& mesh, const std::vector<BoundaryLoop>& loops,
                 const HoleFiller& fill) {
  Closing closing{coverCuts(mesh, loops), {}, {}};
  for (const BoundaryLoop& loop : loops) {
    if (loop.cut) continue;
    const bool opening = isOpening(loop);
    const std::uint32_t first = closeLoop(mesh, loop, opening ? HoleFiller{} : fill);
    if (!opening) {
      closing.holes.push_back(first);
      if (!loop.reason.empty())
        closing.candidates.push_back({loop.centre, unit(loop.areaVector), length(loop.areaVector),
                                      loop.reason, trianglesFrom(first, mesh)});
      continue;
    }
    closing.caps.emplace_back().triangle = trianglesFrom(first, mesh);
  }
  return closing;
}

// Removes the parts that are debris, with their caps and holes. Returns their number.
std::uint64_t dropDebris(TriangleMesh& mesh, Parts& parts, const std::vector<char>& isDebrisPart,
                         Closing& closing, std::uint32_t& closingFrom) {
  const auto isDebris = [&](std::size_t t) { return isDebrisPart[parts.ofTriangle[t]] != 0; };
  const auto dropped = std::count(isDebrisPart.begin(), isDebrisPart.end(), 1);
  if (dropped == 0) return 0;
  std::erase_if(closing.caps, [&](const Cap& cap) { return isDebris(cap.triangle.front()); });
  std::erase_if(closing.holes, isDebris);
  std::erase_if(closing.candidates,
                [&](const OpeningCandidate& loop) { return isDebris(loop.triangle.front()); });
  std::vector<std::uint32_t> newIndex(mesh.triangle.size());
  std::uint32_t kept = 0, keptOfFile = 0;
  for (std::size_t t = 0; t < newIndex.size(); ++t) {
    newIndex[t] = kept;
    if (isDebris(t)) continue;
    ++kept;
    if (t < closingFrom) ++keptOfFile;
  }
  closingFrom = keptOfFile;
  for (Cap& cap : closing.caps)
    for (std::uint32_t& t : cap.triangle) t = newIndex[t];
  for (OpeningCandidate& loop : closing.candidates)
    for (std::uint32_t& t : loop.triangle) t = newIndex[t];
  geometry::dropTriangles(mesh, isDebris);
  parts = partsOf(mesh);
  return static_cast<std::uint64_t>(dropped);
}

// A single outlier is enough, since the welding tolerance scales with the extent.
[[noreturn]] void refuseWithoutArea(const std::string& name, double tolerance) {
  fail(ExitCode::BadInput,
       fmt::format("{} has no triangle with an area after welding corners within {}, a millionth "
                   "of its extent; look for a corner far from the others, or export it again.",
                   name, formatQuantity(tolerance, Dimension::Length)));
}

WeldedMesh weldAsRequested(const read::TriangleSoup& soup, double metresPerUnit,
                           const std::string& name, const std::optional<double>& tolerance) {
  WeldedMesh welded = weld(soup, metresPerUnit);
  if (welded.mesh.triangle.empty()) refuseWithoutArea(name, welded.tolerance);
  if (!tolerance) return welded;
  const double longest = geometry::boundsOf(welded.mesh).longest();
  if (*tolerance < welded.tolerance || *tolerance > 0.1 * longest)
    fail(ExitCode::Usage,
         fmt::format("--weld is {}, expected {} to {} for {}, whose longest side is {}.",
                     formatQuantity(*tolerance, Dimension::Length),
                     formatQuantity(welded.tolerance, Dimension::Length),
                     formatQuantity(0.1 * longest, Dimension::Length), name,
                     formatQuantity(longest, Dimension::Length)));
  welded.tolerance = *tolerance;
  return welded;
}

void examineAsRead(std::size_t triangles, const WeldedMesh& welded, const EdgeTable& edges,
                   SurfaceHealth& health) {
  health = examine(welded.mesh, edges);
  health.triangles = triangles;
  health.degenerate = welded.degenerate;
}

JoinedSurface joinWelded(WeldedMesh welded, std::size_t trianglesRead, const std::string& name) {
  EdgeTable edges = edgesOf(welded.mesh);
  SurfaceHealth asRead;
  examineAsRead(trianglesRead, welded, edges, asRead);
  const double sixDigits = std::ldexp(geometry::boundsOf(welded.mesh).longest(), -16);
  if (stitch(welded, verticesAtOverlays(welded.mesh, edges, sixDigits), sixDigits) > 0)
    edges = edgesOf(welded.mesh);
  const double tolerance = welded.tolerance;
  JoinedSurface joined = join(std::move(welded), std::move(edges));
  if (joined.mesh.triangle.empty()) refuseWithoutArea(name, tolerance);
  joined.tolerance = tolerance;
  joined.asRead = std::move(asRead);
  joined.asRead.openLoops = openLoopsOf(joined.loops);
  return joined;
}

}  // namespace

double OpeningCandidate::radius() const {
  return std::sqrt(area / std::numbers::pi);
}

JoinedSurface joinSurface(const read::TriangleSoup& soup, double metresPerUnit,
                          const std::string& name, const std::optional<double>& weld) {
  return joinWelded(weldAsRequested(soup, metresPerUnit, name, weld), soup.triangles(), name);
}

void takeSheetsOut(JoinedSurface& joined) {
  if (joined.loops.empty() && joined.twoSided.sheet.empty()) return;
  joined.sheets = takeSheets(joined.mesh, joined.twoSided);
  joined.duplicates -= joined.sheets.fromTwoSided;
  if (joined.sheets.sheet.empty()) return;
  joined.edges = edgesOf(joined.mesh);
  joined.loops = boundaryLoops(joined.mesh, joined.edges);
  for (LoopHealth& loop : joined.asRead.openLoops) {
    loop.sheet =
        std::none_of(joined.loops.begin(), joined.loops.end(), [&](const BoundaryLoop& kept) {
          return kept.perimeter == loop.perimeter && kept.vertex.size() == loop.edges &&
                 length(kept.centre - loop.centre) < 1e-6 * loop.perimeter;
        });
    loop.opening = loop.opening && !loop.sheet;
  }
}

std::vector<std::string> cutJoined(JoinedSurface& joined, const std::vector<CutPlane>& planes) {
  const CutEnds ends =
      cutAway(joined.mesh, planes, std::ldexp(geometry::boundsOf(joined.mesh).longest(), -20));
  joined.edges = edgesOf(joined.mesh);
  joined.loops = boundaryLoops(joined.mesh, joined.edges);
  markCuts(ends, planes, joined.loops);
  return ends.warnings;
}

bool isClosable(const JoinedSurface& joined, bool hasFiller) {
  const Holes holes = holesOf(joined);
  return !isLoose(joined, holes) && shareOfLeastPlanar(joined, holes) <= mostFilled(hasFiller);
}

namespace {

// Covered parts have no effect: closed ones, and open ones whose rim lies at an end or at the wall,
// or they would be sheets.
void warnAboutCovered(const Parts& parts, const OutwardTurn& outward, RepairedMesh& repaired) {
  std::vector<char> wasOpen(parts.part.size(), 0);
  for (std::size_t t = repaired.closingFrom; t < parts.ofTriangle.size(); ++t)
    wasOpen[parts.ofTriangle[t]] = 1;
  const auto open = static_cast<std::uint64_t>(
      std::count_if(outward.coveredPart.begin(), outward.coveredPart.end(),
                    [&](std::size_t part) { return wasOpen[part] != 0; }));
  if (open > 0)
    repaired.warnings.push_back(fmt::format(
        "{} open part(s) inside another one, such as a catheter or a flap, reach one of its ends: "
        "they bound nothing and have no effect; let them end before it to make them sheets, walls "
        "with fluid on both sides, or reverse their orientation to make them solid.",
        open));
  if (outward.covered > open)
    repaired.warnings.push_back(
        fmt::format("{} closed part(s) lie inside another one with the same orientation and have "
                    "no effect; reverse their orientation to make them solid.",
                    outward.covered - open));
}

}  // namespace

RepairedMesh closeJoined(JoinedSurface&& joined, const RepairRequest& request,
                         const std::string& name) {
  RepairedMesh repaired;
  repaired.tolerance = joined.tolerance;
  repaired.asRead = std::move(joined.asRead);
  repaired.sheets = std::move(joined.sheets);
  TriangleMesh& mesh = joined.mesh;
  repaired.closingFrom = static_cast<std::uint32_t>(mesh.triangle.size());
  Closing closing = closeAll(mesh, joined.loops, request.fillHole);
  repaired.edges = std::move(joined.edges);
  addEdges(mesh, repaired.closingFrom, repaired.edges);
  Parts parts;
  tbb::parallel_invoke([&] { parts = partsOf(mesh, repaired.edges); },  // serial
                       [&] { repaired.closed = examine(mesh, repaired.edges); });
  requireVolume(parts, name);
  repaired.flatParts = flatPartsOf(mesh, parts, repaired.closingFrom);
  repaired.flatParts.insert(repaired.flatParts.end(), joined.overlays.begin(),
                            joined.overlays.end());
  assignSeparateCaps(mesh, repaired.flatParts, closing.caps);
  const std::vector<char> isDebris = debrisOf(parts);
  std::string dropped;
  if (std::find(isDebris.begin(), isDebris.end(), 1) != isDebris.end())
    dropped = describeDebris(mesh, parts, isDebris, closing.caps, repaired.closingFrom);
  if (!mesh.label.empty())
    repaired.debris = debrisParts(mesh, parts, isDebris, repaired.closingFrom);
  for (const FlatPart& overlay : joined.overlays)
    repaired.debris.push_back({0.5 * overlay.area, overlay});
  const std::uint64_t debris = dropDebris(mesh, parts, isDebris, closing, repaired.closingFrom);
  const OutwardTurn outward = turnOutward(mesh, parts);
  if (debris + outward.turned > 0) {
    repaired.edges = edgesOf(mesh);
    repaired.closed = examine(mesh, repaired.edges);
  }
  if (outward.turned > 0 && repaired.asRead.winding == Winding::Consistent)
    repaired.asRead.winding =
        outward.turned == parts.part.size() ? Winding::InsideOut : Winding::Mixed;
  repaired.parts = {parts.part.size(), outward.cavities, outward.covered};
  repaired.repairs = {{"degenerate_triangles_dropped", joined.degenerate},
                      {"vertices_stitched", joined.stitched},
                      {"duplicate_triangles_dropped", joined.duplicates},
                      {"overlaid_caps_dropped", joined.overlays.size()},
                      {"triangles_turned", joined.reversed},
                      {"holes_closed", closing.holes.size()},
                      {"openings_capped", closing.caps.size()},
                      {"debris_parts_dropped", debris},
                      {"parts_turned_outward", outward.turned}};
  if (!request.cuts.empty()) dropSheetsOutside(mesh, repaired.sheets);
  if (repaired.sheets.pinholes > 0 && request.keepSheets)
    repaired.repairs.emplace_back("sheet_pinholes_closed", repaired.sheets.pinholes);
  if (!request.keepSheets)
    repaired.repairs.emplace_back("sheets_dropped",
                                  std::exchange(repaired.sheets, {}).sheet.size());
  repaired.mesh = std::move(mesh);
  repaired.caps = std::move(closing.caps);
  repaired.closedLoops = std::move(closing.candidates);
  if (!dropped.empty()) repaired.warnings.push_back(std::move(dropped));
  if (outward.cavities > 0)
    repaired.warnings.push_back(fmt::format(
        "{} closed part(s) inside another one are kept as solid bodies.", outward.cavities));
  warnAboutCovered(parts, outward, repaired);
  return repaired;
}

RepairedMesh repair(read::TriangleSoup soup, double metresPerUnit, const std::string& name,
                    const RepairRequest& request) {
  const auto weld = [&](const read::TriangleSoup& read) {
    return weldAsRequested(read, metresPerUnit, name, request.weld);
  };
  const std::size_t triangles = soup.triangles();
  WeldedMesh welded = weld(soup);
  if (request.readAgain) soup = {};
  JoinedSurface joined = joinWelded(std::move(welded), triangles, name);
  takeSheetsOut(joined);
  std::vector<std::string> warnings;
  if (!request.cuts.empty()) warnings = cutJoined(joined, request.cuts);
  const Holes holes = holesOf(joined);
  std::optional<FilledHole> filled = requireFillable(joined, holes, request, name);
  if (filled) warnings.push_back(filled->warning);
  if (isRiddled(joined, holes))
    warnings.push_back(fmt::format(
        "{} hole(s), {} of the area, were filled as wall; if a vessel ends there, open it with "
        "--open, or cut it off with --cut.",
        holes.number, percent(holes.area / surfaceArea(joined.mesh))));
  if (isLoose(joined, holes))
    refuseLoose(weld(request.readAgain ? request.readAgain() : soup), joined, name);
  RepairedMesh repaired = closeJoined(std::move(joined), request, name);
  repaired.warnings.insert(repaired.warnings.begin(), warnings.begin(), warnings.end());
  repaired.filled = std::move(filled);
  return repaired;
}

}  // namespace tessera::preprocess::surface
