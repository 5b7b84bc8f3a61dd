// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/quantity/wall_stress.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <optional>

#include "postprocess/fields/sample_field.hpp"
#include "preprocess/geometry/parabola.hpp"

namespace tessera::postprocess::quantity {

using fields::HalfSpace;
using fields::NodeLookup;
using fields::Stencil;
using preprocess::geometry::pointsOfParabola;
using solver::file::Fields;

namespace {

struct PointInside {
  double depth = 0.0;  // distance of the sampled position from the wall's plane in nodes
  double pressure = 0.0;
  std::array<double, 6> stress{};
  Stencil stencil;
};

Stencil stencilAtDepth(const NodeLookup& lookup, const HalfSpace& wall, double depth) {
  return fields::stencilWithin(lookup, wall.point - depth * wall.normal, wall);
}

std::optional<PointInside> pointOf(const Fields& fields, const HalfSpace& wall,
                                   const Stencil& stencil) {
  if (stencil.count == 0) return std::nullopt;
  return PointInside{dot(wall.point - stencil.centre, wall.normal),
                     fields::sample(fields.pressure, stencil),
                     fields::sample(fields.stress, stencil), stencil};
}

// First depth with nodes around it: 1 node, then nearer, then deeper (a voxel wall may lie up to a
// node away from the surface). Near cut links not beyond the opposite wall.
std::optional<PointInside> firstPoint(const NodeLookup& lookup, const Fields& fields,
                                      const HalfSpace& wall) {
  Stencil atWall;
  if (lookup.hasCutLinks()) atWall = stencilAtDepth(lookup, wall, 0.25);
  for (const double depth : {1.0, 0.5, 1.5, 2.0}) {
    const Stencil stencil = stencilAtDepth(lookup, wall, depth);
    if (atWall.count > 0 && !fields::sameSide(lookup, atWall, stencil)) continue;
    if (auto point = pointOf(fields, wall, stencil)) return point;
  }
  return pointOf(fields, wall, atWall);
}

// Point a node deeper than another, if the fluid reaches there from it.
std::optional<PointInside> pointBehind(const NodeLookup& lookup, const Fields& fields,
                                       const HalfSpace& wall, double depth, const Stencil& from) {
  Stencil before = from;
  for (const double at : {depth - 0.5, depth}) {
    const Stencil here = fields::stencilAt(lookup, wall.point - at * wall.normal);
    if (!(here.fluidPart > 0.5) || !fields::sameSide(lookup, before, here)) return std::nullopt;
    before = here;
  }
  const Stencil stencil = stencilAtDepth(lookup, wall, depth);
  if (!fields::sameSide(lookup, before, stencil)) return std::nullopt;
  return pointOf(fields, wall, stencil);
}

// The first point and those 2, 3, ... nodes deep, each at least half a node behind the one before.
std::vector<PointInside> pointsInside(const NodeLookup& lookup, const Fields& fields,
                                      const HalfSpace& wall, std::size_t most) {
  std::vector<PointInside> points;
  const auto add = [&](std::optional<PointInside> point) {
    const bool usable = point && (points.empty() || point->depth > points.back().depth + 0.5);
    if (usable) points.push_back(*point);
    return usable;
  };
  if (!add(firstPoint(lookup, fields, wall))) return points;
  while (points.size() < most &&
         add(pointBehind(lookup, fields, wall, 1.0 + double(points.size()), points.back().stencil)))
    continue;
  return points;
}

// Weights of points in the value at the wall, by a line through the first two.
std::vector<double> weightsOfLine(const std::vector<PointInside>& points) {
  if (points.size() == 1) return {1.0};
  const double slope = points[0].depth / (points[1].depth - points[0].depth);
  return {1.0 + slope, -slope};
}

// Weights of the first two points in the value a + b at the wall of a / (1 + k x) + b (1 + k x)
// through them.
std::vector<double> weightsAlongCurve(const std::vector<PointInside>& points, double curvature) {
  if (points.size() == 1) return {1.0};
  // So that a concave wall's axis lies beyond the second point.
  const double k = std::clamp(curvature, -0.75 / points[1].depth, 0.5);
  const double near = points[0].depth, deep = points[1].depth;
  const double below = (deep - near) * (2.0 + k * (near + deep));
  return {(1.0 + k * near) * deep * (2.0 + k * deep) / below,
          -(1.0 + k * deep) * near * (2.0 + k * near) / below};
}

// Value of the polynomial through all points, at the wall (Lagrange).
std::vector<double> weightsOfPolynomial(const std::vector<PointInside>& points) {
  std::vector<double> weights(points.size(), 1.0);
  for (std::size_t k = 0; k < points.size(); ++k)
    for (std::size_t j = 0; j < points.size(); ++j)
      if (j != k) weights[k] *= points[j].depth / (points[j].depth - points[k].depth);
  return weights;
}

std::vector<double> weightsOfStress(const std::vector<PointInside>& points,
                                    Extrapolation extrapolation, double curvature) {
  if (extrapolation == Extrapolation::Cubic && points.size() > 2)
    return weightsOfPolynomial(points);
  if (points.size() < pointsOfParabola) return weightsAlongCurve(points, curvature);
  std::array<double, pointsOfParabola> depth{};
  for (std::size_t k = 0; k < depth.size(); ++k) depth[k] = points[k].depth;
  const auto weights = preprocess::geometry::parabolaAtZero(depth);
  return {weights.begin(), weights.end()};
}

}  // namespace

StressAtWall stressAtWall(const NodeLookup& lookup, const Fields& fields, const Double3& point,
                          const Double3& normal, Extrapolation extrapolation, double curvature) {
  const std::size_t most = extrapolation == Extrapolation::Line ? 2 : pointsOfParabola;
  const std::vector<PointInside> points = pointsInside(lookup, fields, {point, normal}, most);
  StressAtWall result;
  if (points.empty()) return result;
  result.measured = true;
  const std::vector<double> line = weightsOfLine(points);
  for (std::size_t k = 0; k < line.size(); ++k) result.pressure += line[k] * points[k].pressure;
  const std::vector<double> weights = weightsOfStress(points, extrapolation, curvature);
  for (std::size_t k = 0; k < weights.size(); ++k)
    for (std::size_t c = 0; c < 6; ++c) result.stress[c] += weights[k] * points[k].stress[c];
  result.pressure = fields.pressurePa(result.pressure);
  for (double& component : result.stress) component *= fields.stressFactor;
  return result;
}

std::vector<StressAtWall> stressOnSurface(const NodeLookup& lookup, const Fields& fields,
                                          const WallSurface& wall, Extrapolation extrapolation) {
  std::vector<StressAtWall> values(wall.mesh.triangle.size());
  tbb::parallel_for(
      tbb::blocked_range<std::size_t>(0, values.size(), 1024), [&](const auto& range) {
        for (std::size_t t = range.begin(); t < range.end(); ++t) {
          const bool nearEdge = !wall.nearEdge.empty() && wall.nearEdge[t];
          values[t] = stressAtWall(lookup, fields, centroidOf(wall.mesh, t), wall.normal[t],
                                   nearEdge ? Extrapolation::Cubic : extrapolation,
                                   wall.curvature.empty() ? 0.0 : wall.curvature[t]);
        }
      });
  return values;
}

Double3 stressTimes(const std::array<double, 6>& s, const Double3& v) {
  return {s[0] * v[0] + s[3] * v[1] + s[4] * v[2], s[3] * v[0] + s[1] * v[1] + s[5] * v[2],
          s[4] * v[0] + s[5] * v[1] + s[2] * v[2]};
}

}  // namespace tessera::postprocess::quantity
