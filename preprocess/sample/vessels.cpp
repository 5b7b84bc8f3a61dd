// SPDX-License-Identifier: GPL-3.0-or-later
// Mesh of an implicit vessel: surface nets, round ends, relaxation.
#include "preprocess/sample/vessels.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/mesher/isosurface.hpp"
#include "preprocess/sample/implicit.hpp"

namespace tessera::preprocess::sample {

namespace {
// Near its end a vessel must be a plain cylinder, or its rim is not a circle, and nothing else may
// lie beyond it, or the cut opens that too.
bool endsAlone(const geometry::DistanceField& field, const TubeEnd& end) {
  const Double3 axis = std::abs(end.normal[2]) < 0.9 ? Double3{0, 0, 1} : Double3{1, 0, 0};
  const Double3 across = unit(cross(end.normal, axis));
  for (int k = 0; k < 32; ++k) {
    const Double3 radial = rotated(across, end.normal, k * M_PI / 16.0);
    for (double back : {0.0, 0.5}) {
      const Double3 wall = end.centre + end.radius * (radial - back * end.normal);
      if (std::abs(field(wall).value) > 1e-9 * end.radius) return false;
    }
    for (double rise : {0.0, 0.4, 0.8, 1.2, 1.5}) {
      const Double3 direction = std::cos(rise) * radial + std::sin(rise) * end.normal;
      if (field(end.centre + end.reach * direction).value < 0.0) return false;
    }
  }
  return true;
}
}  // namespace

TubeEnd roundEnd(const geometry::DistanceField& field, const Tube& tube,
                 const std::string& option) {
  const double radius = tube.endRadius();
  const TubeEnd end{.centre = tube.end() - (tubeStub * radius) * tube.direction(),
                    .normal = tube.direction(),
                    .radius = radius,
                    .reach = 2.0 * radius};
  if (!endsAlone(field, end))
    stage::fail(stage::ExitCode::Usage,
                fmt::format("the vessel's end set by {} touches another part of the vessel, but it "
                            "must be separate and round: make it longer or change the angles.",
                            option));
  return end;
}

namespace {
constexpr double edgesPerCell = 0.88;  // mean edge of relaxed surface nets, in grid cells

geometry::TriangleMesh meshed(const Vessel& vessel, double edge, int rounds) {
  const double cell = edge / edgesPerCell;
  geometry::TriangleMesh mesh = mesher::isosurface(vessel.field, vessel.low, vessel.high, cell);
  for (const TubeEnd& end : vessel.ends) cutEnd(mesh, end, cell);
  mesher::relax(mesh, vessel.field, rounds, alongCircles(vessel.ends));
  return mesh;
}

double longestEdge(const Vessel& vessel) {
  double finest = vessel.ends[0].radius;
  for (const TubeEnd& end : vessel.ends) finest = std::min(finest, end.radius);
  return finest / 3.0;
}
}  // namespace

double vesselEdge(const Vessel& vessel, std::int64_t triangles) {
  // The number of triangles scales with the inverse square of the edge; calibrated by a coarse
  // mesh.
  const double coarse = longestEdge(vessel);
  const auto count = static_cast<double>(meshed(vessel, coarse, 0).triangle.size());
  if (static_cast<double>(triangles) < count || triangles > maxTriangles)
    stage::fail(
        stage::ExitCode::Usage,
        fmt::format("--triangles is {}; expected {} (the minimum for the thinnest vessel) to {}.",
                    triangles, static_cast<std::int64_t>(count), maxTriangles));
  return coarse * std::sqrt(count / static_cast<double>(triangles));
}

geometry::TriangleMesh meshVessel(const Vessel& vessel, double edge) {
  const double longest = longestEdge(vessel);
  const double shortest = 0.02 * longest;
  if (!(edge >= shortest && edge <= longest))
    stage::fail(stage::ExitCode::Usage,
                fmt::format("--edge is {}; expected {} to {} for this vessel.",
                            stage::formatQuantity(edge, stage::Dimension::Length),
                            stage::formatQuantity(shortest, stage::Dimension::Length),
                            stage::formatQuantity(longest, stage::Dimension::Length)));
  constexpr int rounds = 6;
  return meshed(vessel, edge, rounds);
}

// Cut at a tube's end: vertices close to the plane are first moved onto the end's circle, which
// avoids slivers; triangles that still cross the plane are split on the circle.

using stage::Triangle;

namespace {
constexpr double snap = 0.3;  // in grid cells

Double3 ontoCircle(const TubeEnd& end, const Double3& point) {
  const Double3 offset = point - end.centre;
  const Double3 radial = offset - dot(offset, end.normal) * end.normal;
  return end.centre + end.radius * unit(radial);
}

// Height above the plane; the rest of the vessel counts as far below.
double height(const TubeEnd& end, const Double3& point) {
  const Double3 offset = point - end.centre;
  return dot(offset, offset) < end.reach * end.reach ? dot(offset, end.normal) : -end.reach;
}

struct Cut {
  const TubeEnd& end;
  geometry::TriangleMesh& mesh;
  std::vector<double> above;  // by vertex
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> crossing;
  std::vector<Triangle> kept;

  std::uint32_t split(std::uint32_t a, std::uint32_t b) {
    const auto [it, isNew] = crossing.try_emplace(std::minmax(a, b), mesh.vertex.size());
    if (isNew) {
      const double t = above[a] / (above[a] - above[b]);
      const Double3 at = mesh.vertex[a] + t * (mesh.vertex[b] - mesh.vertex[a]);
      mesh.vertex.push_back(ontoCircle(end, at));
      above.push_back(0.0);
    }
    return it->second;
  }

  void keepBelow(const Triangle& triangle) {
    std::vector<std::uint32_t> polygon;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = triangle[k];
      const std::uint32_t b = triangle[(k + 1) % 3];
      if (above[a] <= 0.0) polygon.push_back(a);
      if (above[a] * above[b] < 0.0) polygon.push_back(split(a, b));
    }
    const auto across = [&](std::size_t a, std::size_t b) {
      return length(mesh.vertex[polygon[a]] - mesh.vertex[polygon[b]]);
    };
    if (polygon.size() == 4 && across(1, 3) < across(0, 2))
      std::rotate(polygon.begin(), polygon.begin() + 1, polygon.end());
    for (std::size_t k = 2; k < polygon.size(); ++k)
      kept.push_back({polygon[0], polygon[k - 1], polygon[k]});
  }
};

}  // namespace

void cutEnd(geometry::TriangleMesh& mesh, const TubeEnd& end, double cell) {
  Cut cut{end, mesh, std::vector<double>(mesh.vertex.size()), {}, {}};
  for (std::size_t v = 0; v < mesh.vertex.size(); ++v) {
    const double h = height(end, mesh.vertex[v]);
    const bool close = std::abs(h) < snap * cell;
    cut.above[v] = close ? 0.0 : h;
    if (close) mesh.vertex[v] = ontoCircle(end, mesh.vertex[v]);
  }
  for (const Triangle& t : mesh.triangle) {
    const std::array<double, 3> h{cut.above[t[0]], cut.above[t[1]], cut.above[t[2]]};
    const auto [low, high] = std::minmax_element(h.begin(), h.end());
    if (*low >= 0.0) continue;
    if (*high <= 0.0)
      cut.kept.push_back(t);
    else
      cut.keepBelow(t);
  }
  mesh.triangle = std::move(cut.kept);
  geometry::dropUnusedVertices(mesh);
}

mesher::RimPosition alongCircles(std::span<const TubeEnd> ends) {
  return [ends](const Double3& at, const Double3& middle) {
    const auto gap = [&](const TubeEnd& end) {
      return std::abs(length(at - end.centre) - end.radius);
    };
    const TubeEnd& end = *std::min_element(
        ends.begin(), ends.end(), [&](const auto& a, const auto& b) { return gap(a) < gap(b); });
    return ontoCircle(end, middle);
  };
}

}  // namespace tessera::preprocess::sample
