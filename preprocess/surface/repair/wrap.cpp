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

// Samples of a surface by area, in order.
struct Sample {
  Double3 point{}, normal{};
  bool isEnclosed = false;  // by the wrap, on both sides
};

std::vector<Sample> samplesOf(const TriangleMesh& mesh, std::size_t triangles) {
  constexpr double count = 4000.0;
  double area = 0.0;
  for (std::size_t t = 0; t < triangles; ++t) area += length(geometry::areaVector(mesh, t));
  std::vector<Sample> samples;
  double passed = 0.0;
  for (std::size_t t = 0; t < triangles; ++t) {
    const Double3 vector = geometry::areaVector(mesh, t);
    const double size = length(vector);
    const double next = passed + size * count / area;
    // One sample for each whole number passed, spread over the triangle.
    for (double k = std::ceil(passed); k < next; k += 1.0) {
      const double along = (k - passed) / (next - passed);
      const double other = std::fmod(0.618034 * k, 1.0);
      const double u = 1.0 - std::sqrt(1.0 - along * (1.0 - 1e-12)), v = (1.0 - u) * other;
      const stage::Triangle& c = mesh.triangle[t];
      samples.push_back(
          {(1.0 - u - v) * mesh.vertex[c[0]] + u * mesh.vertex[c[1]] + v * mesh.vertex[c[2]],
           (1.0 / size) * vector, false});
    }
    passed = next;
  }
  return samples;
}

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
                    std::vector<Sample>& samples, RepairedMesh& facts) {
  constexpr double mostShell = 0.05, shellToMention = 0.002;
  const SurfaceTree tree(raw);
  std::vector<char> sides(samples.size(), 0);
  tbb::parallel_for(std::size_t{0}, samples.size(), [&](std::size_t k) {
    Sample& sample = samples[k];
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
double farthestBetween(const SurfaceTree& surface, const std::vector<Sample>& samples,
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

TriangleMesh wrapOf(const TriangleMesh& mesh, const std::string& name, const WrapFacts& facts) {
  const double expected =
      verticesPerArea * geometry::surfaceArea(mesh) / (facts.alpha * facts.alpha);
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

// Removes the candidates that are rims and holes of the sheets.
void dropLoopsOfSheets(RepairedMesh& facts) {
  if (facts.sheets.sheet.empty()) return;
  const std::vector<BoundaryLoop> loops =
      boundaryLoops(facts.sheets.mesh, edgesOf(facts.sheets.mesh));
  std::erase_if(facts.closedLoops, [&](const OpeningCandidate& candidate) {
    return std::any_of(loops.begin(), loops.end(), [&](const BoundaryLoop& loop) {
      return length(loop.centre - candidate.centre) < facts.tolerance &&
             std::abs(length(loop.areaVector) - candidate.area) < 1e-6 * candidate.area;
    });
  });
}

// Takes the sheets within the wrap, which it does not touch, from the surface as read, and mentions
// what else is inside and lost.
void keepSheets(const TriangleMesh& asRead, bool keep, RepairedMesh& facts) {
  constexpr double shareToMention = 0.002, smallest = 2.0;  // of the area; in units of alpha
  const SurfaceTree tree(facts.mesh);
  const double alpha = facts.wrap->alpha;
  const IsWithin isWithin = [&](const Double3& point) {
    return tree.encloses(point) && length(tree.nearest(point).point - point) > alpha;
  };
  facts.sheets = sheetsWithin(asRead, smallest * alpha, isWithin);
  std::vector<Sample> samples = samplesOf(asRead, asRead.triangle.size());
  dropLoopsOfSheets(facts);
  std::optional<SurfaceTree> sheets;
  if (!facts.sheets.sheet.empty()) sheets.emplace(facts.sheets.mesh);
  tbb::parallel_for(std::size_t{0}, samples.size(), [&](std::size_t k) {
    const Double3& point = samples[k].point;
    samples[k].isEnclosed =
        isWithin(point) &&
        !(sheets && length(sheets->nearest(point).point - point) < facts.tolerance);
  });
  const auto lost = std::find_if(samples.begin(), samples.end(),
                                 [](const Sample& sample) { return sample.isEnclosed; });
  const auto count = std::count_if(samples.begin(), samples.end(),
                                   [](const Sample& sample) { return sample.isEnclosed; });
  const double share =
      static_cast<double>(count) / static_cast<double>(std::max<std::size_t>(1, samples.size()));
  facts.wrap->enclosedShare = share;
  if (share > shareToMention)
    facts.warnings.push_back(
        fmt::format("{:.4g} mm2 of the surface ({}), as at ({:.4g}, {:.4g}, {:.4g}) mm, lie inside "
                    "the wrap and "
                    "have no effect: solids, inner walls and sheets smaller than {} are lost.",
                    1e6 * share * geometry::surfaceArea(asRead), stage::percent(share),
                    1e3 * lost->point[0], 1e3 * lost->point[1], 1e3 * lost->point[2],
                    formatQuantity(smallest * alpha, Dimension::Length)));
  if (keep && facts.sheets.pinholes > 0)
    facts.repairs.emplace_back("sheet_pinholes_closed", facts.sheets.pinholes);
  if (!keep)
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
  std::vector<Sample> samples = samplesOf(source.mesh, source.ofFile);
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

}  // namespace

RepairedMesh wrap(const read::TriangleSoup& soup, double metresPerUnit, const std::string& name,
                  const RepairRequest& request, double alpha) {
  JoinedSurface joined = joinSurface(soup, metresPerUnit, name, request.weld);
  requireLength(joined.mesh, name, alpha);
  const TriangleMesh asRead = withTwoSided(joined);
  RepairedMesh wrapped = wrapSource(
      prepareWrap(std::move(joined), {soup, metresPerUnit, name, alpha}, request), name, alpha);
  keepSheets(asRead, request.keepSheets, wrapped);
  return wrapped;
}

}  // namespace tessera::preprocess::surface
