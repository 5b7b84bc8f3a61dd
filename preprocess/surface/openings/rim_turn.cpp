// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/openings/rim_turn.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "pipelines/stage/text.hpp"

namespace tessera::preprocess::surface {

using geometry::TriangleMesh;

namespace {

double lengthOf(const TriangleMesh& mesh, std::uint32_t half) {
  return length(mesh.vertex[toVertex(mesh, half)] - mesh.vertex[fromVertex(mesh, half)]);
}

// Sums over one arc of a rim.
struct Arc {
  Double3 inner{}, adjacent{}, near{}, far{};
  double farArea = 0.0, farHeight = 0.0;
};

double degreesBetween(const Double3& a, const Double3& unitNormal) {
  const double size = length(a);
  if (!(size > 0.0)) return 0.0;
  return 180.0 / std::numbers::pi * std::acos(std::clamp(dot(a, unitNormal) / size, -1.0, 1.0));
}

double quantile(std::vector<double> values, double part) {
  if (values.empty()) return 0.0;
  const auto at = static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

struct Reached {
  std::uint32_t triangle = 0;
  std::size_t arc = 0;
  Double3 from{}, to{};  // edge of the rim
  bool adjacent = false;
};

double distanceTo(const Reached& at, const Double3& point) {
  const Double3 along = at.to - at.from;
  const double squared = dot(along, along);
  const double t =
      squared > 0.0 ? std::clamp(dot(point - at.from, along) / squared, 0.0, 1.0) : 0.0;
  return length(point - at.from - t * along);
}

// Wall of one triangle; one that is longer than the reach is bisected (Rivara 1984) to pieces of
// half a radius, so that only its part near the rim counts.
class WallPieces {
 public:
  WallPieces(const Reached& at, const RimFrame& frame, Arc& arc)
      : at_(at), frame_(frame), arc_(arc) {}

  // Returns whether the search continues beyond the triangle.
  bool add(const std::array<Double3, 3>& corner) {
    addPart(corner, 0);
    if (at_.adjacent && !isNear_)
      arc_.near = arc_.near + cross(corner[1] - corner[0], corner[2] - corner[0]);
    return at_.adjacent || isWithin_;
  }

 private:
  static constexpr double within = 1.5, nearest = 0.3, past = 0.75, piece = 0.5;  // radii
  static constexpr int mostBisections = 40;

  void addPart(const std::array<Double3, 3>& corner, int bisections) {
    const Double3 middle = 1.0 / 3.0 * (corner[0] + corner[1] + corner[2]);
    const double distance = distanceTo(at_, middle);
    double reach = 0.0, size = 0.0;
    std::size_t side = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      reach = std::max(reach, length(corner[k] - middle));
      const double edge = length(corner[(k + 1) % 3] - corner[k]);
      if (edge > size) side = k;
      size = std::max(size, edge);
    }
    if (distance - reach > within * frame_.radius) return;
    const double longest = bisections == 0 ? within : piece;
    if (size > longest * frame_.radius && bisections < mostBisections) {
      const Double3& apex = corner[(side + 2) % 3];
      const Double3 split = 0.5 * (corner[side] + corner[(side + 1) % 3]);
      addPart({corner[side], split, apex}, bisections + 1);
      addPart({split, corner[(side + 1) % 3], apex}, bisections + 1);
    } else {
      addPiece(corner, middle, distance, bisections == 0);
    }
  }
  void addPiece(const std::array<Double3, 3>& corner, const Double3& middle, double distance,
                bool isWhole) {
    const Double3 area = cross(corner[1] - corner[0], corner[2] - corner[0]);
    const bool counts = at_.adjacent && isWhole;
    isWithin_ = isWithin_ || distance <= within * frame_.radius;
    if (counts || distance <= nearest * frame_.radius) {
      arc_.near = arc_.near + area;
      isNear_ = true;
    }
    const double reach = std::max(
        {distanceTo(at_, corner[0]), distanceTo(at_, corner[1]), distanceTo(at_, corner[2])});
    if (reach < past * frame_.radius || !(counts || distance <= within * frame_.radius)) return;
    arc_.far = arc_.far + area;
    arc_.farArea += length(area);
    arc_.farHeight += length(area) * dot(middle - frame_.centre, frame_.normal);
  }

  const Reached& at_;
  const RimFrame& frame_;
  Arc& arc_;
  bool isNear_ = false, isWithin_ = false;
};

// Breadth-first search over the wall, each triangle assigned to the arc it is reached from.
void walkWall(const TriangleMesh& mesh, const std::vector<std::uint32_t>& twin,
              std::vector<Reached> queue, const RimFrame& frame,
              const std::function<bool(std::uint32_t)>& isEnd, std::vector<Arc>& arcs) {
  std::unordered_set<std::uint32_t> seen;
  for (const Reached& start : queue) seen.insert(start.triangle);
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const Reached at = queue[i];
    const stage::Triangle& corner = mesh.triangle[at.triangle];
    if (!WallPieces(at, frame, arcs[at.arc])
             .add({mesh.vertex[corner[0]], mesh.vertex[corner[1]], mesh.vertex[corner[2]]}))
      continue;
    for (std::uint32_t half = 3 * at.triangle; half < 3 * at.triangle + 3; ++half) {
      if (twin[half] == noHalfEdge) continue;
      const std::uint32_t other = twin[half] / 3;
      if (!isEnd(other) && seen.insert(other).second)
        queue.push_back({other, at.arc, at.from, at.to, false});
    }
  }
}

RimTurn summaryOf(const std::vector<Arc>& arcs, const RimFrame& frame) {
  std::vector<double> inner, adjacent, near, far, depth;
  for (const Arc& arc : arcs) {
    inner.push_back(degreesBetween(arc.inner, frame.normal));
    adjacent.push_back(degreesBetween(arc.adjacent, frame.normal));
    near.push_back(degreesBetween(arc.near, frame.normal));
    if (!(arc.farArea > 0.0)) continue;
    far.push_back(degreesBetween(arc.far, frame.normal));
    depth.push_back(arc.farHeight / arc.farArea / frame.radius);
  }
  constexpr double low = 0.15;
  RimTurn turn{quantile(inner, 0.5),
               quantile(adjacent, 0.5),
               quantile(adjacent, low),
               quantile(near, 0.5),
               quantile(near, low),
               0.0,
               0.0,
               0.0};
  if (2 * far.size() < arcs.size()) return turn;  // no wall to speak of
  turn.far = quantile(far, 0.5);
  turn.depth = quantile(depth, 0.5);
  turn.depthHigh = quantile(depth, 1.0 - low);
  return turn;
}

}  // namespace

OuterLoop outerLoop(const TriangleMesh& mesh, std::span<const std::uint32_t> rim) {
  std::unordered_multimap<std::uint32_t, std::uint32_t> from;
  double all = 0.0;
  for (const std::uint32_t half : rim) {
    from.emplace(fromVertex(mesh, half), half);
    all += lengthOf(mesh, half);
  }
  OuterLoop outer;
  double longest = 0.0;
  for (const std::uint32_t first : rim) {
    std::vector<std::uint32_t> path;
    std::unordered_map<std::uint32_t, std::size_t> onPath;  // index by vertex
    for (auto next = from.find(fromVertex(mesh, first)); next != from.end();) {
      onPath[next->first] = path.size();
      path.push_back(next->second);
      from.erase(next);
      const std::uint32_t at = toVertex(mesh, path.back());
      if (const auto met = onPath.find(at); met != onPath.end()) {
        const auto begin = path.begin() + static_cast<std::ptrdiff_t>(met->second);
        double size = 0.0;
        for (auto half = begin; half != path.end(); ++half) size += lengthOf(mesh, *half);
        if (size > longest) {
          longest = size;
          outer.half.assign(begin, path.end());
        }
        for (auto half = begin; half != path.end(); ++half) onPath.erase(fromVertex(mesh, *half));
        path.erase(begin, path.end());
      }
      next = from.find(at);
    }
  }
  outer.share = all > 0.0 ? longest / all : 0.0;
  return outer;
}

std::vector<EndEdge> endEdges(const TriangleMesh& mesh, const std::vector<std::uint32_t>& twin,
                              std::span<const std::uint32_t> loop) {
  std::vector<EndEdge> edges;
  for (const std::uint32_t half : loop)
    edges.push_back({mesh.vertex[fromVertex(mesh, half)], mesh.vertex[toVertex(mesh, half)],
                     twin[half] / 3, geometry::areaVector(mesh, half / 3)});
  return edges;
}

double perimeterOf(std::span<const EndEdge> edges) {
  double perimeter = 0.0;
  for (const EndEdge& edge : edges) perimeter += length(edge.to - edge.from);
  return perimeter;
}

RimFrame rimFrame(std::span<const EndEdge> edges, const Double3& areaVector) {
  const double perimeter = perimeterOf(edges);
  Double3 centre{};
  for (const EndEdge& edge : edges)
    centre = centre + (0.5 * length(edge.to - edge.from)) * (edge.from + edge.to);
  return {(1.0 / perimeter) * centre, unit(areaVector), 2.0 * length(areaVector) / perimeter};
}

RimTurn rimTurn(const TriangleMesh& mesh, const std::vector<std::uint32_t>& twin,
                std::span<const EndEdge> edges, const RimFrame& frame,
                const std::function<bool(std::uint32_t)>& isEnd) {
  constexpr std::size_t mostArcs = 24;
  const double perimeter = perimeterOf(edges);
  double along = 0.0;
  std::vector<Arc> arcs(std::min(mostArcs, edges.size()));
  std::vector<Reached> start;
  std::vector<char> used(arcs.size(), 0);
  std::unordered_set<std::uint32_t> seen;
  for (const EndEdge& edge : edges) {
    const double size = length(edge.to - edge.from);
    const double share = perimeter > 0.0 ? (along + 0.5 * size) / perimeter : 0.0;
    along += size;
    const std::size_t k = std::min(
        arcs.size() - 1, static_cast<std::size_t>(share * static_cast<double>(arcs.size())));
    const Double3 wall = geometry::areaVector(mesh, edge.wall);
    used[k] = 1;
    if (length(edge.inner) > 0.0)
      arcs[k].inner = arcs[k].inner + (size / length(edge.inner)) * edge.inner;
    if (length(wall) > 0.0) arcs[k].adjacent = arcs[k].adjacent + (size / length(wall)) * wall;
    if (seen.insert(edge.wall).second) start.push_back({edge.wall, k, edge.from, edge.to, true});
  }
  walkWall(mesh, twin, std::move(start), frame, isEnd, arcs);
  std::size_t kept = 0;
  for (std::size_t k = 0; k < arcs.size(); ++k)
    if (used[k]) arcs[kept++] = arcs[k];
  arcs.resize(kept);
  return summaryOf(arcs, frame);
}

namespace {

constexpr double mostDomed = 20.0;  // degrees at the rim; a paraboloid of 15 % of the radius has 17

bool turnsPastFillet(const RimTurn& turn) {
  return turn.near >= 45.0 && turn.nearLow >= 25.0 && turn.far >= 45.0 && turn.inner <= mostDomed &&
         turn.near >= turn.inner + 40.0;
}

// Noise turns single triangles; a part of a dome has the dome's slope on part of its rim.
bool turnsCrisply(const RimTurn& turn) {
  return turn.adjacent >= 22.0 && turn.adjacentLow >= 15.0 && turn.near >= 22.0 &&
         turn.nearLow >= std::max(15.0, 0.4 * turn.near) && turn.far >= 60.0 &&
         turn.inner <= 0.35 * turn.adjacent;
}

}  // namespace

bool turnsAway(const RimTurn& turn) {
  return std::abs(turn.depth) >= 0.15 && (turnsPastFillet(turn) || turnsCrisply(turn));
}

bool nearlyTurnsAway(const RimTurn& turn) {
  return turn.inner < 12.0 && turn.near >= 35.0 && turn.far >= 50.0 &&
         turn.near > turn.inner + 25.0;
}

bool isSharplyDomed(const RimTurn& turn) {
  return turn.inner > mostDomed && turn.inner < 2.0 * mostDomed && turn.far >= 60.0 &&
         turn.nearLow >= 45.0 && turn.near > turn.inner + 30.0;
}

bool isFlatInCone(const RimTurn& turn) {
  return turn.inner <= 1.5 && turn.adjacent >= 15.0 && turn.adjacentLow >= 12.0;
}

std::string describeFlatRim(const RimTurn& turn) {
  if (turnsAway(turn)) return "";
  if (std::abs(turn.depth) < 0.15) return "no wall lies behind it";
  if (turn.inner > mostDomed)
    return fmt::format("it is domed by {:.0f} degrees at its rim, at most {:.0f} are allowed",
                       turn.inner, mostDomed);
  return fmt::format(
      "the wall turns away from it by {:.0f} degrees (by {:.0f} on the flattest part), 45 are "
      "required",
      turn.near, turn.nearLow);
}

}  // namespace tessera::preprocess::surface
