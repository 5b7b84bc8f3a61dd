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
#include "preprocess/surface/openings/rim_turn.hpp"

namespace tessera::preprocess::surface {

using geometry::TriangleMesh;

namespace {

constexpr double cosSeed = 0.9903;       // 8 degrees
constexpr double cosDomed = 0.906;       // 25 degrees
constexpr double flatness = 0.2;         // radii from the plane
constexpr std::size_t fewestEdges = 12;  // of a rim
constexpr double fewestSimilar = 5.5;    // of a rim's edges, see similarEdges()
constexpr double leastCompact = 0.15;    // 4 pi A / P^2
constexpr double longCompact = 0.5;      // below: as the flank of a coarse wall, too
constexpr double longTurn = 60.0;        // degrees, of the wall near such a rim
constexpr double nearDepth = 0.6;        // of its length, behind a face of few edges
constexpr double smallPart = 0.05;       // of the area: islands and spurs
constexpr double muchSharper = 30.0;     // degrees, of an end next to a flattened wall
constexpr std::uint32_t noGrownCap = ~std::uint32_t{0};

// Plane fitted to a region: area-weighted mean normal and centroid.
struct GrownPlane {
  Double3 areaVector{};  // m2, twice
  Double3 moment{};
  double area = 0.0;  // m2, twice the sum of the triangles

  void add(const TriangleMesh& mesh, std::uint32_t t) {
    const Double3 vector = geometry::areaVector(mesh, t);
    const double size = length(vector);
    areaVector = areaVector + vector;
    area += size;
    for (const std::uint32_t v : mesh.triangle[t]) moment = moment + (size / 3.0) * mesh.vertex[v];
  }
  [[nodiscard]] Double3 normal() const { return unit(areaVector); }
  [[nodiscard]] double radius() const {
    return std::sqrt(0.5 * length(areaVector) / std::numbers::pi);
  }
};

// The plane that accepts triangles, fixed or refitted after each.
struct AcceptingPlane {
  Double3 normal{}, centre{};
  double radius = 0.0;

  explicit AcceptingPlane(const GrownPlane& plane)
      : normal(plane.normal()), centre((1.0 / plane.area) * plane.moment), radius(plane.radius()) {}
  // cosine: of the largest angle to the plane's normal.
  [[nodiscard]] bool accepts(const TriangleMesh& mesh, std::uint32_t t, double cosine) const {
    const Double3 vector = geometry::areaVector(mesh, t);
    const double size = length(vector);
    if (dot(vector, normal) < cosine * size) return false;
    const double most = flatness * radius + 0.1 * std::sqrt(0.5 * size);
    return std::all_of(mesh.triangle[t].begin(), mesh.triangle[t].end(), [&](std::uint32_t v) {
      return std::abs(dot(mesh.vertex[v] - centre, normal)) <= most;
    });
  }
};

// Region growing with one membership mark per triangle.
class Grower {
 public:
  Grower(const TriangleMesh& mesh, const std::vector<std::uint32_t>& twin,
         const std::vector<char>& isTaken)
      : mesh_(mesh),
        twin_(twin),
        isTaken_(isTaken),
        mark_(mesh.triangle.size(), 0),
        search_(mesh.triangle.size(), 0) {}

  // Grows about the plane as it is fitted, then twice about the plane found.
  std::vector<std::uint32_t> grow(std::uint32_t seed, double cosine) {
    GrownPlane plane;
    plane.add(mesh_, seed);
    AcceptingPlane fitted(plane);
    std::vector<std::uint32_t> region = spread(seed, [&](std::uint32_t t) {
      if (!fitted.accepts(mesh_, t, cosine)) return false;
      plane.add(mesh_, t);
      fitted = AcceptingPlane(plane);
      return true;
    });
    for (int repeat = 0; repeat < 2; ++repeat) {
      if (!fitted.accepts(mesh_, seed, cosine)) break;
      std::vector<std::uint32_t> again =
          spread(seed, [&](std::uint32_t t) { return fitted.accepts(mesh_, t, cosine); });
      const bool same = again.size() == region.size();
      region = std::move(again);
      if (same) break;
      plane = {};
      for (const std::uint32_t t : region) plane.add(mesh_, t);
      fitted = AcceptingPlane(plane);
    }
    remark(region);
    return region;
  }

  // Grows about a fixed normal.
  std::vector<std::uint32_t> growAbout(std::uint32_t seed, const Double3& normal, double cosine) {
    return spread(seed, [&](std::uint32_t t) {
      const Double3 vector = geometry::areaVector(mesh_, t);
      return dot(vector, normal) >= cosine * length(vector);
    });
  }

  [[nodiscard]] bool isInside(std::uint32_t t) const { return mark_[t] == stamp_; }

  // Half-edges of the region's triangles without another of them across.
  [[nodiscard]] std::vector<std::uint32_t> rimOf(const std::vector<std::uint32_t>& region) const {
    std::vector<std::uint32_t> rim;
    for (const std::uint32_t t : region)
      for (std::uint32_t half = 3 * t; half < 3 * t + 3; ++half)
        if (!isAcross(half)) rim.push_back(half);
    return rim;
  }

  // Adds enclosed islands and removes spurs.
  void bridge(std::vector<std::uint32_t>& region) {
    double area = 0.0;
    for (const std::uint32_t t : region) area += length(geometry::areaVector(mesh_, t));
    firstSearch_ = ++lastSearch_;
    tooMany_.clear();
    for (const std::uint32_t half : rimOf(region)) addIsland(half, smallPart * area, region);
    removeSpurs(0.2 * smallPart * area, region);
  }

 private:
  [[nodiscard]] bool isAcross(std::uint32_t half) const {
    return twin_[half] != noHalfEdge && isInside(twin_[half] / 3);
  }
  void remark(const std::vector<std::uint32_t>& region) {
    ++stamp_;
    for (const std::uint32_t t : region) mark_[t] = stamp_;
  }
  template <class Accepts>
  std::vector<std::uint32_t> spread(std::uint32_t seed, Accepts accepts) {
    ++stamp_;
    std::vector<std::uint32_t> region{seed};
    mark_[seed] = stamp_;
    for (std::size_t i = 0; i < region.size(); ++i)
      for (std::uint32_t half = 3 * region[i]; half < 3 * region[i] + 3; ++half) {
        if (twin_[half] == noHalfEdge) continue;
        const std::uint32_t other = twin_[half] / 3;
        if (isInside(other) || isTaken_[other] || !accepts(other)) continue;
        mark_[other] = stamp_;
        region.push_back(other);
      }
    return region;
  }
  // Removes triangles below an area with a single neighbour in the region, four times. After the
  // first time only neighbours of removed ones can have become spurs.
  void removeSpurs(double most, std::vector<std::uint32_t>& region) {
    const std::uint32_t lostNeighbour = ++lastSearch_;
    for (int repeat = 0; repeat < 4; ++repeat) {
      const std::size_t before = region.size();
      std::erase_if(region, [&](std::uint32_t t) {
        if ((repeat > 0 && search_[t] != lostNeighbour) || !isSpur(t, most)) return false;
        mark_[t] = 0;
        for (std::uint32_t half = 3 * t; half < 3 * t + 3; ++half)
          if (isAcross(half)) search_[twin_[half] / 3] = lostNeighbour;
        return true;
      });
      if (region.size() == before) break;
    }
  }
  [[nodiscard]] bool isSpur(std::uint32_t t, double most) const {
    int inner = 0;
    for (std::uint32_t half = 3 * t; half < 3 * t + 3; ++half) inner += isAcross(half) ? 1 : 0;
    return inner == 1 && length(geometry::areaVector(mesh_, t)) < most;
  }
  // Adds what lies across a half-edge if the region encloses it and its area is at most `most`.
  void addIsland(std::uint32_t half, double most, std::vector<std::uint32_t>& region) {
    if (twin_[half] == noHalfEdge || isAcross(half)) return;
    std::vector<std::uint32_t> island;
    if (!findIsland(twin_[half] / 3, most, 16 + region.size() / 4, island)) return;
    for (const std::uint32_t t : island) {
      mark_[t] = stamp_;
      region.push_back(t);
    }
    for (const std::uint32_t t : tooMany_) search_[t] = 0;  // the region's growth raised the limit
    tooMany_.clear();
  }
  // Triangles outside of the region that are connected to the first; false if they are too many,
  // too large or not enclosed. A search that meets an earlier one about the same region fails like
  // it: both would reach the same triangles.
  bool findIsland(std::uint32_t first, double most, std::size_t limit,
                  std::vector<std::uint32_t>& island) {
    const auto hasFailed = [&](std::uint32_t t) { return search_[t] >= firstSearch_; };
    if (hasFailed(first)) return false;
    const std::uint32_t search = ++lastSearch_;
    const auto isFound = [&](std::uint32_t t) { return search_[t] == search; };
    const auto failByNumber = [&] {
      for (const std::uint32_t t : island) search_[t] = firstSearch_;
      tooMany_.insert(tooMany_.end(), island.begin(), island.end());
      return false;
    };
    island.assign(1, first);
    search_[first] = search;
    double area = 0.0;
    for (std::size_t i = 0; i < island.size(); ++i) {
      area += length(geometry::areaVector(mesh_, island[i]));
      if (area > most || isTaken_[island[i]]) return false;
      if (island.size() > limit) return failByNumber();
      for (std::uint32_t k = 3 * island[i]; k < 3 * island[i] + 3; ++k) {
        if (twin_[k] == noHalfEdge) return false;
        const std::uint32_t other = twin_[k] / 3;
        if (isInside(other) || isFound(other)) continue;
        if (hasFailed(other)) return search_[other] == firstSearch_ && failByNumber();
        search_[other] = search;
        island.push_back(other);
      }
    }
    return true;
  }

  const TriangleMesh& mesh_;
  const std::vector<std::uint32_t>& twin_;
  const std::vector<char>& isTaken_;
  std::vector<std::uint32_t> mark_;
  std::uint32_t stamp_ = 0;
  std::vector<std::uint32_t> search_;               // last search for islands that met a triangle
  std::uint32_t firstSearch_ = 0, lastSearch_ = 0;  // about the current region
  std::vector<std::uint32_t> tooMany_;  // met by searches that failed for the number of triangles
};

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

// Depth of the vessel behind a region over the length of its rim's longest chord.
double depthOverLength(const TriangleMesh& mesh, const std::vector<std::uint32_t>& region,
                       std::span<const EndEdge> edges, const RimFrame& frame) {
  double reach = 0.0;
  for (const EndEdge& edge : edges) reach = std::max(reach, length(edge.from - frame.centre));
  return depthBehind(mesh, region, frame.normal) / (2.0 * reach);
}

Examined examineRegion(const TriangleMesh& mesh, const std::vector<std::uint32_t>& twin,
                       const Grower& grower, const std::vector<std::uint32_t>& region,
                       const std::vector<char>& isTaken) {
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
  const bool nearly = nearlyTurnsAway(turn) || (isSharplyDomed(turn) && compactness > longCompact &&
                                                edges.size() >= fewestEdges);
  if (!liesBehind(turn) || !(nearly || turnsAway(turn))) return found;
  // Few long edges bound an end of a duct, or a facet; domed is an end, or a flank.
  const bool isFace = similarEdges(edges, perimeter) < fewestSimilar;
  const bool isDoubtful = isFace || isSharplyDomed(turn);
  const double depth = isDoubtful ? depthOverLength(mesh, region, edges, frame) : 0.0;
  if (isDoubtful && depth < nearDepth) return found;
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
  if (found.reason.empty() && isFace && depth < 1.0)
    found.reason = fmt::format(
        "few edges bound it, and the vessel behind it is {:.2f} times as deep as it is long, 1 is "
        "required",
        depth);
  // A corner of a coarse wall is no end.
  if (edges.size() < fewestEdges)
    found.reason = fmt::format("its rim has {} edges, {} are required", edges.size(), fewestEdges);
  found.isNear = nearly || found.reason.empty();
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
      : mesh_(mesh), twin_(twin), isTaken_(isTaken) {
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
    grown.examined = examineRegion(mesh_, twin_, grower, grown.region, isTaken_);
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
  const std::vector<char> mayTouch(isTaken.size(), 0);
  const auto examine = [&](std::vector<std::uint32_t>& region) {
    grower.bridge(region);
    return region.empty() ? Examined{} : examineRegion(mesh, twin, grower, region, mayTouch);
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
