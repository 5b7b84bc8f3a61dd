// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/repair/wrap_ends.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/geometry/disjoint_sets.hpp"
#include "preprocess/surface/edit/cut_surface.hpp"
#include "preprocess/surface/openings/caps.hpp"
#include "preprocess/surface/openings/rim_turn.hpp"
#include "preprocess/surface/repair/alpha_wrap.hpp"

namespace tessera::preprocess::surface {

using geometry::Patch;
using geometry::TriangleMesh;

namespace {

// Sets plane and area by the rim. Returns whether it has an area.
bool measureRim(WrapEnd& end) {
  const std::size_t n = end.rim.size();
  double perimeter = 0.0;
  Double3 sum{}, vector{};
  for (std::size_t i = 0; i < n; ++i) {
    const Double3 &a = end.rim[i], &b = end.rim[(i + 1) % n];
    const double edge = length(b - a);
    sum = sum + 0.5 * edge * (a + b);
    perimeter += edge;
  }
  if (!(perimeter > 0.0)) return false;
  end.centre = (1.0 / perimeter) * sum;
  for (std::size_t i = 0; i < n; ++i)
    vector = vector + 0.5 * cross(end.rim[i] - end.centre, end.rim[(i + 1) % n] - end.centre);
  end.area = length(vector);
  if (!(end.area > 0.0)) return false;
  end.normal = (1.0 / end.area) * vector;
  return true;
}

// Turns the normal away from the triangles at the rim.
void turnFromWall(const TriangleMesh& mesh, const BoundaryLoop& loop, WrapEnd& end) {
  double height = 0.0;  // of the wall above the rim
  for (const std::uint32_t half : loop.half) {
    const Double3 &a = mesh.vertex[fromVertex(mesh, half)], &b = mesh.vertex[toVertex(mesh, half)];
    const Double3& tip = mesh.vertex[mesh.triangle[half / 3][(half % 3 + 2) % 3]];
    height += length(b - a) * dot(tip - 0.5 * (a + b), end.normal);
  }
  if (height <= 0.0) return;
  std::reverse(end.rim.begin(), end.rim.end());
  end.normal = -1.0 * end.normal;
}

// Depth (m) of the connected triangles at the rim below its plane: small for the border of a patch.
double depthBelow(const TriangleMesh& mesh, geometry::DisjointSets<>& parts,
                  const BoundaryLoop& loop, const WrapEnd& end) {
  const std::uint32_t part = parts.root(loop.vertex[0]);
  double depth = 0.0;
  for (std::uint32_t v = 0; v < mesh.vertex.size(); ++v)
    if (parts.root(v) == part)
      depth = std::max(depth, dot(end.centre - mesh.vertex[v], end.normal));
  return depth;
}

// Face of the triangles within a tenth of the radius of most of nine points across the end.
void findSeparateCap(const TriangleMesh& mesh, const SurfaceTree& tree, WrapEnd& end) {
  constexpr std::size_t spokes = 8, needed = 6;
  const double near = 0.1 * end.radius();
  std::map<Patch, std::size_t> found;
  const auto look = [&](const Double3& point) {
    const NearestPoint nearest = tree.nearest(point);
    if (length(nearest.point - point) <= near) ++found[mesh.label[nearest.triangle]];
  };
  look(end.centre);
  for (std::size_t k = 0; k < spokes; ++k)
    look(0.5 * (end.centre + end.rim[k * end.rim.size() / spokes]));
  for (const auto& [face, points] : found)
    if (points >= needed && face != end.label) end.cap.face = face;
}

}  // namespace

bool isThin(const BoundaryLoop& loop) {
  constexpr double leastCompact = 0.3;
  return 4.0 * std::numbers::pi * length(loop.areaVector) <
         leastCompact * loop.perimeter * loop.perimeter;
}

double WrapEnd::radius() const {
  return std::sqrt(area / std::numbers::pi);
}

std::vector<WrapEnd> endsOfLoops(const JoinedSurface& joined) {
  const TriangleMesh& mesh = joined.mesh;
  std::vector<WrapEnd> ends;
  geometry::DisjointSets<> parts(mesh.vertex.size());
  for (const stage::Triangle& t : mesh.triangle)
    for (const std::uint32_t v : t) parts.join(v, t[0]);
  for (const BoundaryLoop& loop : joined.loops) {
    if (!isOpening(loop)) continue;
    WrapEnd end;
    for (const std::uint32_t v : loop.vertex) end.rim.push_back(mesh.vertex[v]);
    if (!measureRim(end)) continue;
    if (!mesh.label.empty()) end.label = mesh.label[loop.half[0] / 3];
    if (loop.cut) end.cap.origin = CapOrigin::Cut;
    turnFromWall(mesh, loop, end);
    if (!loop.cut && (isThin(loop) || depthBelow(mesh, parts, loop, end) < end.radius())) continue;
    ends.push_back(std::move(end));
  }
  if (mesh.label.empty() || ends.empty()) return ends;
  const SurfaceTree tree(mesh);
  for (WrapEnd& end : ends) findSeparateCap(mesh, tree, end);
  return ends;
}

std::vector<WrapEnd> endsOfCaps(const TriangleMesh& mesh, const std::vector<Cap>& caps) {
  const std::vector<std::uint32_t> twin = twinsOf(mesh, edgesOf(mesh));
  std::vector<WrapEnd> ends;
  std::vector<char> isTaken(mesh.triangle.size(), 0);
  for (const Cap& cap : caps) {
    const auto taken = [&](std::uint32_t t) { return isTaken[t] != 0; };
    if (std::any_of(cap.triangle.begin(), cap.triangle.end(), taken)) continue;
    for (const std::uint32_t t : cap.triangle) isTaken[t] = 1;
    WrapEnd end;
    const OuterLoop rim = outerLoop(mesh, rimOf(twin, cap.triangle));
    for (const std::uint32_t half : rim.half)
      end.rim.push_back(mesh.vertex[fromVertex(mesh, half)]);
    if (end.rim.size() < 3 || !measureRim(end)) continue;
    if (const std::uint32_t across = twin[rim.half[0]]; across != noHalfEdge && !mesh.label.empty())
      end.label = mesh.label[across / 3];
    end.cap = {{}, cap.name, cap.origin, cap.face};
    ends.push_back(std::move(end));
  }
  return ends;
}

void extendEnds(const std::vector<WrapEnd>& ends, double length, TriangleMesh& mesh) {
  for (const WrapEnd& end : ends) {
    const auto n = static_cast<std::uint32_t>(end.rim.size());
    const auto first = static_cast<std::uint32_t>(mesh.vertex.size());
    const std::size_t before = mesh.triangle.size();
    for (const Double3& p : end.rim) {
      mesh.vertex.push_back(p);
      mesh.vertex.push_back(p + (length - dot(p - end.centre, end.normal)) * end.normal);
    }
    mesh.vertex.push_back(end.centre + length * end.normal);
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t here = first + 2 * i, next = first + 2 * ((i + 1) % n);
      mesh.triangle.push_back({here, next, next + 1});
      mesh.triangle.push_back({here, next + 1, here + 1});
      mesh.triangle.push_back({here + 1, next + 1, first + 2 * n});
    }
    if (!mesh.label.empty())
      mesh.label.insert(mesh.label.end(), mesh.triangle.size() - before, end.label);
  }
}

namespace {

std::string describeEnd(const WrapEnd& end) {
  return fmt::format("the opening at ({:.4g}, {:.4g}, {:.4g}) mm, of radius {},",
                     1e3 * end.centre[0], 1e3 * end.centre[1], 1e3 * end.centre[2],
                     stage::formatQuantity(end.radius(), stage::Dimension::Length));
}

[[noreturn]] void refuseEnd(const WrapEnd& end, double alpha, const std::string& found) {
  stage::fail(
      stage::ExitCode::BadInput,
      fmt::format("{} {} after --wrap \"{}\": the wrap enters the vessel, or joins the end "
                  "to other walls; choose another length, or close wide gaps.",
                  describeEnd(end), found, stage::formatQuantity(alpha, stage::Dimension::Length)));
}

double areaOf(const TriangleMesh& mesh, const Cap& cap) {
  Double3 sum{};
  for (const std::uint32_t t : cap.triangle) sum = sum + 0.5 * geometry::areaVector(mesh, t);
  return length(sum);
}

struct CoveredCuts {
  TriangleMesh mesh;
  std::vector<Cap> caps;  // by plane
  std::vector<std::string> warnings;
};

CoveredCuts cutAndCover(const TriangleMesh& mesh, const std::vector<CutPlane>& planes) {
  CoveredCuts covered{mesh, {}, {}};
  CutEnds cuts = cutAway(covered.mesh, planes, std::ldexp(geometry::boundsOf(mesh).longest(), -20));
  std::vector<BoundaryLoop> loops = boundaryLoops(covered.mesh, edgesOf(covered.mesh));
  markCuts(cuts, planes, loops);
  covered.warnings = std::move(cuts.warnings);
  covered.caps = coverCuts(covered.mesh, loops);
  return covered;
}

CutPlane planeOfEnd(const WrapEnd& end) {
  return {end.centre, end.normal, "end"};
}

bool isFound(const TriangleMesh& mesh, const WrapEnd& end) {
  try {
    cutAndCover(mesh, {planeOfEnd(end)});
    return true;
  } catch (const stage::StageError&) {
    return false;
  }
}

void requireArea(const WrapEnd& end, double area, double alpha) {
  constexpr double least = 0.75, most = 1.3;
  const double share = area / end.area;
  if (share < least || share > most)
    refuseEnd(end, alpha, "has " + stage::percent(share) + " of its area");
}

// Caps over the planes of the ends.
std::vector<Cap> coverEnds(const std::vector<WrapEnd>& ends, double alpha, TriangleMesh& mesh) {
  std::vector<CutPlane> planes;
  for (const WrapEnd& end : ends) planes.push_back(planeOfEnd(end));
  CoveredCuts covered;
  try {
    covered = cutAndCover(mesh, planes);
  } catch (const stage::StageError&) {
    for (const WrapEnd& end : ends)
      if (!isFound(mesh, end)) refuseEnd(end, alpha, "is not found again");
    refuseEnd(ends.front(), alpha, "or one that touches another is not found again");
  }
  for (std::size_t k = 0; k < ends.size(); ++k) {
    requireArea(ends[k], areaOf(covered.mesh, covered.caps[k]), alpha);
    covered.caps[k].name = ends[k].cap.name;
    covered.caps[k].origin = ends[k].cap.origin;
    covered.caps[k].face = ends[k].cap.face;
  }
  mesh = std::move(covered.mesh);
  return std::move(covered.caps);
}

}  // namespace

void coverCutsOfUser(const std::vector<CutPlane>& cuts, TriangleMesh& mesh, std::vector<Cap>& caps,
                     std::vector<std::string>& warnings) {
  if (cuts.empty()) return;
  const bool hasLabels = !mesh.label.empty();
  if (!hasLabels) mesh.label.assign(mesh.triangle.size(), Patch{0});
  constexpr Patch first = geometry::openingBit;  // above all labels of faces
  std::vector<Patch> labelOfCap(caps.size());
  for (std::size_t k = 0; k < caps.size(); ++k) {
    labelOfCap[k] = mesh.label[caps[k].triangle[0]];
    for (const std::uint32_t t : caps[k].triangle) mesh.label[t] = static_cast<Patch>(first + k);
    caps[k].triangle.clear();
  }
  CoveredCuts covered = cutAndCover(mesh, cuts);
  mesh = std::move(covered.mesh);
  for (std::uint32_t t = 0; t < mesh.triangle.size(); ++t) {
    if (mesh.label[t] < first) continue;
    const auto k = static_cast<std::size_t>(mesh.label[t] - first);
    mesh.label[t] = labelOfCap[k];
    caps[k].triangle.push_back(t);
  }
  std::erase_if(caps, [](const Cap& cap) { return cap.triangle.empty(); });
  caps.insert(caps.end(), covered.caps.begin(), covered.caps.end());
  if (!hasLabels) mesh.label.clear();
  warnings.insert(warnings.end(), covered.warnings.begin(), covered.warnings.end());
}

std::vector<Cap> cutEnds(const std::vector<WrapEnd>& ends, double alpha, TriangleMesh& mesh) {
  return ends.empty() ? std::vector<Cap>() : coverEnds(ends, alpha, mesh);
}

std::uint32_t firstOfCaps(const TriangleMesh& mesh, const std::vector<Cap>& caps) {
  auto first = static_cast<std::uint32_t>(mesh.triangle.size());
  for (const Cap& cap : caps)
    for (const std::uint32_t t : cap.triangle) first = std::min(first, t);
  return first;
}

}  // namespace tessera::preprocess::surface
