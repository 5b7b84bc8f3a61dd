// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/repair/wrap.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/surface/health/surface_health.hpp"
#include "preprocess/surface/repair/alpha_wrap.hpp"
#include "preprocess/surface/repair/area_samples.hpp"
#include "preprocess/surface/repair/sheets.hpp"
#include "preprocess/surface/repair/wrap_ends.hpp"
#include "preprocess/surface/repair/wrap_source.hpp"
#include "preprocess/surface/topology/parts.hpp"

namespace tessera::preprocess::surface {

using geometry::TriangleMesh;
using stage::Dimension;
using stage::ExitCode;
using stage::formatQuantity;

namespace {

// Largest number of vertices, of some hours.
constexpr double mostVertices = 5e6;
// Vertices per area in units of alpha^2, of tubes and vessels.
constexpr double verticesPerArea = 1.3;

void requireLength(const TriangleMesh& mesh, const std::string& name, double alpha) {
  const double longest = geometry::boundsOf(mesh).longest();
  const double least = std::max(
      1e-4 * longest, std::sqrt(verticesPerArea * geometry::surfaceArea(mesh) / mostVertices));
  const double most = 0.25 * longest;
  if (alpha < least || alpha > most)
    stage::fail(ExitCode::Usage,
                fmt::format("--wrap is {}, expected {} to {} for {}, whose longest side is {}.",
                            formatQuantity(alpha, Dimension::Length),
                            formatQuantity(least, Dimension::Length),
                            formatQuantity(most, Dimension::Length), name,
                            formatQuantity(longest, Dimension::Length)));
}

constexpr double samplesOfArea = 4000.0;
// Distance of the wrap from the surface at most, except where it bridges; in offsets.
constexpr double offsetsNearWrap = 3.0;

[[noreturn]] void refuseShell(const std::string& name, double alpha, double share,
                              const Double3& place) {
  stage::fail(
      ExitCode::BadInput,
      fmt::format("{}: --wrap \"{}\" enters the vessel through a gap and has {} of the wall on "
                  "both sides, as at ({:.4g}, {:.4g}, {:.4g}) mm; close the gap or the open end, "
                  "or wrap with about the radius of the widest gap, e.g. --wrap \"{}\".",
                  name, formatQuantity(alpha, Dimension::Length), stage::percent(share),
                  1e3 * place[0], 1e3 * place[1], 1e3 * place[2],
                  formatQuantity(2.0 * alpha, Dimension::Length)));
}

// Marks the samples inside the wrap. Refuses a wrap with much of the wall between its two sides.
void requireNoShell(const TriangleMesh& raw, double offset, const std::string& name,
                    std::vector<AreaSample>& samples, RepairedMesh& facts) {
  constexpr double mostShell = 0.05, shellToMention = 0.002;
  const SurfaceTree tree(raw);
  std::vector<char> sides(samples.size(), 0);
  tbb::parallel_for(std::size_t{0}, samples.size(), [&](std::size_t k) {
    AreaSample& sample = samples[k];
    const Double3 step = (3.0 * offset) * sample.normal;
    sides[k] = static_cast<char>((tree.encloses(sample.point + step) ? 1 : 0) +
                                 (tree.encloses(sample.point - step) ? 1 : 0));
    // Concave edges are bridged at less than alpha.
    sample.isEnclosed = sides[k] == 2 &&
                        length(tree.nearest(sample.point).point - sample.point) > facts.wrap->alpha;
  });
  const auto count = static_cast<double>(std::max<std::size_t>(1, samples.size()));
  const double shell = static_cast<double>(std::count(sides.begin(), sides.end(), 0)) / count;
  if (shell <= shellToMention) return;
  const auto first =
      static_cast<std::size_t>(std::find(sides.begin(), sides.end(), 0) - sides.begin());
  const double alpha = facts.wrap->alpha;
  if (shell > mostShell) refuseShell(name, alpha, shell, samples[first].point);
  facts.warnings.push_back(fmt::format(
      "the wrap has {} of the surface on both sides, as at ({:.4g}, {:.4g}, {:.4g}) mm: a sheet "
      "outside of the vessel, or a gap that it enters.",
      stage::percent(shell), 1e3 * samples[first].point[0], 1e3 * samples[first].point[1],
      1e3 * samples[first].point[2]));
}

// Removes parts that are shells round loose sheets, or tiny. Returns their number.
std::uint64_t dropShells(TriangleMesh& raw, double offset) {
  const Parts parts = partsOf(raw);
  double largest = 0.0;
  for (const Part& part : parts.part) largest = std::max(largest, part.volume);
  const auto isShell = [&](const Part& part) {
    return part.volume < 2.0 * offset * part.area || part.volume <= 1e-6 * largest;
  };
  const auto count = std::count_if(parts.part.begin(), parts.part.end(), isShell);
  if (static_cast<std::size_t>(count) < parts.part.size())
    geometry::dropTriangles(
        raw, [&](std::size_t t) { return isShell(parts.part[parts.ofTriangle[t]]); });
  return static_cast<std::uint64_t>(count);
}

// Moves the vertices onto the surface, inward by the offset; those of triangles that this would
// turn over stay.
TriangleMesh movedOnto(const SurfaceTree& tree, const TriangleMesh& raw) {
  TriangleMesh moved = raw;
  tbb::parallel_for(std::size_t{0}, raw.vertex.size(),
                    [&](std::size_t v) { moved.vertex[v] = tree.nearest(raw.vertex[v]).point; });
  constexpr int repeats = 4;
  for (int k = 0; k < repeats; ++k) {
    bool any = false;
    for (std::size_t t = 0; t < raw.triangle.size(); ++t) {
      if (dot(geometry::areaVector(moved, t), geometry::areaVector(raw, t)) >= 0.0) continue;
      any = true;
      for (const std::uint32_t v : raw.triangle[t]) moved.vertex[v] = raw.vertex[v];
    }
    if (!any) break;
  }
  return moved;
}

Double3 middleOf(const TriangleMesh& mesh, std::size_t t) {
  const stage::Triangle& c = mesh.triangle[t];
  return 1.0 / 3.0 * (mesh.vertex[c[0]] + mesh.vertex[c[1]] + mesh.vertex[c[2]]);
}

// Labels the wrap as the nearest triangles of the surface.
void labelAs(const TriangleMesh& surface, const SurfaceTree& tree, TriangleMesh& wrapped) {
  if (surface.label.empty()) return;
  wrapped.label.resize(wrapped.triangle.size());
  tbb::parallel_for(std::size_t{0}, wrapped.triangle.size(), [&](std::size_t t) {
    wrapped.label[t] = surface.label[tree.nearest(middleOf(wrapped, t)).triangle];
  });
}

// Largest distance (m) of samples that are not inside the wrap, and of the middles of its triangles
// before closingFrom.
double farthestBetween(const SurfaceTree& surface, const std::vector<AreaSample>& samples,
                       const TriangleMesh& wrapped, std::size_t closingFrom) {
  const SurfaceTree tree(wrapped);
  std::vector<double> away(samples.size() + closingFrom, 0.0);
  tbb::parallel_for(std::size_t{0}, away.size(), [&](std::size_t k) {
    const bool ofSamples = k < samples.size();
    if (ofSamples && samples[k].isEnclosed) return;
    const Double3 point = ofSamples ? samples[k].point : middleOf(wrapped, k - samples.size());
    away[k] = length((ofSamples ? tree : surface).nearest(point).point - point);
  });
  return *std::max_element(away.begin(), away.end());
}

// Number of vertices: by area, or by length where the surface is narrower than alpha, with a ring
// of ten vertices (of one needle 1768 alpha long) for each alpha.
double expectedVertices(const TriangleMesh& mesh, double alpha) {
  constexpr double ofRing = 10.0;
  return std::max(verticesPerArea * geometry::surfaceArea(mesh) / (alpha * alpha),
                  ofRing * geometry::boundsOf(mesh).longest() / alpha);
}

TriangleMesh wrapOf(const TriangleMesh& mesh, const std::string& name, const WrapFacts& facts) {
  const double expected = expectedVertices(mesh, facts.alpha);
  stage::logInfo(fmt::format("wrapping at {}, to about {:.2g} triangles",
                             formatQuantity(facts.alpha, Dimension::Length), 2.0 * expected));
  std::optional<TriangleMesh> raw = alphaWrap(
      mesh, facts.alpha, facts.offset,
      {static_cast<std::uint64_t>(expected), static_cast<std::uint64_t>(3.0 * mostVertices)});
  if (!raw || raw->triangle.empty())
    stage::fail(ExitCode::Usage,
                fmt::format("--wrap \"{}\" is too short for {}; choose a longer one.",
                            formatQuantity(facts.alpha, Dimension::Length), name));
  return std::move(*raw);
}

// Removes the candidates that are rims and holes of parts within the wrap.
void dropLoopsOf(const InnerParts& inner, RepairedMesh& facts) {
  std::erase_if(facts.closedLoops, [&](const OpeningCandidate& candidate) {
    return std::any_of(inner.loops.begin(), inner.loops.end(), [&](const BoundaryLoop& loop) {
      return length(loop.centre - candidate.centre) <
                 facts.tolerance + 1e-3 * std::sqrt(candidate.area) &&
             std::abs(length(loop.areaVector) - candidate.area) < 1e-3 * candidate.area;
    });
  });
}

// Marks the samples that lie in the wrap without effect: farther than alpha from it, or farther
// than its offset explains in an inner part or across the nearest wall, as at the root of a sheet
// that is connected to the wall. Elsewhere the wrap may bridge a concave edge.
void markLost(const SurfaceTree& tree, const InnerParts& inner, const WrapFacts& wrapped,
              double nearWrap, std::vector<AreaSample>& samples) {
  constexpr double acrossWall = 0.5;  // cosine
  tbb::parallel_for(std::size_t{0}, samples.size(), [&](std::size_t k) {
    AreaSample& sample = samples[k];
    if (inner.isSheet[sample.triangle] != 0) return;
    const Double3 away = tree.nearest(sample.point).point - sample.point;
    const double depth = length(away);
    const bool isApart = depth > wrapped.alpha || inner.isInner[sample.triangle] != 0 ||
                         std::abs(dot(away, sample.normal)) < acrossWall * depth;
    sample.isEnclosed = depth > nearWrap && isApart && tree.encloses(sample.point);
  });
}

// Beyond one of the planes.
bool isCutAway(const Double3& point, const std::vector<CutPlane>& cuts) {
  return std::any_of(cuts.begin(), cuts.end(),
                     [&](const CutPlane& cut) { return dot(point - cut.point, cut.normal) > 0.0; });
}

// Sheets of a surface that takeSheets() finds, by triangle, and whether the wrap is of the rest.
struct KnownSheets {
  std::vector<char> isKnown;
  bool areApart = false;
};

// But for those beyond the user's cuts.
void warnOfLostSheets(std::vector<Sheet> sheets, const std::vector<CutPlane>& cuts,
                      std::vector<std::string>& warnings) {
  std::erase_if(sheets, [&](const Sheet& sheet) { return isCutAway(sheet.centre, cuts); });
  if (sheets.empty()) return;
  const Sheet& largest = *std::max_element(
      sheets.begin(), sheets.end(), [](const Sheet& a, const Sheet& b) { return a.area < b.area; });
  double all = 0.0;
  for (const Sheet& sheet : sheets) all += sheet.area;
  const Double3& c = largest.centre;
  std::string text = fmt::format("the sheet of {:.4g} mm2 at ({:.4g}, {:.4g}, {:.4g}) mm",
                                 1e6 * largest.area, 1e3 * c[0], 1e3 * c[1], 1e3 * c[2]);
  if (sheets.size() > 1)
    text += fmt::format(" and {}, {:.4g} mm2 in all,",
                        stage::plural(std::uint64_t{sheets.size() - 1}, "smaller one"), 1e6 * all);
  warnings.push_back(text + (sheets.size() > 1 ? " are" : " is") +
                     " lost: the wrap does not hold it, or has it for a part of the wall.");
}

InnerParts partsInWrap(const TriangleMesh& asRead, const SurfaceTree& tree, double nearWrap,
                       double alpha, KnownSheets&& known) {
  constexpr double smallest = 2.0;  // in units of alpha
  const IsWithin isDeep = [&](const Double3& point) {
    return tree.encloses(point) && length(tree.nearest(point).point - point) > nearWrap;
  };
  InnerSearch search{smallest * alpha, isDeep, std::move(known.isKnown), isDeep, 0.5};
  if (known.areApart) {
    search.holds = [&](const Double3& point) { return tree.encloses(point); };
    search.leastHeld = 0.0;
  }
  return innerParts(asRead, search);
}

// Takes the sheets within the wrap, which they may touch, from the surface as read, and mentions
// what else is inside and lost.
void keepSheets(const TriangleMesh& asRead, KnownSheets&& known, const RepairRequest& request,
                RepairedMesh& facts) {
  constexpr double shareToMention = 0.002;  // of the area
  const SurfaceTree tree(facts.mesh);
  const double nearWrap = offsetsNearWrap * facts.wrap->offset;
  InnerParts inner = partsInWrap(asRead, tree, nearWrap, facts.wrap->alpha, std::move(known));
  dropLoopsOf(inner, facts);
  std::vector<AreaSample> samples = samplesByArea(asRead, asRead.triangle.size(), samplesOfArea);
  markLost(tree, inner, *facts.wrap, nearWrap, samples);
  facts.sheets = std::move(inner.sheets);
  const auto isLost = [](const AreaSample& sample) { return sample.isEnclosed; };
  const auto lost = std::find_if(samples.begin(), samples.end(), isLost);
  const double share = static_cast<double>(std::count_if(samples.begin(), samples.end(), isLost)) /
                       static_cast<double>(std::max<std::size_t>(1, samples.size()));
  facts.wrap->enclosedShare = share;
  if (request.keepSheets) warnOfLostSheets(inner.lost, request.cuts, facts.warnings);
  if (inner.debris > 0) facts.repairs.emplace_back("single_triangles_dropped", inner.debris);
  if (share > shareToMention)
    facts.warnings.push_back(
        fmt::format("{:.4g} mm2 of the surface ({}), as at ({:.4g}, {:.4g}, {:.4g}) mm, lie inside "
                    "the wrap and are lost: solids, inner walls, or sheets that damage joins to "
                    "the wall.",
                    1e6 * share * geometry::surfaceArea(asRead), stage::percent(share),
                    1e3 * lost->point[0], 1e3 * lost->point[1], 1e3 * lost->point[2]));
  if (request.keepSheets && facts.sheets.pinholes > 0)
    facts.repairs.emplace_back("sheet_pinholes_closed", facts.sheets.pinholes);
  std::erase_if(facts.repairs, [](const auto& repair) { return repair.first == "sheets_dropped"; });
  if (!request.keepSheets)
    facts.repairs.emplace_back("sheets_dropped", std::exchange(facts.sheets, {}).sheet.size());
}

// A wrap without ends that is much thinner than alpha is the shell of a vessel whose rough wall
// keeps requireNoShell() from seeing both sides.
void requireThickness(const TriangleMesh& raw, const Wrappable& source, const std::string& name,
                      double alpha) {
  constexpr double thickness = 0.32;  // of alpha; shells of noisy walls measured up to 0.28
  if (!source.ends.empty()) return;
  const double area = geometry::surfaceArea(source.mesh);
  const double volume = geometry::enclosedVolume(raw);
  if (volume >= thickness * alpha * area) return;
  stage::fail(
      ExitCode::BadInput,
      fmt::format("{}: --wrap \"{}\" encloses {:.4g} mm3, less than a third of that length times "
                  "the surface's area, so it is a shell round the wall and not the vessel; "
                  "repair the ends of the vessel, or choose another length.",
                  name, formatQuantity(alpha, Dimension::Length), 1e9 * volume));
}

// The surface with the triangles without thickness, of which one side is in the lists.
TriangleMesh withTwoSided(const JoinedSurface& joined) {
  TriangleMesh mesh = joined.mesh;
  const DroppedDuplicates& twoSided = joined.twoSided;
  mesh.triangle.insert(mesh.triangle.end(), twoSided.sheet.begin(), twoSided.sheet.end());
  mesh.label.insert(mesh.label.end(), twoSided.label.begin(), twoSided.label.end());
  return mesh;
}

RepairedMesh wrapSource(Wrappable&& source, const std::string& name, double alpha) {
  RepairedMesh facts = std::move(source.facts);
  WrapFacts& wrapped = *facts.wrap;
  wrapped.alpha = alpha;
  wrapped.offset = wrapOffsetShare * alpha;
  std::vector<AreaSample> samples = samplesByArea(source.mesh, source.ofFile, samplesOfArea);
  constexpr double tubeLength = 3.0;  // in units of alpha; a wrap rounds edges by about one
  extendEnds(source.ends, tubeLength * alpha, source.mesh);
  TriangleMesh raw = wrapOf(source.mesh, name, wrapped);
  facts.repairs.emplace_back("wrap_parts_dropped", dropShells(raw, wrapped.offset));
  requireNoShell(raw, wrapped.offset, name, samples, facts);
  requireThickness(raw, source, name, alpha);
  const SurfaceTree tree(source.mesh);
  TriangleMesh mesh = movedOnto(tree, raw);
  labelAs(source.mesh, tree, mesh);
  facts.caps = cutEnds(source.ends, alpha, mesh);
  wrapped.farthest = farthestBetween(tree, samples, mesh, firstOfCaps(mesh, facts.caps));
  coverCutsOfUser(source.cuts, mesh, facts.caps, facts.warnings);
  if (!source.cuts.empty()) wrapped.volumeBefore.reset();  // of the uncut surface
  facts.closingFrom = firstOfCaps(mesh, facts.caps);
  facts.parts = {partsOf(mesh).part.size(), 0, 0};
  wrapped.volume = geometry::enclosedVolume(mesh);
  wrapped.triangles = mesh.triangle.size();
  facts.edges = edgesOf(mesh);
  facts.closed = examine(mesh, facts.edges);
  facts.mesh = std::move(mesh);
  return facts;
}

// Whether nine tenths of the sheets lie in the wrap or on it, or are cut away.
bool holds(const RepairedMesh& wrapped, const TriangleMesh& sheets,
           const std::vector<CutPlane>& cuts) {
  const SurfaceTree tree(wrapped.mesh);
  const double nearWrap = offsetsNearWrap * wrapped.wrap->offset;
  const std::vector<AreaSample> samples = samplesByArea(sheets, sheets.triangle.size(), 1000.0);
  const auto held = std::count_if(samples.begin(), samples.end(), [&](const AreaSample& sample) {
    return tree.encloses(sample.point) || isCutAway(sample.point, cuts) ||
           length(tree.nearest(sample.point).point - sample.point) <= nearWrap;
  });
  return static_cast<double>(held) >= 0.9 * static_cast<double>(samples.size());
}

// Triangles in metres, to be welded again.
read::TriangleSoup looseTriangles(const TriangleMesh& mesh, std::vector<std::string> faceName) {
  read::TriangleSoup soup;
  soup.origin = read::originFor(mesh.vertex);
  for (const stage::Triangle& t : mesh.triangle)
    for (const std::uint32_t v : t)
      soup.corner.push_back(read::relativeTo(soup.origin, mesh.vertex[v]));
  soup.face.assign(mesh.label.begin(), mesh.label.end());
  soup.faceName = std::move(faceName);
  return soup;
}

// Takes the sheets out of a surface. Returns them as a mesh.
TriangleMesh takeKnownSheets(JoinedSurface& joined, KnownSheets& known) {
  known.isKnown.assign(joined.mesh.triangle.size() + joined.twoSided.sheet.size(), 0);
  takeSheetsOut(joined);
  for (const std::uint32_t t : joined.sheets.ofSurface) known.isKnown[t] = 1;
  return std::exchange(joined.sheets, {}).mesh;
}

// The wrap of a surface without its sheets, whose rims are no ends; nullopt: it has none, or what
// resembles sheets is a part of the wall, without which there is no wrap round it.
std::optional<RepairedMesh> wrapWithoutSheets(JoinedSurface joined, const SoupToWrap& whole,
                                              const RepairRequest& request, KnownSheets& known) {
  const TriangleMesh sheets = takeKnownSheets(joined, known);
  if (sheets.triangle.empty()) return std::nullopt;
  const read::TriangleSoup rest = looseTriangles(joined.mesh, whole.soup.faceName);
  const SoupToWrap soup{rest, 1.0, whole.name, whole.alpha};
  try {
    RepairedMesh wrapped =
        wrapSource(prepareWrap(std::move(joined), soup, request), soup.name, soup.alpha);
    known.areApart = holds(wrapped, sheets, request.cuts);
    if (known.areApart) return wrapped;
  } catch (const stage::StageError&) {  // tried with them next
  }
  return std::nullopt;
}

}  // namespace

RepairedMesh wrap(const read::TriangleSoup& soup, double metresPerUnit, const std::string& name,
                  const RepairRequest& request, double alpha) {
  JoinedSurface joined = joinSurface(soup, metresPerUnit, name, request.weld);
  requireLength(joined.mesh, name, alpha);
  const TriangleMesh asRead = withTwoSided(joined);
  const SoupToWrap toWrap{soup, metresPerUnit, name, alpha};
  KnownSheets known;
  std::optional<RepairedMesh> wrapped = wrapWithoutSheets(joined, toWrap, request, known);
  if (!wrapped) wrapped = wrapSource(prepareWrap(std::move(joined), toWrap, request), name, alpha);
  keepSheets(asRead, std::move(known), request, *wrapped);
  return std::move(*wrapped);
}

}  // namespace tessera::preprocess::surface
