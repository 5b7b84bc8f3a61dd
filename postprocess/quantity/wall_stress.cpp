// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/quantity/wall_stress.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <optional>

#include "postprocess/fields/sample_field.hpp"

namespace tessera::postprocess::quantity {

using fields::HalfSpace;
using fields::NodeLookup;
using fields::Stencil;
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

// Point two nodes deep, if the fluid reaches there from the first point.
std::optional<PointInside> secondPoint(const NodeLookup& lookup, const Fields& fields,
                                       const HalfSpace& wall, const PointInside& first) {
  Stencil before = first.stencil;
  for (const double depth : {1.5, 2.0}) {
    const Stencil here = fields::stencilAt(lookup, wall.point - depth * wall.normal);
    if (!(here.fluidPart > 0.5) || !fields::sameSide(lookup, before, here)) return std::nullopt;
    before = here;
  }
  const Stencil stencil = stencilAtDepth(lookup, wall, 2.0);
  if (!fields::sameSide(lookup, before, stencil)) return std::nullopt;
  return pointOf(fields, wall, stencil);
}

}  // namespace

StressAtWall stressAtWall(const NodeLookup& lookup, const Fields& fields, const Double3& point,
                          const Double3& normal) {
  const HalfSpace wall{point, normal};
  StressAtWall result;
  const std::optional<PointInside> first = firstPoint(lookup, fields, wall);
  if (!first) return result;
  result.measured = true;
  result.pressure = first->pressure;
  result.stress = first->stress;
  const std::optional<PointInside> second = secondPoint(lookup, fields, wall, *first);
  if (second && second->depth > first->depth + 0.5) {
    const double slope = first->depth / (second->depth - first->depth);
    result.pressure += slope * (first->pressure - second->pressure);
    for (std::size_t c = 0; c < 6; ++c)
      result.stress[c] += slope * (first->stress[c] - second->stress[c]);
  }
  result.pressure = fields.pressurePa(result.pressure);
  for (double& component : result.stress) component *= fields.stressFactor;
  return result;
}

std::vector<StressAtWall> stressOnSurface(const NodeLookup& lookup, const Fields& fields,
                                          const WallSurface& wall) {
  std::vector<StressAtWall> values(wall.mesh.triangle.size());
  tbb::parallel_for(
      tbb::blocked_range<std::size_t>(0, values.size(), 1024), [&](const auto& range) {
        for (std::size_t t = range.begin(); t < range.end(); ++t) {
          values[t] = stressAtWall(lookup, fields, centroidOf(wall.mesh, t), wall.normal[t]);
        }
      });
  return values;
}

Double3 stressTimes(const std::array<double, 6>& s, const Double3& v) {
  return {s[0] * v[0] + s[3] * v[1] + s[4] * v[2], s[3] * v[0] + s[1] * v[1] + s[5] * v[2],
          s[4] * v[0] + s[5] * v[1] + s[2] * v[2]};
}

}  // namespace tessera::postprocess::quantity
