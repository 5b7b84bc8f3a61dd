// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/repair/close_surface.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <numbers>
#include <unordered_map>

#include "pipelines/stage/text.hpp"
#include "preprocess/surface/openings/rim_turn.hpp"

namespace tessera::preprocess::surface {

using geometry::TriangleMesh;
using stage::Triangle;

namespace {

// Directed edge that is missing for the chain to close.
struct MissingEdge {
  std::uint32_t from, to, half;
  bool usedOnce;
};

std::vector<MissingEdge> missingEdges(const TriangleMesh& mesh, const EdgeTable& edges) {
  constexpr std::size_t blocks = 64;
  std::vector<std::vector<MissingEdge>> found(blocks);
  tbb::parallel_for(std::size_t{0}, blocks, [&](std::size_t b) {
    const std::size_t last = mesh.vertex.size() * (b + 1) / blocks;
    for (std::size_t v = mesh.vertex.size() * b / blocks; v < last; ++v)
      edges.forEdgesOf(static_cast<std::uint32_t>(v), [&](std::uint32_t low, std::uint32_t high,
                                                          auto ends) {
        int sum = 0;
        for (const EdgeTable::End& end : ends) sum += runsUp(mesh, end.half) ? 1 : -1;
        const auto surplus = [&](const EdgeTable::End& end) {
          return runsUp(mesh, end.half) == (sum > 0);
        };
        if (sum == 0) return;
        const auto owner = std::find_if(ends.begin(), ends.end(), surplus);
        const MissingEdge edge = sum > 0 ? MissingEdge{high, low, owner->half, ends.size() == 1}
                                         : MissingEdge{low, high, owner->half, ends.size() == 1};
        for (int i = 0; i < std::abs(sum); ++i) found[b].push_back(edge);
      });
  });
  std::vector<MissingEdge> all;
  for (const auto& part : found) all.insert(all.end(), part.begin(), part.end());
  return all;
}

// Decomposes the missing edges (in- and out-degree of every vertex are equal) into simple loops.
class LoopFinder {
 public:
  explicit LoopFinder(std::vector<MissingEdge> edges) : edges_(std::move(edges)) {
    std::sort(edges_.begin(), edges_.end(), [](const MissingEdge& a, const MissingEdge& b) {
      return a.from != b.from ? a.from < b.from : a.to < b.to;
    });
  }

  std::vector<BoundaryLoop> find() {
    used_.assign(edges_.size(), 0);
    for (std::size_t e = 0; e < edges_.size(); ++e)
      if (!used_[e]) walkFrom(e);
    return std::move(loops_);
  }

 private:
  // Follows edges back to the start and splits off a loop whenever the path meets itself.
  void walkFrom(std::size_t first) {
    std::vector<std::size_t> path;
    std::unordered_map<std::uint32_t, std::size_t> onPath;  // index by vertex
    std::size_t edge = first;
    while (true) {
      used_[edge] = 1;
      onPath[edges_[edge].from] = path.size();
      path.push_back(edge);
      const std::uint32_t at = edges_[edge].to;
      if (const auto met = onPath.find(at); met != onPath.end()) {
        const std::size_t begin = met->second;
        loops_.push_back(loopOf({path.begin() + static_cast<std::ptrdiff_t>(begin), path.end()}));
        for (std::size_t i = begin; i < path.size(); ++i) onPath.erase(edges_[path[i]].from);
        path.resize(begin);
        if (path.empty()) return;
      }
      edge = firstUnusedFrom(at);
    }
  }
  std::size_t firstUnusedFrom(std::uint32_t vertex) const {
    auto edge = static_cast<std::size_t>(
        std::lower_bound(edges_.begin(), edges_.end(), vertex,
                         [](const MissingEdge& e, std::uint32_t v) { return e.from < v; }) -
        edges_.begin());
    while (used_[edge]) ++edge;
    return edge;
  }
  BoundaryLoop loopOf(const std::vector<std::size_t>& path) const {
    BoundaryLoop loop;
    for (const std::size_t e : path) {
      loop.vertex.push_back(edges_[e].from);
      loop.half.push_back(edges_[e].half);
      loop.usedOnce = loop.usedOnce && edges_[e].usedOnce;
    }
    return loop;
  }

  std::vector<MissingEdge> edges_;
  std::vector<char> used_;
  std::vector<BoundaryLoop> loops_;
};

void measure(const TriangleMesh& mesh, BoundaryLoop& loop) {
  const std::size_t n = loop.vertex.size();
  const auto at = [&](std::size_t i) -> const Double3& { return mesh.vertex[loop.vertex[i % n]]; };
  Double3 sum{};
  for (std::size_t i = 0; i < n; ++i) {
    const double edge = length(at(i + 1) - at(i));
    sum = sum + 0.5 * edge * (at(i) + at(i + 1));
    loop.perimeter += edge;
  }
  loop.centre = loop.perimeter > 0.0 ? (1.0 / loop.perimeter) * sum : at(0);
  for (std::size_t i = 0; i < n; ++i) {
    const Double3 part = 0.5 * cross(at(i) - loop.centre, at(i + 1) - loop.centre);
    loop.areaVector = loop.areaVector + part;
    loop.fanArea += length(part);
  }
  const double area = length(loop.areaVector);
  if (area == 0.0) return;
  double sharp = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const Double3 fromCentre = at(i) - loop.centre;
    loop.outOfPlane = std::max(loop.outOfPlane, std::abs(dot(fromCentre, loop.areaVector)) / area);
    const Double3 wall = geometry::areaVector(mesh, loop.half[i] / 3);
    const double cosine = dot(wall, loop.areaVector) / (area * length(wall));
    if (cosine < std::numbers::sqrt2 / 2.0) sharp += length(at(i + 1) - at(i));
  }
  loop.sharpShare = sharp / loop.perimeter;
}

// Whether triangles over the loop's n points have the loop as their boundary.
bool closes(const std::vector<Triangle>& triangles, std::size_t n) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> directed;
  for (const Triangle& t : triangles)
    for (std::size_t c = 0; c < 3; ++c) {
      if (t[c] >= n) return false;
      directed.emplace_back(t[c], t[(c + 1) % 3]);
    }
  std::sort(directed.begin(), directed.end());
  const auto has = [&](std::uint32_t a, std::uint32_t b) {
    return std::binary_search(directed.begin(), directed.end(), std::pair{a, b});
  };
  if (std::adjacent_find(directed.begin(), directed.end()) != directed.end()) return false;
  for (std::uint32_t i = 0; i < n; ++i)
    if (!has(i, static_cast<std::uint32_t>((i + 1) % n))) return false;
  std::size_t rim = 0;
  for (const auto& [a, b] : directed) rim += has(b, a) ? 0 : 1;
  return rim == n;
}

// Labels the triangles from `first` on as the mesh's triangle on the nearest edge of the loop.
void labelLike(TriangleMesh& mesh, const BoundaryLoop& loop, std::uint32_t first) {
  const std::size_t n = loop.vertex.size();
  for (std::size_t t = first; t < mesh.triangle.size(); ++t) {
    const std::uint32_t corner = mesh.triangle[t][0];
    std::size_t edge =
        std::min(t - first, n - 1);  // loop edge that starts at the corner, as in fans
    if (loop.vertex[edge] != corner)
      edge = static_cast<std::size_t>(std::find(loop.vertex.begin(), loop.vertex.end(), corner) -
                                      loop.vertex.begin());
    mesh.label.push_back(mesh.label[loop.half[edge] / 3]);
  }
}

bool fillLoop(TriangleMesh& mesh, const BoundaryLoop& loop, const HoleFiller& fill) {
  std::vector<Double3> rim;
  for (const std::uint32_t v : loop.vertex) rim.push_back(mesh.vertex[v]);
  std::vector<Triangle> filling = fill(rim);
  if (!closes(filling, rim.size())) {
    for (Triangle& t : filling) std::swap(t[1], t[2]);
    if (!closes(filling, rim.size())) return false;
  }
  for (const Triangle& t : filling)
    mesh.triangle.push_back({loop.vertex[t[0]], loop.vertex[t[1]], loop.vertex[t[2]]});
  return true;
}

void addFan(TriangleMesh& mesh, const BoundaryLoop& loop) {
  const std::size_t n = loop.vertex.size();
  if (n == 3) {
    mesh.triangle.push_back({loop.vertex[0], loop.vertex[1], loop.vertex[2]});
    return;
  }
  const auto centre = static_cast<std::uint32_t>(mesh.vertex.size());
  mesh.vertex.push_back(loop.centre);
  for (std::size_t i = 0; i < n; ++i)
    mesh.triangle.push_back({loop.vertex[i], loop.vertex[(i + 1) % n], centre});
}

// Plane of most of a rim: refitted to the two thirds of its length that are nearest to the last
// one, so that nicks do not tilt it.
struct RobustPlane {
  RimFrame frame;
  double off = 0.0;   // m, distance within which two thirds of the length lie
  double most = 0.0;  // m, largest distance
};

RobustPlane robustPlane(const TriangleMesh& mesh, const BoundaryLoop& loop) {
  const std::size_t n = loop.vertex.size();
  const auto at = [&](std::size_t i) -> const Double3& { return mesh.vertex[loop.vertex[i % n]]; };
  const double area = length(loop.areaVector);
  RobustPlane plane{
      {loop.centre, (1.0 / area) * loop.areaVector, 2.0 * area / loop.perimeter}, 0.0, 0.0};
  std::vector<std::pair<double, std::size_t>> distance(n);
  for (int repeat = 0; repeat < 4; ++repeat) {
    double within = 0.0;
    for (std::size_t i = 0; i < n; ++i)
      distance[i] = {
          std::abs(dot(0.5 * (at(i) + at(i + 1)) - plane.frame.centre, plane.frame.normal)), i};
    std::sort(distance.begin(), distance.end());
    std::vector<char> isInlier(n, 0);
    Double3 centre{}, vector{};
    for (const auto& [off, i] : distance) {
      const double size = length(at(i + 1) - at(i));
      if (within > 2.0 / 3.0 * loop.perimeter) break;
      within += size;
      centre = centre + size * (0.5 * (at(i) + at(i + 1)));
      isInlier[i] = 1;
      plane.off = off;
    }
    plane.most = distance.back().first;
    centre = (1.0 / within) * centre;
    // Vector area of the polygon through the inliers; chords bridge the others.
    const auto sweep = [&](const Double3& from, const Double3& to) {
      vector = vector + cross(from - centre, to - centre);
    };
    const auto first =
        static_cast<std::size_t>(std::find(isInlier.begin(), isInlier.end(), 1) - isInlier.begin());
    Double3 last = at(first);
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t i = (first + k) % n;
      if (!isInlier[i]) continue;
      sweep(last, at(i));
      sweep(at(i), at(i + 1));
      last = at(i + 1);
    }
    sweep(last, at(first));
    if (!(length(vector) > 0.0)) break;
    plane.frame.centre = centre;
    plane.frame.normal = unit(vector);
  }
  return plane;
}

// First condition of an uneven end that the loop fails; empty: none.
std::string examineUneven(const TriangleMesh& mesh, const std::vector<std::uint32_t>& twin,
                          const BoundaryLoop& loop) {
  const double area = length(loop.areaVector);
  if (4.0 * std::numbers::pi * area < 0.1 * loop.perimeter * loop.perimeter)
    return "its rim is too long for its area";
  const RobustPlane plane = robustPlane(mesh, loop);
  const double radius = plane.frame.radius;
  if (plane.off > 0.15 * radius || plane.most > 0.6 * radius)
    return "its rim is too far from a plane";
  const std::size_t n = loop.vertex.size();
  std::vector<EndEdge> edges;
  for (std::size_t i = 0; i < n; ++i)
    edges.push_back(
        {mesh.vertex[loop.vertex[i]], mesh.vertex[loop.vertex[(i + 1) % n]], loop.half[i] / 3, {}});
  return describeFlatRim(
      rimTurn(mesh, twin, edges, plane.frame, [](std::uint32_t) { return false; }));
}

// Ends with rims that are saddles, nicked or noisy, or where the wall narrows or bulges.
void findUnevenEnds(const TriangleMesh& mesh, const EdgeTable& edges,
                    std::vector<BoundaryLoop>& loops) {
  constexpr std::size_t fewestVertices = 12;
  std::vector<std::uint32_t> twin;
  for (BoundaryLoop& loop : loops) {
    if (isOpening(loop) || !loop.usedOnce || !(length(loop.areaVector) > 0.0)) continue;
    if (loop.vertex.size() < fewestVertices) {
      loop.reason =
          fmt::format("its rim of {} edges is not flat and sharp all round", loop.vertex.size());
      continue;
    }
    if (twin.empty()) twin = twinsOf(mesh, edges);
    loop.reason = examineUneven(mesh, twin, loop);
    loop.turnsAway = loop.reason.empty();
  }
}

}  // namespace

double BoundaryLoop::radius() const {
  return std::sqrt(length(areaVector) / std::numbers::pi);
}

std::vector<BoundaryLoop> boundaryLoops(const TriangleMesh& mesh, const EdgeTable& edges) {
  std::vector<BoundaryLoop> loops = LoopFinder(missingEdges(mesh, edges)).find();
  for (BoundaryLoop& loop : loops) measure(mesh, loop);
  findUnevenEnds(mesh, edges, loops);
  return loops;
}

bool needsFiller(const BoundaryLoop& loop) {
  const bool farFromPlane = loop.outOfPlane > 0.1 * loop.radius();
  const bool folds = loop.fanArea > 1.02 * length(loop.areaVector);
  return loop.vertex.size() >= 4 && (farFromPlane || folds);
}

std::uint32_t closeLoop(TriangleMesh& mesh, const BoundaryLoop& loop, const HoleFiller& fill) {
  const auto first = static_cast<std::uint32_t>(mesh.triangle.size());
  if (!fill || !needsFiller(loop) || !fillLoop(mesh, loop, fill)) addFan(mesh, loop);
  if (!mesh.label.empty()) labelLike(mesh, loop, first);
  return first;
}

bool isOpening(const BoundaryLoop& loop) {
  if (loop.cut || loop.turnsAway) return true;
  // A coarse rim must be sharp all around: a few missing triangles on a ridge are not an opening.
  const double requiredShare = loop.vertex.size() < 12 ? 0.999 : 0.75;
  const double compactness =
      4.0 * std::numbers::pi * length(loop.areaVector) / (loop.perimeter * loop.perimeter);
  return loop.usedOnce && loop.vertex.size() >= 4 && compactness > 0.1 &&
         loop.outOfPlane <= 0.1 * loop.radius() && loop.sharpShare >= requiredShare;
}

}  // namespace tessera::preprocess::surface
