// SPDX-License-Identifier: GPL-3.0-or-later
// From an implicit vessel to its mesh: surface nets, round ends, relaxation.
#include <algorithm>
#include <cmath>
#include <string>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/error.hpp"
#include "preprocess/mesher/isosurface.hpp"
#include "preprocess/sample/vessels.hpp"

namespace tessera::preprocess::sample {

namespace {
// Near its end a vessel must be a plain cylinder, or its rim would not be a circle, and nothing but
// the stub may lie beyond, or the cut would open that too.
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
      const Double3 away = std::cos(rise) * radial + std::sin(rise) * end.normal;
      if (field(end.centre + end.reach * away).value < 0.0) return false;
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
                "the vessel's end set by " + option +
                    " touches another part of the vessel, but it must end alone and "
                    "round: make it longer or change the angles.");
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
  // The number of triangles goes with the inverse square of the edge; a coarse mesh says how.
  const double coarse = longestEdge(vessel);
  const auto count = static_cast<double>(meshed(vessel, coarse, 0).triangle.size());
  if (static_cast<double>(triangles) < count || triangles > maxTriangles)
    stage::fail(stage::ExitCode::Usage, "--triangles is " + std::to_string(triangles) +
                                            ", expected from " +
                                            std::to_string(static_cast<std::int64_t>(count)) +
                                            ", which just follow the thinnest vessel, to " +
                                            std::to_string(maxTriangles) + ".");
  return coarse * std::sqrt(count / static_cast<double>(triangles));
}

geometry::TriangleMesh meshVessel(const Vessel& vessel, double edge) {
  const double longest = longestEdge(vessel);
  const double shortest = 0.02 * longest;
  if (!(edge >= shortest && edge <= longest))
    stage::fail(stage::ExitCode::Usage,
                "--edge is " + stage::formatQuantity(edge, stage::Dimension::Length) +
                    ", expected for this vessel is from " +
                    stage::formatQuantity(shortest, stage::Dimension::Length) + " to " +
                    stage::formatQuantity(longest, stage::Dimension::Length) + ".");
  constexpr int rounds = 6;
  return meshed(vessel, edge, rounds);
}

}  // namespace tessera::preprocess::sample
