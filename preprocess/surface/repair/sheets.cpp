// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/repair/sheets.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "preprocess/geometry/concurrent_sets.hpp"
#include "preprocess/surface/repair/area_samples.hpp"
#include "preprocess/surface/topology/edge_blocks.hpp"

namespace tessera::preprocess::surface {

using geometry::TriangleMesh;

namespace {

using Triangles = std::vector<std::uint32_t>;

// Parts of a surface, by root triangle, and the parts that are open.
struct OpenParts {
  std::vector<std::uint32_t> part;  // of each triangle
  std::vector<std::uint32_t> open;  // ascending
};

// Direction from an edge into the triangle of a half-edge on it, across the edge.
Double3 awayFromEdge(const TriangleMesh& mesh, std::uint32_t half) {
  const stage::Triangle& corner = mesh.triangle[half / 3];
  const Double3& from = mesh.vertex[corner[half % 3]];
  const Double3 edge = unit(mesh.vertex[corner[(half % 3 + 1) % 3]] - from);
  const Double3 side = mesh.vertex[corner[(half % 3 + 2) % 3]] - from;
  return unit(side - dot(side, edge) * edge);
}

// Two half-edges on one edge, the lower the better they continue each other.
double bendBetween(const TriangleMesh& mesh, std::uint32_t a, std::uint32_t b) {
  const bool isTurned = runsUp(mesh, a) == runsUp(mesh, b);
  const bool isOther = !mesh.label.empty() && mesh.label[a / 3] != mesh.label[b / 3];
  return dot(awayFromEdge(mesh, a), awayFromEdge(mesh, b)) + (isTurned ? 1.0 : 0.0) +
         (isOther ? 0.5 : 0.0);
}

using Ends = std::vector<std::uint32_t>;  // half-edges on one edge

// Removes the two half-edges that continue each other best; nullopt: none do.
std::optional<std::pair<std::uint32_t, std::uint32_t>> takePair(const TriangleMesh& mesh,
                                                                Ends& ends, double worst) {
  std::optional<std::pair<std::size_t, std::size_t>> best;
  for (std::size_t b = 1; b < ends.size(); ++b)
    for (std::size_t a = 0; a < b; ++a)
      if (const double bend = bendBetween(mesh, ends[a], ends[b]); bend < worst) {
        worst = bend;
        best = {a, b};
      }
  if (!best) return std::nullopt;
  const std::pair pair{ends[best->first], ends[best->second]};
  ends.erase(ends.begin() + static_cast<std::ptrdiff_t>(best->second));
  ends.erase(ends.begin() + static_cast<std::ptrdiff_t>(best->first));
  return pair;
}

OpenParts findOpenParts(const TriangleMesh& mesh) {
  const EdgeTable edges = edgesOf(mesh);
  geometry::ConcurrentSets sets(mesh.triangle.size());
  std::array<Triangles, edgeBlocks> single;
  std::array<std::vector<Ends>, edgeBlocks> more;
  forEdgesInBlocks(edges, [&](std::size_t block, std::span<const EdgeTable::End> ends) {
    if (ends.size() == 2) return sets.join(ends[0].half / 3, ends[1].half / 3);
    if (ends.size() == 1) return single[block].push_back(ends[0].half / 3);
    Ends& halves = more[block].emplace_back();
    for (const EdgeTable::End& end : ends) halves.push_back(end.half);
  });
  Triangles atRims;
  for (const Triangles& each : single) atRims.insert(atRims.end(), each.begin(), each.end());
  std::vector<Ends> crowded;
  for (const std::vector<Ends>& each : more)
    crowded.insert(crowded.end(), each.begin(), each.end());
  constexpr std::size_t most = 16;   // triangles on an edge
  constexpr double straight = -0.7;  // within 45 degrees, of further pairs on an edge
  constexpr double anyBend = 1e300;
  for (Ends& ends : crowded) {
    if (ends.size() > most) continue;
    for (double worst = anyBend; const auto pair = takePair(mesh, ends, worst); worst = straight)
      sets.join(pair->first / 3, pair->second / 3);
    for (const std::uint32_t half : ends) atRims.push_back(half / 3);
  }
  OpenParts parts;
  parts.part.resize(mesh.triangle.size());
  for (std::uint32_t t = 0; t < parts.part.size(); ++t) parts.part[t] = sets.root(t);
  for (const std::uint32_t t : atRims) parts.open.push_back(parts.part[t]);
  std::sort(parts.open.begin(), parts.open.end());
  parts.open.erase(std::unique(parts.open.begin(), parts.open.end()), parts.open.end());
  return parts;
}

// Triangles of a mesh as a mesh of their own.
TriangleMesh meshOf(const TriangleMesh& mesh, const Triangles& triangles) {
  TriangleMesh own;
  std::unordered_map<std::uint32_t, std::uint32_t> newIndex;
  for (const std::uint32_t t : triangles) {
    stage::Triangle& corner = own.triangle.emplace_back();
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t v = mesh.triangle[t][k];
      const auto [at, isNew] = newIndex.emplace(v, static_cast<std::uint32_t>(own.vertex.size()));
      if (isNew) own.vertex.push_back(mesh.vertex[v]);
      corner[k] = at->second;
    }
    if (!mesh.label.empty()) own.label.push_back(mesh.label[t]);
  }
  return own;
}

Sheet measured(const TriangleMesh& mesh) {
  Sheet sheet;
  for (std::size_t t = 0; t < mesh.triangle.size(); ++t) {
    const double area = 0.5 * length(geometry::areaVector(mesh, t));
    sheet.area += area;
    for (const std::uint32_t v : mesh.triangle[t])
      sheet.centre = sheet.centre + (area / 3.0) * mesh.vertex[v];
  }
  if (sheet.area > 0.0) sheet.centre = (1.0 / sheet.area) * sheet.centre;
  return sheet;
}

// At most 16 triangles spread over a range.
Triangles samplesOf(std::size_t first, std::size_t end) {
  const std::size_t samples = std::min(std::size_t{16}, end - first);
  Triangles chosen;
  for (std::size_t s = 0; s < samples; ++s)
    chosen.push_back(
        static_cast<std::uint32_t>(first + (2 * s + 1) * (end - first) / (2 * samples)));
  return chosen;
}

Double3 centroidOf(const TriangleMesh& mesh, std::uint32_t t) {
  const stage::Triangle& corner = mesh.triangle[t];
  return (1.0 / 3.0) * (mesh.vertex[corner[0]] + mesh.vertex[corner[1]] + mesh.vertex[corner[2]]);
}

// A part that may contain sheets, closed by fans on first use.
class Container {
 public:
  Container(const TriangleMesh& mesh, Triangles triangles) : triangles_(std::move(triangles)) {
    bounds_ = {{1e300, 1e300, 1e300}, {-1e300, -1e300, -1e300}};
    for (const std::uint32_t t : triangles_)
      for (const std::uint32_t v : mesh.triangle[t])
        for (std::size_t a = 0; a < 3; ++a) {
          bounds_.low[a] = std::min(bounds_.low[a], mesh.vertex[v][a]);
          bounds_.high[a] = std::max(bounds_.high[a], mesh.vertex[v][a]);
        }
  }
  [[nodiscard]] const Triangles& triangles() const { return triangles_; }
  [[nodiscard]] const geometry::Bounds& bounds() const { return bounds_; }
  [[nodiscard]] bool boxContains(const Double3& point) const {
    for (std::size_t a = 0; a < 3; ++a)
      if (point[a] < bounds_.low[a] || point[a] > bounds_.high[a]) return false;
    return true;
  }
  // Whether most of another box lies in this one.
  [[nodiscard]] bool boxContains(const geometry::Bounds& other) const {
    const double slack = 0.1 * bounds_.longest();
    for (std::size_t a = 0; a < 3; ++a)
      if (other.low[a] < bounds_.low[a] - slack || other.high[a] > bounds_.high[a] + slack)
        return false;
    return true;
  }
  bool contains(const TriangleMesh& mesh, const Double3& point) {
    if (!boxContains(point)) return false;
    close(mesh);
    return std::abs(geometry::windingAround(closed_, all_, point)) > 0.5;
  }
  const std::vector<BoundaryLoop>& loops(const TriangleMesh& mesh) {
    close(mesh);
    return loops_;
  }

 private:
  void close(const TriangleMesh& mesh) {
    if (!all_.empty()) return;
    closed_ = meshOf(mesh, triangles_);
    loops_ = boundaryLoops(closed_, edgesOf(closed_));
    for (const BoundaryLoop& loop : loops_) closeLoop(closed_, loop, {});
    all_.resize(closed_.triangle.size());
    std::iota(all_.begin(), all_.end(), std::uint32_t{0});
  }

  Triangles triangles_, all_;
  geometry::Bounds bounds_{};
  TriangleMesh closed_;
  std::vector<BoundaryLoop> loops_;
};

// Closes holes with a rim of less than 1 % of the sheet's size. Returns their number.
std::size_t closePinholes(TriangleMesh& sheet) {
  const double most = 0.02 * std::numbers::pi * std::sqrt(measured(sheet).area);
  std::size_t closed = 0;
  for (const BoundaryLoop& loop : boundaryLoops(sheet, edgesOf(sheet)))
    if (loop.perimeter < most) {
      closeLoop(sheet, loop, {});
      ++closed;
    }
  return closed;
}

// Whether holes with a sharp rim make up 5 % of a part's area or more.
bool isWideOpen(const std::vector<BoundaryLoop>& loops, double area) {
  double open = 0.0;
  for (const BoundaryLoop& loop : loops)
    if (loop.sharpShare >= 0.5) open += loop.fanArea;
  return open >= 0.05 * area;
}

void addSheet(TriangleMesh&& sheet, FoundSheets& found) {
  found.pinholes += closePinholes(sheet);
  found.sheet.push_back(measured(sheet));
  found.firstTriangle.push_back(static_cast<std::uint32_t>(found.mesh.triangle.size()));
  geometry::appendMesh(found.mesh, sheet);
}

class SheetFinder {
 public:
  SheetFinder(const TriangleMesh& mesh, const OpenParts& parts) : mesh_(mesh) {
    std::unordered_map<std::uint32_t, Triangles> byPart;
    for (std::uint32_t t = 0; t < parts.part.size(); ++t) byPart[parts.part[t]].push_back(t);
    std::vector<std::uint32_t> roots;
    for (const auto& [root, triangles] : byPart) roots.push_back(root);
    std::sort(roots.begin(), roots.end());
    for (const std::uint32_t root : roots) {
      if (std::binary_search(parts.open.begin(), parts.open.end(), root))
        open_.push_back(containers_.size());
      containers_.emplace_back(mesh, std::move(byPart[root]));
    }
    longest_ = geometry::boundsOf(mesh).longest();
  }
  // Triangles of each sheet.
  std::vector<Triangles> find() {
    std::vector<Triangles> sheets;
    if (containers_.size() < 2) return sheets;
    for (const std::size_t k : open_)
      if (isSheet(k)) sheets.push_back(containers_[k].triangles());
    return sheets;
  }

 private:
  bool isSheet(std::size_t k) {
    const Container& part = containers_[k];
    if (part.bounds().longest() < 5e-3 * longest_) return false;
    around_.clear();
    for (std::size_t other = 0; other < containers_.size(); ++other)
      if (other != k && containers_[other].bounds().longest() > 5e-3 * longest_ &&
          containers_[other].boxContains(part.bounds()))
        around_.push_back(other);
    if (around_.empty()) return false;
    const TriangleMesh own = meshOf(mesh_, part.triangles());
    const Sheet sheet = measured(own);
    const double size = std::sqrt(sheet.area);
    if (size < 2e-3 * longest_) return false;
    margin_ = 0.01 * size;
    const std::vector<BoundaryLoop> loops = boundaryLoops(own, edgesOf(own));
    return isWideOpen(loops, sheet.area) && liesWithin(own) && endsWithin(loops) &&
           !isCap(sheet, loops);
  }
  bool isInside(const Double3& point) {
    return std::any_of(around_.begin(), around_.end(),
                       [&](std::size_t k) { return containers_[k].contains(mesh_, point); });
  }
  bool isInside(const Double3& point, const Double3& normal) {
    const Double3 step = margin_ * unit(normal);
    return isInside(point + step) && isInside(point - step);
  }
  bool liesWithin(const TriangleMesh& own) {
    const Triangles samples = samplesOf(0, own.triangle.size());
    const auto inside = std::count_if(samples.begin(), samples.end(), [&](std::uint32_t t) {
      return isInside(centroidOf(own, t), geometry::areaVector(own, t));
    });
    return 4 * static_cast<std::size_t>(inside) >= 3 * samples.size();
  }
  bool endsWithin(const std::vector<BoundaryLoop>& loops) {
    return std::all_of(loops.begin(), loops.end(), [&](const BoundaryLoop& loop) {
      return !isOpening(loop) || isInside(loop.centre, loop.areaVector);
    });
  }
  // Whether a part covers an open loop of the others: a disc, which fans over its loops cover once,
  // and a ring more.
  bool isCap(const Sheet& sheet, const std::vector<BoundaryLoop>& own) {
    double fans = 0.0;
    for (const BoundaryLoop& loop : own) fans += loop.fanArea;
    if (fans > 1.05 * sheet.area) return false;
    const auto covers = [&](const BoundaryLoop& loop) {
      const double area = length(loop.areaVector);
      return isOpening(loop) && length(sheet.centre - loop.centre) < 0.2 * loop.radius() &&
             sheet.area > 0.7 * area && sheet.area < 1.3 * area;
    };
    return std::any_of(around_.begin(), around_.end(), [&](std::size_t k) {
      const std::vector<BoundaryLoop>& loops = containers_[k].loops(mesh_);
      return std::any_of(loops.begin(), loops.end(), covers);
    });
  }

  const TriangleMesh& mesh_;
  std::vector<Container> containers_;    // all parts
  std::vector<std::size_t> open_;        // indices of the open ones
  std::vector<std::size_t> around_;      // indices of those that may contain the current one
  double longest_ = 0.0, margin_ = 0.0;  // m
};

}  // namespace

FoundSheets takeSheets(TriangleMesh& mesh, const DroppedDuplicates& twoSided) {
  const std::size_t single = mesh.triangle.size();
  mesh.triangle.insert(mesh.triangle.end(), twoSided.sheet.begin(), twoSided.sheet.end());
  mesh.label.insert(mesh.label.end(), twoSided.label.begin(), twoSided.label.end());
  const OpenParts parts = findOpenParts(mesh);
  FoundSheets found;
  std::vector<bool> isTaken(mesh.triangle.size(), false);
  const bool isOnePart = std::adjacent_find(parts.part.begin(), parts.part.end(),
                                            std::not_equal_to<>{}) == parts.part.end();
  if (!parts.open.empty() && !isOnePart)
    for (const Triangles& triangles : SheetFinder(mesh, parts).find()) {
      addSheet(meshOf(mesh, triangles), found);
      found.ofSurface.insert(found.ofSurface.end(), triangles.begin(), triangles.end());
      for (const std::uint32_t t : triangles) {
        isTaken[t] = true;
        found.fromTwoSided += t >= single ? 1 : 0;
      }
    }
  if (!found.sheet.empty() || mesh.triangle.size() > single)
    geometry::dropTriangles(mesh, [&](std::size_t t) { return isTaken[t] || t >= single; });
  return found;
}

namespace {

// Share of a part's area.
double shareWithin(const TriangleMesh& part, const IsWithin& isWithin) {
  const std::vector<AreaSample> samples = samplesByArea(part, part.triangle.size(), 200.0);
  const auto inside = std::count_if(samples.begin(), samples.end(), [&](const AreaSample& sample) {
    return isWithin(sample.point);
  });
  return static_cast<double>(inside) /
         static_cast<double>(std::max<std::size_t>(1, samples.size()));
}

bool isSheetWithin(const std::vector<BoundaryLoop>& loops, double area, const IsWithin& isWithin) {
  return isWideOpen(loops, area) &&
         std::all_of(loops.begin(), loops.end(), [&](const BoundaryLoop& loop) {
           return !isOpening(loop) || isWithin(loop.centre);
         });
}

// Triangles of the open parts that are known or larger than the size, in the order of their roots.
std::vector<Triangles> partsToExamine(const TriangleMesh& mesh, const InnerSearch& search) {
  const OpenParts parts = findOpenParts(mesh);
  std::unordered_map<std::uint32_t, double> area;
  for (std::uint32_t t = 0; t < parts.part.size(); ++t)
    area[parts.part[t]] += 0.5 * length(geometry::areaVector(mesh, t));
  std::unordered_map<std::uint32_t, std::size_t> index;
  for (const std::uint32_t root : parts.open)
    if (search.isKnown[root] != 0 || area[root] > search.size * search.size)
      index.emplace(root, index.size());
  std::vector<Triangles> chosen(index.size());
  for (std::uint32_t t = 0; t < parts.part.size(); ++t)
    if (const auto at = index.find(parts.part[t]); at != index.end())
      chosen[at->second].push_back(t);
  return chosen;
}

}  // namespace

InnerParts innerParts(const TriangleMesh& mesh, const InnerSearch& search) {
  InnerParts inner;
  inner.isInner.resize(mesh.triangle.size());
  inner.isSheet.resize(mesh.triangle.size());
  for (const Triangles& triangles : partsToExamine(mesh, search)) {
    TriangleMesh own = meshOf(mesh, triangles);
    const Sheet measures = measured(own);
    const bool isLarge = measures.area > search.size * search.size;
    const bool isKnown = search.isKnown[triangles.front()] != 0 && triangles.size() > 1;
    if (!isLarge && !isKnown) {
      ++inner.debris;
      continue;
    }
    const bool isHeld = isKnown && shareWithin(own, search.holds) > search.leastHeld;
    if (!isHeld && (!isLarge || shareWithin(own, search.isDeep) < 0.5)) {
      if (isKnown) inner.lost.push_back(measures);
      continue;
    }
    const std::vector<BoundaryLoop> loops = boundaryLoops(own, edgesOf(own));
    inner.loops.insert(inner.loops.end(), loops.begin(), loops.end());
    const bool isSheet = isHeld || isSheetWithin(loops, measures.area, search.isDeep);
    for (const std::uint32_t t : triangles) {
      inner.isInner[t] = 1;
      inner.isSheet[t] = isSheet ? 1 : 0;
    }
    if (isSheet) addSheet(std::move(own), inner.sheets);
  }
  return inner;
}

void dropSheetsOutside(const TriangleMesh& closed, FoundSheets& sheets) {
  Triangles all(closed.triangle.size());
  std::iota(all.begin(), all.end(), std::uint32_t{0});
  FoundSheets kept;
  kept.fromTwoSided = sheets.fromTwoSided;
  kept.pinholes = sheets.pinholes;
  for (std::size_t k = 0; k < sheets.sheet.size(); ++k) {
    const std::size_t first = sheets.firstTriangle[k];
    const std::size_t end =
        k + 1 < sheets.sheet.size() ? sheets.firstTriangle[k + 1] : sheets.mesh.triangle.size();
    const Triangles samples = samplesOf(first, end);
    if (std::none_of(samples.begin(), samples.end(), [&](std::uint32_t t) {
          return std::abs(geometry::windingAround(closed, all, centroidOf(sheets.mesh, t))) > 0.5;
        }))
      continue;
    Triangles own(end - first);
    std::iota(own.begin(), own.end(), static_cast<std::uint32_t>(first));
    kept.sheet.push_back(sheets.sheet[k]);
    kept.firstTriangle.push_back(static_cast<std::uint32_t>(kept.mesh.triangle.size()));
    geometry::appendMesh(kept.mesh, meshOf(sheets.mesh, own));
  }
  sheets = std::move(kept);
}

}  // namespace tessera::preprocess::surface
