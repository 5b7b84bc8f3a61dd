// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/repair/wrap_source.hpp"

#include <algorithm>
#include <utility>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/surface/openings/caps.hpp"
#include "preprocess/surface/topology/parts.hpp"

namespace tessera::preprocess::surface {

using geometry::TriangleMesh;

namespace {

// Whether a loop is a hole in a wall rather than the border of a patch: the triangles at most of
// its rim lie outside of it.
bool isHoleInWall(const TriangleMesh& mesh, const BoundaryLoop& loop) {
  if (!loop.usedOnce || !(length(loop.areaVector) > 0.0)) return false;
  double outside = 0.0;
  for (const std::uint32_t half : loop.half) {
    const Double3 &a = mesh.vertex[fromVertex(mesh, half)], &b = mesh.vertex[toVertex(mesh, half)];
    const Double3& tip = mesh.vertex[mesh.triangle[half / 3][(half % 3 + 2) % 3]];
    // The half-edge runs against the loop.
    const Double3 inward = cross(loop.areaVector, a - b);
    if (dot(tip - 0.5 * (a + b), inward) < 0.0) outside += length(b - a);
  }
  return outside > 0.75 * loop.perimeter;
}

// Cuts before wrapping where the surface permits it, else leaves them for the wrap.
void cutIfPossible(JoinedSurface& joined, const std::vector<CutPlane>& planes, Wrappable& source) {
  if (planes.empty()) return;
  JoinedSurface cut = joined;
  try {
    source.facts.warnings = cutJoined(cut, planes);
    joined = std::move(cut);
  } catch (const stage::StageError&) {
    source.cuts = planes;
  }
}

// Ends of a surface that repair() closes: by all of its caps.
Wrappable fromClosed(RepairedMesh&& closed, const std::vector<std::string>& faceName) {
  constexpr double planeTolerance = 1e-4;  // of the longest extent
  Wrappable source;
  TriangleMesh mesh = std::move(closed.mesh);
  for (Cap& cap : closed.caps)
    if (cap.face) cap.name = faceName[*cap.face];
  const FoundCaps faces = findFaceCaps(mesh, faceName);
  std::vector<Cap> caps = faces.caps;
  caps.insert(caps.end(), closed.caps.begin(), closed.caps.end());
  const FoundCaps flat =
      findUnevenCaps(mesh, planeTolerance * geometry::boundsOf(mesh).longest(), caps);
  caps.insert(caps.end(), flat.caps.begin(), flat.caps.end());
  closed.closedLoops.insert(closed.closedLoops.end(), flat.patches.begin(), flat.patches.end());
  if (closed.parts.parts > 1) dropBuriedCaps(mesh, partsOf(mesh), caps);
  source.ends = endsOfCaps(mesh, caps);
  closed.warnings.clear();
  closed.debris.clear();
  if (closed.parts.cavities > 0)
    closed.warnings.push_back(
        fmt::format("{} closed part(s) inside another one are lost: a wrap has no inner walls.",
                    closed.parts.cavities));
  closed.wrap.emplace();
  closed.wrap->volumeBefore = geometry::enclosedVolume(mesh);
  closed.wrap->endsAreKnown = true;
  std::vector<char> isCap(mesh.triangle.size(), 0);
  for (const Cap& cap : caps)
    for (const std::uint32_t t : cap.triangle) isCap[t] = 1;
  source.ofFile =
      static_cast<std::size_t>(std::count(isCap.begin(), isCap.begin() + closed.closingFrom, 0));
  geometry::dropTriangles(mesh, [&](std::size_t t) { return isCap[t] != 0; });
  source.mesh = std::move(mesh);
  source.facts = std::move(closed);
  return source;
}

// Whether an end of the list is at the same place.
bool hasEndAt(const std::vector<WrapEnd>& ends, const WrapEnd& end) {
  return std::any_of(ends.begin(), ends.end(), [&](const WrapEnd& other) {
    return length(other.centre - end.centre) < 0.5 * std::max(other.radius(), end.radius());
  });
}

// Ends of the surface welded at a tolerance, and the share of its edges along holes.
struct WeldedEnds {
  std::vector<WrapEnd> ends;
  double holes = 0.0;
};

WeldedEnds endsOfWeld(const JoinedSurface& joined) {
  std::size_t edges = 0;
  for (const BoundaryLoop& loop : joined.loops)
    if (!isOpening(loop)) edges += loop.vertex.size();
  return {endsOfLoops(joined),
          static_cast<double>(edges) / (1.5 * static_cast<double>(joined.mesh.triangle.size()))};
}

// Adds ends of unconnected triangles or with gaps in their rims: those wider than alpha of the
// surface welded at parts of alpha, where that leaves few holes and most of the area (m2); first
// those of the weld with the fewest holes.
void addEndsOfWelds(const SoupToWrap& soup, double area, Wrappable& source) {
  constexpr double leastArea = 0.8, mostHoles = 0.2;
  std::vector<WeldedEnds> welds;
  for (const double part : {0.05, 0.1, 0.2, 0.5, 1.0}) {
    if (part * soup.alpha <= source.facts.tolerance) continue;
    try {
      const JoinedSurface joined =
          joinSurface(soup.soup, soup.metresPerUnit, soup.name, part * soup.alpha);
      if (geometry::surfaceArea(joined.mesh) < leastArea * area) break;
      welds.push_back(endsOfWeld(joined));
    } catch (const stage::StageError&) {
      break;  // nothing is left at this tolerance
    }
  }
  std::stable_sort(welds.begin(), welds.end(),
                   [](const WeldedEnds& a, const WeldedEnds& b) { return a.holes < b.holes; });
  for (WeldedEnds& weld : welds)
    for (WrapEnd& end : weld.ends)
      if (weld.holes <= mostHoles && end.radius() > soup.alpha && !hasEndAt(source.ends, end))
        source.ends.push_back(std::move(end));
}

// Fills holes in walls: near-planar and small ones, or the others. Returns their number.
std::uint64_t fillHoles(const std::vector<BoundaryLoop>& loops, double area, bool others,
                        const HoleFiller& fill, Wrappable& source) {
  std::uint64_t filled = 0;
  for (const BoundaryLoop& loop : loops) {
    const bool isOther = loop.outOfPlane > 0.25 * loop.radius() && loop.fanArea > 0.1 * area;
    if (isOther != others || isOpening(loop) || !isHoleInWall(source.mesh, loop)) continue;
    closeLoop(source.mesh, loop, fill);
    ++filled;
    if (others)
      source.facts.warnings.push_back(fmt::format(
          "a hole of {} edges at ({:.4g}, {:.4g}, {:.4g}) mm, {} of the area, far from planar, was "
          "filled as wall; if the vessel ends there, cut it off with --cut.",
          loop.vertex.size(), 1e3 * loop.centre[0], 1e3 * loop.centre[1], 1e3 * loop.centre[2],
          stage::percent(loop.fanArea / area)));
  }
  return filled;
}

// Loops that might be ends: wider than alpha and compact, unlike strips and borders of triangles.
std::vector<BoundaryLoop> compactLoops(const std::vector<BoundaryLoop>& loops, double alpha) {
  std::vector<BoundaryLoop> compact;
  for (const BoundaryLoop& loop : loops)
    if (loop.radius() > alpha && !isThin(loop)) compact.push_back(loop);
  return compact;
}

// Loops that are no openings, though they resemble one.
std::vector<OpeningCandidate> closedLoopsOf(const std::vector<BoundaryLoop>& loops) {
  std::vector<OpeningCandidate> closed;
  for (const BoundaryLoop& loop : loops)
    if (!isOpening(loop) && !loop.reason.empty())
      closed.push_back({loop.centre, unit(loop.areaVector), length(loop.areaVector), loop.reason});
  return closed;
}

// Ends of triangles that repair() does not close: open loops that are openings. Holes with a rim in
// the wall are filled; large ones far from planar only if no end is found in them.
Wrappable fromOpen(JoinedSurface&& joined, const SoupToWrap& soup, const HoleFiller& fill,
                   bool isCut) {
  Wrappable source;
  source.ends = endsOfLoops(joined);
  source.ofFile = joined.mesh.triangle.size();
  source.mesh = std::move(joined.mesh);
  source.facts.tolerance = joined.tolerance;
  source.facts.asRead = std::move(joined.asRead);
  source.facts.closedLoops = closedLoopsOf(compactLoops(joined.loops, soup.alpha));
  source.facts.wrap.emplace();
  const double area = geometry::surfaceArea(source.mesh);
  const std::size_t ends = source.ends.size();
  if (!isCut) addEndsOfWelds(soup, area, source);
  std::uint64_t filled = fillHoles(joined.loops, area, false, fill, source);
  if (source.ends.size() == ends) filled += fillHoles(joined.loops, area, true, fill, source);
  source.facts.repairs = {{"degenerate_triangles_dropped", joined.degenerate},
                          {"vertices_stitched", joined.stitched},
                          {"duplicate_triangles_dropped", joined.duplicates},
                          {"triangles_turned", joined.reversed},
                          {"holes_closed", filled},
                          {"openings_capped", source.ends.size()}};
  return source;
}

// False for patches of a wall, whose borders may be planar and sharp.
bool allOpeningsAreEnds(const JoinedSurface& joined) {
  const auto openings = std::count_if(joined.loops.begin(), joined.loops.end(), isOpening);
  return endsOfLoops(joined).size() == static_cast<std::size_t>(openings);
}

}  // namespace

Wrappable prepareWrap(JoinedSurface&& joined, const SoupToWrap& soup,
                      const RepairRequest& request) {
  Wrappable cut;
  cutIfPossible(joined, request.cuts, cut);
  const bool isCut = !request.cuts.empty() && cut.cuts.empty();
  const bool isClosed =
      isClosable(joined, static_cast<bool>(request.fillHole)) && allOpeningsAreEnds(joined);
  Wrappable source =
      isClosed ? fromClosed(closeJoined(std::move(joined), request, soup.name), soup.soup.faceName)
               : fromOpen(std::move(joined), soup, request.fillHole, isCut);
  source.cuts = std::move(cut.cuts);
  source.facts.warnings.insert(source.facts.warnings.begin(), cut.facts.warnings.begin(),
                               cut.facts.warnings.end());
  return source;
}

}  // namespace tessera::preprocess::surface
