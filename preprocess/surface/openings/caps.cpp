// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/openings/caps.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <numbers>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>

#include "pipelines/stage/text.hpp"
#include "preprocess/geometry/mesh.hpp"
#include "preprocess/surface/openings/grown_caps.hpp"
#include "preprocess/surface/openings/noise_filter.hpp"
#include "preprocess/surface/openings/opening_candidates.hpp"
#include "preprocess/surface/openings/rim_turn.hpp"

namespace tessera::preprocess::surface {

std::vector<std::uint32_t> rimOf(const std::vector<std::uint32_t>& twin,
                                 std::span<const std::uint32_t> triangles) {
  const std::unordered_set<std::uint32_t> inside(triangles.begin(), triangles.end());
  std::vector<std::uint32_t> rim;
  for (const std::uint32_t t : triangles)
    for (std::uint32_t half = 3 * t; half < 3 * t + 3; ++half)
      if (twin[half] == noHalfEdge || !inside.contains(twin[half] / 3)) rim.push_back(half);
  return rim;
}

bool isOneLoop(const geometry::TriangleMesh& mesh, const std::vector<std::uint32_t>& rim) {
  if (rim.empty()) return false;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> next;
  for (const std::uint32_t half : rim)
    next.emplace_back(fromVertex(mesh, half), toVertex(mesh, half));
  std::sort(next.begin(), next.end());
  for (std::size_t i = 1; i < next.size(); ++i)
    if (next[i].first == next[i - 1].first) return false;
  std::uint32_t at = next.front().second;
  std::size_t steps = 1;
  for (; at != next.front().first && steps <= next.size(); ++steps) {
    const auto found = std::lower_bound(next.begin(), next.end(), std::pair{at, 0U});
    if (found == next.end() || found->first != at) return false;
    at = found->second;
  }
  return steps == next.size();
}

RimShape rimShape(const geometry::TriangleMesh& mesh, const std::vector<std::uint32_t>& twin,
                  const std::vector<std::uint32_t>& rim, const Double3& normal, double cosine) {
  RimShape shape;
  for (const std::uint32_t half : rim) {
    const Double3& a = mesh.vertex[fromVertex(mesh, half)];
    const double edge = length(mesh.vertex[toVertex(mesh, half)] - a);
    shape.perimeter += edge;
    if (twin[half] == noHalfEdge) continue;
    const std::uint32_t across = twin[half];
    const std::uint32_t tip = mesh.triangle[across / 3][(across % 3 + 2) % 3];
    const Double3 here = geometry::areaVector(mesh, half / 3),
                  there = geometry::areaVector(mesh, across / 3);
    const bool turns = turnsBeyond(here, there, cosine);
    if (turns && dot(mesh.vertex[tip] - a, normal) < 0.0) shape.sharp += edge;
  }
  return shape;
}

using geometry::areaVector;

namespace {

std::string touchingWarning(std::size_t faces, const char* origin) {
  return fmt::format(
      "{} flat faces{} touch each other and are taken as walls; declare openings with --faces, "
      "e.g. --faces x-,x+, or with --open \"X,Y,Z\".",
      faces, origin);
}

constexpr double cosSharp = std::numbers::sqrt2 / 2.0;  // 45 degrees
constexpr double cosCoplanar = 0.9962;                  // 5 degrees
constexpr std::uint32_t noRegion = ~std::uint32_t{0};

struct Region {
  std::vector<std::uint32_t> triangle;
  std::vector<std::uint32_t> rim;  // half-edges of the region's triangles
  bool isCandidate = false;
  bool isKnown = false;  // already an opening
};

// Working data of the region search.
struct Faces {
  const geometry::TriangleMesh& mesh;
  std::vector<std::uint32_t> twin;
  std::vector<std::uint32_t> regionOf;  // by triangle
  double leastRadius = 0.0;             // m, of a cap

  [[nodiscard]] Double3 normal(std::uint32_t t) const { return unit(areaVector(mesh, t)); }
  // Whether the surface turns down sharply across a half-edge.
  [[nodiscard]] bool isSharp(std::uint32_t half) const {
    if (twin[half] == noHalfEdge) return false;
    const Double3 here = areaVector(mesh, half / 3);
    const Double3 there = areaVector(mesh, twin[half] / 3);
    return turnsBeyond(here, there, cosSharp);
  }
};

// Triangles with a sharp edge, largest first: only they can lie on the rim of a cap.
std::vector<std::uint32_t> seedsOf(const Faces& faces) {
  const std::size_t triangles = faces.mesh.triangle.size();
  std::vector<std::uint8_t> sharp(triangles, 0);
  tbb::parallel_for(
      tbb::blocked_range<std::uint32_t>(0, static_cast<std::uint32_t>(triangles), 1 << 12),
      [&](const tbb::blocked_range<std::uint32_t>& range) {
        for (std::uint32_t half = 3 * range.begin(); half < 3 * range.end(); ++half)
          if (faces.twin[half] != noHalfEdge && half < faces.twin[half] && faces.isSharp(half))
            for (const std::uint32_t each : {half, faces.twin[half]})
              std::atomic_ref(sharp[each / 3]).store(1, std::memory_order_relaxed);
      });
  std::vector<std::pair<double, std::uint32_t>> seeds;
  for (std::uint32_t t = 0; t < triangles; ++t)
    if (sharp[t]) seeds.emplace_back(-length(areaVector(faces.mesh, t)), t);
  std::sort(seeds.begin(), seeds.end());
  std::vector<std::uint32_t> order(seeds.size());
  std::transform(seeds.begin(), seeds.end(), order.begin(), [](const auto& s) { return s.second; });
  return order;
}

// Connected triangles in the plane of the seed.
Region growRegion(Faces& faces, std::uint32_t seed, std::uint32_t index, double tolerance) {
  const Double3 normal = faces.normal(seed);
  const Double3& onPlane = faces.mesh.vertex[faces.mesh.triangle[seed][0]];
  const auto inPlane = [&](std::uint32_t t) {
    for (const std::uint32_t v : faces.mesh.triangle[t])
      if (std::abs(dot(faces.mesh.vertex[v] - onPlane, normal)) > tolerance) return false;
    const Double3 area = areaVector(faces.mesh, t);
    return dot(area, normal) >= cosCoplanar * length(area);
  };
  Region region;
  faces.regionOf[seed] = index;
  region.triangle.push_back(seed);
  for (std::size_t i = 0; i < region.triangle.size(); ++i)
    for (std::uint32_t half = 3 * region.triangle[i]; half < 3 * region.triangle[i] + 3; ++half) {
      const std::uint32_t other = faces.twin[half] == noHalfEdge ? noRegion : faces.twin[half] / 3;
      if (other != noRegion && faces.regionOf[other] == noRegion && inPlane(other)) {
        faces.regionOf[other] = index;
        region.triangle.push_back(other);
      }
    }
  for (const std::uint32_t t : region.triangle)
    for (std::uint32_t half = 3 * t; half < 3 * t + 3; ++half)
      if (faces.twin[half] == noHalfEdge || faces.regionOf[faces.twin[half] / 3] != index)
        region.rim.push_back(half);
  return region;
}

bool looksLikeCap(const Faces& faces, const Region& region) {
  Double3 sum{};
  for (const std::uint32_t t : region.triangle) sum = sum + 0.5 * areaVector(faces.mesh, t);
  const RimShape rim = rimShape(faces.mesh, faces.twin, region.rim, unit(sum), cosSharp);
  const double compactness = 4.0 * std::numbers::pi * length(sum) / (rim.perimeter * rim.perimeter);
  return rim.sharp >= 0.75 * rim.perimeter && compactness > 0.5 &&
         length(sum) >= std::numbers::pi * faces.leastRadius * faces.leastRadius &&
         isOneLoop(faces.mesh, region.rim);
}

// Whether a region with a rim of few edges is a facet of a coarse wall: part of its rim is smooth,
// or wall lies before it.
bool isFacet(const Faces& faces, const Region& region) {
  constexpr std::size_t fewEdges = 12;
  if (region.rim.size() >= fewEdges) return false;
  const OuterLoop loop = outerLoop(faces.mesh, region.rim);
  if (std::any_of(loop.half.begin(), loop.half.end(),
                  [&](std::uint32_t half) { return faces.twin[half] == noHalfEdge; }))
    return false;
  Double3 sum{};
  for (const std::uint32_t t : region.triangle) sum = sum + 0.5 * areaVector(faces.mesh, t);
  const std::vector<EndEdge> edges = endEdges(faces.mesh, faces.twin, loop.half);
  const std::uint32_t index = faces.regionOf[region.triangle.front()];
  const RimTurn turn = rimTurn(faces.mesh, faces.twin, edges, rimFrame(edges, sum),
                               [&](std::uint32_t t) { return faces.regionOf[t] == index; });
  return turn.near < 45.0 || turn.nearLow < 15.0 || !liesBehind(turn);
}

// Whether a region with the given property lies across the rim.
bool touches(const Faces& faces, const std::vector<Region>& regions, const Region& region,
             bool Region::*property) {
  return std::any_of(region.rim.begin(), region.rim.end(), [&](std::uint32_t half) {
    if (faces.twin[half] == noHalfEdge) return false;
    const std::uint32_t other = faces.regionOf[faces.twin[half] / 3];
    return other != noRegion && regions[other].*property;
  });
}

// Regions in the planes of their seeds, those of known caps first.
std::vector<Region> flatRegions(Faces& faces, double tolerance, const std::vector<Cap>& known) {
  std::vector<Region> regions;
  for (const Cap& cap : known) {
    for (const std::uint32_t t : cap.triangle)
      faces.regionOf[t] = static_cast<std::uint32_t>(regions.size());
    regions.emplace_back().isKnown = true;
  }
  for (const std::uint32_t seed : seedsOf(faces)) {
    if (faces.regionOf[seed] != noRegion) continue;
    Region region = growRegion(faces, seed, static_cast<std::uint32_t>(regions.size()), tolerance);
    region.isCandidate = looksLikeCap(faces, region) && !isFacet(faces, region);
    regions.push_back(std::move(region));
  }
  return regions;
}

FoundCaps capsOf(const Faces& faces, const std::vector<Region>& regions) {
  FoundCaps found;
  std::size_t ambiguous = 0;
  for (const Region& region : regions) {
    if (!region.isCandidate || touches(faces, regions, region, &Region::isKnown)) continue;
    if (touches(faces, regions, region, &Region::isCandidate))
      ++ambiguous;
    else
      found.caps.push_back({region.triangle, "", CapOrigin::FlatCap});
  }
  if (ambiguous > 0) found.warnings.push_back(touchingWarning(ambiguous, ""));
  return found;
}

// Rings that touch no cap and have none of the triangles of `used`.
void addRings(const Faces& faces, const std::vector<Region>& regions, const std::vector<char>& used,
              std::vector<OpeningCandidate>& patches) {
  for (const Region& region : regions) {
    if (region.isKnown || region.isCandidate || touches(faces, regions, region, &Region::isKnown) ||
        touches(faces, regions, region, &Region::isCandidate))
      continue;
    const bool isUsed = std::any_of(region.triangle.begin(), region.triangle.end(),
                                    [&](std::uint32_t t) { return used[t] != 0; });
    const Double3 normal = faces.normal(region.triangle.front());
    if (isUsed || !isFlatRing(faces.mesh, faces.twin, region.rim, normal)) continue;
    patches.push_back(candidateOf(faces.mesh, region.triangle, "it is flat, but has a hole"));
    patches.back().hasHole = true;
  }
}

Faces facesOf(const geometry::TriangleMesh& mesh, std::vector<std::uint32_t> twin) {
  return {mesh, std::move(twin), std::vector<std::uint32_t>(mesh.triangle.size(), noRegion)};
}

}  // namespace

FoundCaps findFlatCaps(const geometry::TriangleMesh& mesh, double tolerance,
                       const std::vector<Cap>& known) {
  Faces faces = facesOf(mesh, twinsOf(mesh, edgesOf(mesh)));
  return capsOf(faces, flatRegions(faces, tolerance, known));
}

FoundCaps findUnevenCaps(const geometry::TriangleMesh& mesh, double tolerance,
                         const std::vector<Cap>& known) {
  return findUnevenCaps(mesh, edgesOf(mesh), tolerance, known);
}

FoundCaps findUnevenCaps(const geometry::TriangleMesh& mesh, EdgeTable&& edges, double tolerance,
                         const std::vector<Cap>& known) {
  std::vector<std::uint32_t> twin = twinsOf(mesh, edges);
  edges = {};
  const std::optional<geometry::TriangleMesh> filtered = withoutNoise(mesh, twin);
  Faces faces = facesOf(mesh, std::move(twin));
  if (filtered) faces.leastRadius = leastRadiusInNoise(*filtered);
  const std::vector<Region> regions = flatRegions(faces, tolerance, known);
  FoundCaps found = capsOf(faces, regions);
  std::vector<char> isTaken(mesh.triangle.size(), 0);
  for (std::uint32_t t = 0; t < isTaken.size(); ++t) {
    const std::uint32_t region = faces.regionOf[t];
    isTaken[t] = region != noRegion && (regions[region].isKnown || regions[region].isCandidate);
  }
  std::vector<GrownCap> grown = growCaps(filtered ? *filtered : mesh, faces.twin, isTaken);
  for (GrownCap& cap : grown)
    if (cap.radius < faces.leastRadius) cap.reason = "it is no larger than the surface's noise";
  const auto ends = std::count_if(grown.begin(), grown.end(),
                                  [](const GrownCap& cap) { return cap.reason.empty(); });
  // The lid of a bottle is no end of a vessel: a flow needs two.
  const bool isAlone = ends == 1 && known.empty() && found.caps.empty();
  for (GrownCap& cap : grown) {
    for (const std::uint32_t t : cap.triangle) isTaken[t] = 1;
    if (cap.reason.empty() && !isAlone)
      found.caps.push_back({std::move(cap.triangle), "", CapOrigin::FlatCap});
    else
      found.patches.push_back(candidateOf(
          mesh, cap.triangle, cap.reason.empty() ? "it would be the only opening" : cap.reason));
  }
  addRings(faces, regions, isTaken, found.patches);
  return found;
}

namespace {

constexpr double cosTurn = 0.9397;  // 20 degrees
constexpr std::uint32_t noPart = ~std::uint32_t{0};

struct FacePart {
  geometry::Patch face = 0;
  std::vector<std::uint32_t> triangle;
  std::vector<std::uint32_t> rim;
  bool isCandidate = false;
};

// Connected parts of faces, ordered by their first triangles.
struct FaceParts {
  std::vector<FacePart> part;
  std::vector<std::uint32_t> partOf;  // by triangle
};

FaceParts partsOfFaces(const geometry::TriangleMesh& mesh, const std::vector<std::uint32_t>& twin) {
  FaceParts parts;
  parts.partOf.assign(mesh.triangle.size(), noPart);
  for (std::uint32_t seed = 0; seed < mesh.triangle.size(); ++seed) {
    if (parts.partOf[seed] != noPart) continue;
    const auto index = static_cast<std::uint32_t>(parts.part.size());
    FacePart part{mesh.label[seed], {seed}, {}, false};
    parts.partOf[seed] = index;
    for (std::size_t i = 0; i < part.triangle.size(); ++i)
      for (std::uint32_t half = 3 * part.triangle[i]; half < 3 * part.triangle[i] + 3; ++half) {
        const std::uint32_t other = twin[half] == noHalfEdge ? noPart : twin[half] / 3;
        const bool within = other != noPart && mesh.label[other] == part.face;
        if (!within) part.rim.push_back(half);
        if (!within || parts.partOf[other] != noPart) continue;
        parts.partOf[other] = index;
        part.triangle.push_back(other);
      }
    parts.part.push_back(std::move(part));
  }
  return parts;
}

bool looksLikeCap(const geometry::TriangleMesh& mesh, const std::vector<std::uint32_t>& twin,
                  const FacePart& part) {
  Double3 sum{}, middle{};
  for (const std::uint32_t t : part.triangle) {
    const Double3 area = geometry::areaVector(mesh, t);
    sum = sum + 0.5 * area;
    for (const std::uint32_t v : mesh.triangle[t])
      middle = middle + (length(area) / 6.0) * mesh.vertex[v];
  }
  double size = 0.0;
  for (const std::uint32_t t : part.triangle) size += 0.5 * length(geometry::areaVector(mesh, t));
  const double area = length(sum);
  if (!(area > 0.9 * size)) return false;
  const Double3 normal = (1.0 / area) * sum;
  const Double3 centre = (1.0 / size) * middle;
  const double radius = std::sqrt(area / std::numbers::pi);
  for (const std::uint32_t t : part.triangle)
    for (const std::uint32_t v : mesh.triangle[t])
      if (std::abs(dot(mesh.vertex[v] - centre, normal)) > 0.1 * radius) return false;
  if (!isOneLoop(mesh, part.rim)) return false;
  const RimShape rim = rimShape(mesh, twin, part.rim, normal, cosTurn);
  return rim.sharp >= 0.75 * rim.perimeter &&
         4.0 * std::numbers::pi * area > 0.3 * rim.perimeter * rim.perimeter;
}

bool touchesAnother(const std::vector<std::uint32_t>& twin, const FaceParts& parts,
                    const FacePart& part) {
  return std::any_of(part.rim.begin(), part.rim.end(), [&](std::uint32_t half) {
    return twin[half] != noHalfEdge && parts.part[parts.partOf[twin[half] / 3]].isCandidate;
  });
}

// Numbered name; with a separator after a digit: face2_1 and face2_2.
std::string numbered(const std::string& name, std::size_t number) {
  const bool endsInDigit = !name.empty() && name.back() >= '0' && name.back() <= '9';
  return fmt::format("{}{}{}", name, endsInDigit ? "_" : "", number);
}

}  // namespace

FoundCaps findFaceCaps(const geometry::TriangleMesh& mesh,
                       const std::vector<std::string>& faceName) {
  FoundCaps found;
  if (faceName.empty()) return found;
  const std::vector<std::uint32_t> twin = twinsOf(mesh, edgesOf(mesh));
  FaceParts parts = partsOfFaces(mesh, twin);
  for (FacePart& part : parts.part) part.isCandidate = looksLikeCap(mesh, twin, part);
  std::map<geometry::Patch, std::vector<const FacePart*>> capsOf;
  std::size_t touching = 0;
  for (const FacePart& part : parts.part) {
    if (!part.isCandidate) continue;
    if (touchesAnother(twin, parts, part))
      ++touching;
    else
      capsOf[part.face].push_back(&part);
  }
  for (const auto& [face, list] : capsOf)
    for (std::size_t k = 0; k < list.size(); ++k)
      found.caps.push_back({list[k]->triangle,
                            list.size() > 1 ? numbered(faceName[face], k + 1) : faceName[face],
                            CapOrigin::Face});
  if (touching > 0) found.warnings.push_back(touchingWarning(touching, " of the file"));
  return found;
}

using geometry::TriangleMesh;

namespace {

// Tests whether points lie in the fluid of parts.
class Fluid {
 public:
  Fluid(const TriangleMesh& mesh, const Parts& parts)
      : mesh_(mesh), parts_(parts), triangles_(trianglesByPart(parts)) {}
  [[nodiscard]] std::uint32_t partOf(const Cap& cap) const {
    return parts_.ofTriangle[cap.triangle.front()];
  }
  // In the fluid of all parts but one; cavities subtract.
  [[nodiscard]] bool ofOthers(std::uint32_t own, const Double3& point) const {
    return contains(point, [&](std::size_t k) { return k != own; });
  }
  // In the fluid of larger parts.
  [[nodiscard]] bool ofLarger(std::uint32_t own, const Double3& point) const {
    const double volume = parts_.part[own].volume;
    return contains(point, [&](std::size_t k) {
      const double other = parts_.part[k].volume;
      return k != own && (other < 0.0 || other > volume || (other == volume && k < own));
    });
  }

 private:
  template <class Counts>
  [[nodiscard]] bool contains(const Double3& point, Counts counts) const {
    double winding = 0.0;
    for (std::size_t k = 0; k < parts_.part.size(); ++k)
      if (counts(k) && boxContains(parts_.part[k], point))
        winding += geometry::windingAround(mesh_, triangles_[k], point);
    return winding > 0.5;
  }
  [[nodiscard]] static bool boxContains(const Part& part, const Double3& point) {
    for (std::size_t c = 0; c < 3; ++c)
      if (point[c] < part.low[c] || point[c] > part.high[c]) return false;
    return true;
  }

  const TriangleMesh& mesh_;
  const Parts& parts_;
  std::vector<std::vector<std::uint32_t>> triangles_;  // of each part
};

// Points on either side of a cap, at a hundredth of a triangle's size.
struct Probe {
  Double3 within{}, beyond{};
};

Probe probeAt(const TriangleMesh& mesh, std::uint32_t t, std::size_t corner) {
  const stage::Triangle& at = mesh.triangle[t];
  const Double3 outward = geometry::areaVector(mesh, t);
  const Double3 step = (0.01 / std::sqrt(length(outward))) * outward;
  const Double3 point = 0.8 * mesh.vertex[at[corner]] + 0.1 * mesh.vertex[at[(corner + 1) % 3]] +
                        0.1 * mesh.vertex[at[(corner + 2) % 3]];  // near the rim, mostly
  return {point - step, point + step};
}

// Probes distributed over the cap.
std::vector<Probe> probesOf(const TriangleMesh& mesh, const Cap& cap) {
  constexpr std::size_t maxProbes = 12;
  const std::size_t corners = 3 * cap.triangle.size(), count = std::min(maxProbes, corners);
  std::vector<Probe> probes;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t corner = (k * corners / count + (count < corners ? k % 3 : 0)) % corners;
    const std::uint32_t t = cap.triangle[corner / 3];
    if (length(geometry::areaVector(mesh, t)) > 0.0) probes.push_back(probeAt(mesh, t, corner % 3));
  }
  return probes;
}

// Whether fluid of other parts lies beyond the cap, or fluid of a larger part within it: of two
// parts that end in one plane only one has the opening.
bool isBuried(const TriangleMesh& mesh, const Fluid& fluid, const Cap& cap) {
  const std::uint32_t own = fluid.partOf(cap);
  const std::vector<Probe> probes = probesOf(mesh, cap);
  const auto all = [&](auto contains) {
    return !probes.empty() && std::all_of(probes.begin(), probes.end(), contains);
  };
  return all([&](const Probe& p) { return fluid.ofOthers(own, p.beyond); }) ||
         all([&](const Probe& p) { return fluid.ofLarger(own, p.within); });
}

}  // namespace

std::uint64_t dropBuriedCaps(const TriangleMesh& mesh, const Parts& parts, std::vector<Cap>& caps) {
  if (parts.part.size() < 2) return 0;
  const Fluid fluid(mesh, parts);
  std::set<std::uint32_t> ends;
  std::erase_if(caps, [&](const Cap& cap) {
    if (!isBuried(mesh, fluid, cap)) return false;
    ends.insert(*std::min_element(cap.triangle.begin(), cap.triangle.end()));
    return true;
  });
  return ends.size();
}

}  // namespace tessera::preprocess::surface
