// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/openings/grown_caps.hpp"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numbers>
#include <utility>

#include "pipelines/stage/system/parallel_for.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/surface/openings/end_depth.hpp"
#include "preprocess/surface/openings/region_grower.hpp"
#include "preprocess/surface/openings/rim_turn.hpp"

namespace tessera::preprocess::surface {

using geometry::TriangleMesh;

namespace {

constexpr double cosSeed = 0.9903;       // 8 degrees
constexpr double cosDomed = 0.906;       // 25 degrees
constexpr std::size_t fewestEdges = 12;  // of a rim
constexpr double fewestSimilar = 5.5;    // of a rim's edges, see similarEdges()
constexpr double leastCompact = 0.15;    // 4 pi A / P^2
constexpr double longCompact = 0.5;      // below: as the flank of a coarse wall, too
constexpr double longTurn = 60.0;        // degrees, of the wall near such a rim
constexpr double coarseSimilar = 8.0;    // of a rim's edges; below: as a facet of a coarse wall
constexpr std::size_t fewEdges = 16;     // of a rim; below: as some facets of a coarse bulge
constexpr double fewDomed = 10.0;        // degrees at the rim, of such a region
constexpr double fewTurn = 25.0;      // degrees, of the wall near the flattest part of such a rim
constexpr double nearDepth = 0.6;     // of its length, behind a face of few edges
constexpr double flankCompact = 0.8;  // below: as the flank of a duct; a square has 0.785
constexpr double flankDepth = 0.35;   // of its length
constexpr double muchSharper = 30.0;  // degrees, of an end next to a flattened wall
constexpr std::uint32_t noGrownCap = ~std::uint32_t{0};

// Triangles on edges of more than 8 degrees, largest first. Edges of known ends are none: an end
// must not touch them, so its seeds lie on the rest of its rim; the wall round the ends of a clean
// vessel would else be grown over in vain.
std::vector<std::uint32_t> seedsOfGrowth(const TriangleMesh& mesh,
                                         const std::vector<std::uint32_t>& twin,
                                         const std::vector<char>& isTaken) {
  const std::size_t triangles = mesh.triangle.size();
  std::vector<std::uint8_t> isSeed(triangles, 0);
  const auto mark = [&](std::uint32_t t) {
    std::atomic_ref(isSeed[t]).store(1, std::memory_order_relaxed);
  };
  tbb::parallel_for(
      tbb::blocked_range<std::uint32_t>(0, static_cast<std::uint32_t>(triangles), 1 << 12),
      [&](const tbb::blocked_range<std::uint32_t>& range) {
        for (std::uint32_t t = range.begin(); t < range.end(); ++t) {
          if (isTaken[t]) continue;
          const Double3 here = geometry::areaVector(mesh, t);
          for (std::uint32_t half = 3 * t; half < 3 * t + 3; ++half) {
            const std::uint32_t other = twin[half];
            if (other == noHalfEdge || other < half || isTaken[other / 3]) continue;
            if (!turnsBeyond(here, geometry::areaVector(mesh, other / 3), cosSeed)) continue;
            mark(t);
            mark(other / 3);
          }
        }
      });
  std::vector<std::pair<double, std::uint32_t>> found;
  for (std::uint32_t t = 0; t < triangles; ++t)
    if (isSeed[t]) {
      const double size = length(geometry::areaVector(mesh, t));
      if (size > 0.0) found.emplace_back(-size, t);
    }
  std::sort(found.begin(), found.end());
  std::vector<std::uint32_t> seeds(found.size());
  std::transform(found.begin(), found.end(), seeds.begin(),
                 [](const auto& each) { return each.second; });
  return seeds;
}

struct Examined {
  bool isNear = false;  // worth a reason
  std::string reason;
  double radius = 0.0;
  double sharpness = 0.0;  // degrees, of the flattest part of the rim
  // For growth at a point: of a region with one rim that meets no taken triangle.
  double compactness = 0.0;
  double turnLow = 0.0;  // degrees, of the wall near the flattest part of the rim
};

// Effective number of a rim's edges, P^2 over the sum of their squares (Kish 1965): that of a facet
// of a wall with long triangles is small.
double similarEdges(std::span<const EndEdge> edges, double perimeter) {
  double squares = 0.0;
  for (const EndEdge& edge : edges) squares += dot(edge.to - edge.from, edge.to - edge.from);
  return perimeter * perimeter / squares;
}

Examined examineRegion(const TriangleMesh& mesh, const std::vector<std::uint32_t>& twin,
                       const TriangleRuns& runs, const Grower& grower,
                       const std::vector<std::uint32_t>& region, const std::vector<char>& isTaken) {
  GrownPlane plane;
  for (const std::uint32_t t : region) plane.add(mesh, t);
  Examined found{false, "it is not flat", plane.radius()};
  const double area = 0.5 * length(plane.areaVector);
  if (!(length(plane.areaVector) > 0.85 * plane.area)) return found;
  const OuterLoop rim = outerLoop(mesh, grower.rimOf(region));
  if (std::any_of(rim.half.begin(), rim.half.end(),
                  [&](std::uint32_t half) { return twin[half] == noHalfEdge; }))
    return found;
  const std::vector<EndEdge> edges = endEdges(mesh, twin, rim.half);
  const double perimeter = perimeterOf(edges);
  const bool touches = std::any_of(edges.begin(), edges.end(),
                                   [&](const EndEdge& edge) { return isTaken[edge.wall] != 0; });
  const double compactness = 4.0 * std::numbers::pi * area / (perimeter * perimeter);
  if (touches || rim.share < 0.8 || compactness < 0.5 * leastCompact) return found;
  const RimFrame frame = rimFrame(edges, 0.5 * plane.areaVector);
  const RimTurn turn =
      rimTurn(mesh, twin, edges, frame, [&](std::uint32_t t) { return grower.isInside(t); });
  found.compactness = compactness;
  found.turnLow = turn.nearLow;
  // Few long edges bound an end of a duct, or a facet; domed is an end, or a flank.
  const double similar = similarEdges(edges, perimeter);
  const bool isFace = similar < fewestSimilar;
  const bool isRound = compactness > longCompact && edges.size() >= fewestEdges;
  const bool nearly = nearlyTurnsAway(turn) || (isRound && isSharplyDomed(turn)) ||
                      (isRound && !isFace && isFlatInCone(turn));
  if (!liesBehind(turn) || !(nearly || turnsAway(turn))) return found;
  const bool isDoubtful = isFace || isSharplyDomed(turn), isLong = compactness < flankCompact;
  const double depth =
      isDoubtful || isLong ? depthOverLength(mesh, runs, region, edges, frame) : 1.0;
  if (depth < (isDoubtful ? nearDepth : flankDepth)) return found;
  found.sharpness = std::max(turn.adjacentLow, turn.nearLow) - turn.inner;
  found.reason = describeFlatRim(turn);
  if (compactness < leastCompact)
    found.reason = fmt::format(
        "it is too narrow, {:.2f} of a circle's area for its rim, {} is "
        "required",
        compactness, leastCompact);
  if (found.reason.empty() && !isFace && compactness < longCompact && turn.near < longTurn)
    found.reason = fmt::format(
        "it is long, and the wall turns away from it by {:.0f} degrees, {:.0f} are required",
        turn.near, longTurn);
  // A facet that noise tilts against its neighbours; an end of few edges is crisp.
  const bool isFacet = found.reason.empty() && !isFace && edges.size() >= fewestEdges &&
                       similar < coarseSimilar && turn.near < longTurn;
  if (isFacet)
    found.reason = fmt::format(
        "few edges bound it, and the wall turns away from it by {:.0f} degrees, {:.0f} are "
        "required",
        turn.near, longTurn);
  // Some facets of a coarse bulge.
  const bool isBulge = found.reason.empty() && edges.size() < fewEdges && turn.inner > fewDomed &&
                       turn.nearLow < fewTurn;
  if (isBulge)
    found.reason = fmt::format(
        "few edges bound it, it is domed by {:.0f} degrees, and the wall turns away from it by "
        "{:.0f} on the flattest part, {:.0f} are required",
        turn.inner, turn.nearLow, fewTurn);
  if (found.reason.empty() && isFace && depth < 1.0)
    found.reason = fmt::format(
        "few edges bound it, and the vessel behind it is {:.2f} times as deep as it is long, 1 is "
        "required",
        depth);
  // A corner of a coarse wall is no end.
  if (edges.size() < fewestEdges)
    found.reason = fmt::format("its rim has {} edges, {} are required", edges.size(), fewestEdges);
  found.isNear = nearly || isFacet || isBulge || found.reason.empty();
  return found;
}

// Region about a seed, examined.
struct Grown {
  std::uint32_t seed;
  std::vector<std::uint32_t> region{};
  Examined examined{};
  [[nodiscard]] bool isEnd() const {
    return !region.empty() && examined.isNear && examined.reason.empty();
  }
};

// Growth about several seeds at a time, each independent of the others; one grower per task.
class ParallelGrowth {
 public:
  ParallelGrowth(const TriangleMesh& mesh, const std::vector<std::uint32_t>& twin,
                 const std::vector<char>& isTaken)
      : mesh_(mesh), twin_(twin), isTaken_(isTaken), runs_(mesh) {
    constexpr std::size_t mostGrowers = 4;  // of 8 bytes per triangle
    const std::size_t threads =
        tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
    for (std::size_t k = 0; k < std::clamp<std::size_t>(threads, 1, mostGrowers); ++k)
      grower_.emplace_back(mesh, twin, isTaken);
  }
  // Seeds to grow at a time: more where regions are small.
  [[nodiscard]] std::size_t batch() const { return batch_ * grower_.size(); }

  void grow(std::vector<Grown>& grown, double cosine) {
    stage::parallelFor(grower_.size(), [&](std::size_t g) {
      for (std::size_t k = g; k < grown.size(); k += grower_.size()) {
        growOne(grower_[g], grown[k], cosine);
        if (cosine > cosDomed && grown[k].isEnd()) preferDomed(grower_[g], grown[k]);
      }
    });
    std::size_t triangles = 0;
    for (const Grown& each : grown) triangles += each.region.size();
    constexpr std::size_t few = 10'000, mostPerGrower = 64;
    batch_ = triangles > few ? 1 : std::min(2 * batch_, mostPerGrower);
  }

 private:
  void growOne(Grower& grower, Grown& grown, double cosine) const {
    grown.region = grower.grow(grown.seed, cosine);
    grower.bridge(grown.region);
    grown.examined = examineRegion(mesh_, twin_, runs_, grower, grown.region, isTaken_);
  }
  // Takes the whole of a domed end instead of its middle, if its rim is the sharper one.
  void preferDomed(Grower& grower, Grown& grown) const {
    constexpr double mostArea = 1.5;  // of the middle's
    Grown whole{grown.seed};
    growOne(grower, whole, cosDomed);
    const double wider = whole.examined.radius / grown.examined.radius;
    if (whole.isEnd() && wider * wider <= mostArea &&
        whole.examined.sharpness > grown.examined.sharpness)
      grown = std::move(whole);
  }

  const TriangleMesh& mesh_;
  const std::vector<std::uint32_t>& twin_;
  const std::vector<char>& isTaken_;
  TriangleRuns runs_;
  std::vector<Grower> grower_;
  std::size_t batch_ = 1;
};

}  // namespace

std::vector<GrownCap> growCaps(const TriangleMesh& mesh, const std::vector<std::uint32_t>& twin,
                               const std::vector<char>& isTaken) {
  const std::vector<std::uint32_t> seeds = seedsOfGrowth(mesh, twin, isTaken);
  std::vector<GrownCap> ends, rejected;
  if (seeds.empty()) return ends;
  std::vector<std::uint32_t> endOf(mesh.triangle.size(), noGrownCap);
  ParallelGrowth growth(mesh, twin, isTaken);
  for (const double cosine : {0.978, cosDomed, 0.766}) {  // 12, 25 and 40 degrees
    std::vector<char> seen(mesh.triangle.size(), 0);
    const auto isDone = [&](std::uint32_t t) { return seen[t] || endOf[t] != noGrownCap; };
    for (auto seed = seeds.begin(); seed != seeds.end();) {
      std::vector<Grown> batch;
      for (; seed != seeds.end() && batch.size() < growth.batch(); ++seed)
        if (!isDone(*seed)) batch.push_back({*seed});
      growth.grow(batch, cosine);
      for (auto& [start, region, examined] : batch) {
        if (isDone(start)) continue;  // within an earlier region of the batch
        seen[start] = 1;
        for (const std::uint32_t t : region) seen[t] = 1;
        const bool overlaps = std::any_of(region.begin(), region.end(),
                                          [&](std::uint32_t t) { return endOf[t] != noGrownCap; });
        if (overlaps || region.empty() || !examined.isNear) continue;
        if (examined.reason.empty())
          for (const std::uint32_t t : region) endOf[t] = static_cast<std::uint32_t>(ends.size());
        (examined.reason.empty() ? ends : rejected)
            .push_back({std::move(region), std::move(examined.reason), examined.radius,
                        examined.sharpness});
      }
    }
  }
  for (GrownCap& cap : ends)
    for (const std::uint32_t t : cap.triangle)
      for (std::uint32_t half = 3 * t; half < 3 * t + 3; ++half) {
        if (twin[half] == noHalfEdge) continue;
        const std::uint32_t there = endOf[twin[half] / 3];
        if (there != noGrownCap && there != endOf[t] &&
            cap.sharpness < ends[there].sharpness + muchSharper)
          cap.reason = "it touches another flat face";
      }
  for (GrownCap& cap : rejected) {
    const bool isNew = std::all_of(cap.triangle.begin(), cap.triangle.end(),
                                   [&](std::uint32_t t) { return endOf[t] == noGrownCap; });
    if (!isNew) continue;
    for (const std::uint32_t t : cap.triangle) endOf[t] = static_cast<std::uint32_t>(ends.size());
    ends.push_back(std::move(cap));
  }
  return ends;
}

GrownCap growCapAt(const TriangleMesh& mesh, const std::vector<std::uint32_t>& twin,
                   const std::vector<char>& isTaken, std::span<const std::uint32_t> nearest) {
  constexpr double compactAtPoint = 0.4, leastTurn = 20.0;
  const double angles[] = {0.978, 0.906, 0.766};  // 12, 25 and 40 degrees
  Grower grower(mesh, twin, isTaken);
  const TriangleRuns runs(mesh);
  const std::vector<char> mayTouch(isTaken.size(), 0);
  const auto examine = [&](std::vector<std::uint32_t>& region) {
    grower.bridge(region);
    return region.empty() ? Examined{} : examineRegion(mesh, twin, runs, grower, region, mayTouch);
  };
  for (const double cosine : angles) {
    std::vector<std::uint32_t> region = grower.grow(nearest.front(), cosine);
    if (const Examined found = examine(region); found.isNear && found.reason.empty())
      return {std::move(region), "", found.radius};
  }
  Double3 normal{};
  for (const std::uint32_t t : nearest) normal = normal + geometry::areaVector(mesh, t);
  for (auto cosine = std::rbegin(angles); cosine != std::rend(angles); ++cosine) {
    std::vector<std::uint32_t> region = grower.growAbout(nearest.front(), unit(normal), *cosine);
    const Examined found = examine(region);
    if (found.compactness > compactAtPoint && found.turnLow > leastTurn)
      return {std::move(region), "", found.radius};
  }
  return {{}, "the surface is not flat there with a rim all round", 0.0};
}

}  // namespace tessera::preprocess::surface
