// SPDX-License-Identifier: GPL-3.0-or-later
// Sample vessel of the demo: three tubes along curved centrelines, an ovoid sac with a neck and a
// daughter sac, joined by smooth unions; see vessels.hpp for the sources of the numbers.
#include <algorithm>
#include <cmath>
#include <string>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/sample/vessels.hpp"

namespace tessera::preprocess::sample {

using geometry::Distance;

namespace {
struct Ball {
  Double3 centre{};
  double radius = 0.0;
};

struct VesselParts {
  std::array<Tube, 3> tube;  // parent, branch 1, branch 2; each extended by half a radius
  Tube neck;
  std::vector<Ball> sac;  // dome, shoulder, lobe, optionally the bleb
  double junctionBlend = 0.0;
  double neckBlend = 0.0;
  double domeBlend = 0.0;
  double blebBlend = 0.0;

  [[nodiscard]] Distance sacDistance(const Double3& p) const {
    const auto ball = [&](std::size_t k) {
      return sphereDistance(p, sac[k].centre, sac[k].radius);
    };
    Distance d = smoothUnion(smoothUnion(ball(0), ball(1), domeBlend), ball(2), domeBlend);
    if (sac.size() > 3) d = smoothUnion(d, ball(3), blebBlend);
    return smoothUnion(d, neck.distance(p), neckBlend);
  }
  [[nodiscard]] Distance distance(const Double3& p) const {
    const Distance branches = smoothUnion(tube[1].distance(p), tube[2].distance(p), junctionBlend);
    const Distance vessels = smoothUnion(branches, tube[0].distance(p), junctionBlend);
    return smoothUnion(vessels, sacDistance(p), neckBlend);
  }
  // Outset of a union beyond its parts: at most a sixth of its blend.
  [[nodiscard]] double fillet() const {
    return (2.0 * domeBlend + blebBlend + 2.0 * neckBlend + 2.0 * junctionBlend) / 6.0;
  }
};

void requireLength(const char* option, double length, double shortest) {
  if (length >= shortest) return;
  stage::fail(stage::ExitCode::Usage,
              fmt::format("{} is {}, expected at least {} for a straight, round end of this "
                          "diameter: make it longer.",
                          option, stage::formatQuantity(length, stage::Dimension::Length),
                          stage::formatQuantity(shortest, stage::Dimension::Length)));
}

// Course of a branch: straight from the bifurcation, a bend, and straight to the end.
struct Course {
  const char* option;  // for the length
  Double3 direction{};
  Double3 bendAxis{};
  double bendAngle = 0.0;
  double straight = 0.0;  // before the bend, in diameters
};

Tube curvedTube(const Course& course, double diameter, double length) {
  const double radius = 0.5 * diameter;
  const double bendRadius = 2.6 * diameter;
  const double straight = course.straight * diameter;
  const double rest = length - straight - bendRadius * course.bendAngle;
  requireLength(course.option, length, length - rest + diameter);
  Tube tube({0.0, 0.0, 0.0}, course.direction, radius);
  return tube.forward(straight)
      .bend(course.bendAxis, course.bendAngle, bendRadius)
      .forward(rest + tubeStub * radius);
}

Tube parentTube(const AneurysmShape& shape) {
  const Course course{.option = "--parent-length",
                      .direction = {-1.0, 0.0, 0.0},
                      .bendAxis = unit(Double3{0.0, 0.35, 1.0}),
                      .bendAngle = 0.7,
                      .straight = 0.7};
  return curvedTube(course, shape.parentDiameter, shape.parentLength);
}

Tube branchTube(const AneurysmShape& shape, std::size_t k) {
  const double sign = k == 0 ? 1.0 : -1.0;
  const Double3 outOfPlane{0.0, 0.0, 1.0};
  const Double3 direction = rotated(unit(Double3{1.0, 0.0, k == 0 ? 0.12 : -0.2}), outOfPlane,
                                    sign * shape.branchAngle[k]);
  const Double3 sideways = cross(outOfPlane, direction);
  const Double3 axis = unit(cross(direction, sideways) + (k == 0 ? 0.5 : 0.3) * sideways);
  const Course course{.option = k == 0 ? "--branch1-length" : "--branch2-length",
                      .direction = direction,
                      .bendAxis = sign * axis,
                      .bendAngle = k == 0 ? 0.85 : 0.7,
                      .straight = 1.3};
  return curvedTube(course, shape.branchDiameter[k], shape.branchLength[k]);
}

// Dome, shoulder and lobe form the ovoid, asymmetric body of a sac; the bleb sits on the lobe.
std::vector<Ball> sacBalls(const AneurysmShape& shape, const Double3& direction) {
  const double r = 0.5 * shape.sacDiameter;
  const double top = 0.45 * shape.parentDiameter + shape.sacHeight;
  const Double3 side = unit(cross(direction, {0.0, 0.0, 1.0}));
  const Double3 up = cross(side, direction);
  const Double3 dome = (top - r) * direction;
  std::vector<Ball> balls{
      {dome, r},
      {dome + (-0.42 * r) * direction + 0.22 * r * side, 0.84 * r},
      {dome + 0.16 * r * direction + (-0.42 * r) * side + 0.2 * r * up, 0.7 * r}};
  if (shape.blebDiameter > 0.0) {
    const Double3 towards = unit(0.8 * direction + (-0.75) * side + 0.6 * up);
    balls.push_back({dome + 1.1 * r * towards, 0.5 * shape.blebDiameter});
  }
  return balls;
}

void requireSac(const AneurysmShape& shape) {
  if (shape.neckDiameter < shape.sacDiameter && shape.sacHeight > 0.5 * shape.sacDiameter &&
      shape.blebDiameter < shape.sacDiameter)
    return;
  stage::fail(stage::ExitCode::Usage,
              "--neck-diameter and --bleb-diameter must be smaller than --sac-diameter, and "
              "--sac-height more than half of it.");
}

VesselParts makeParts(const AneurysmShape& shape) {
  requireSac(shape);
  const Double3 direction = unit(Double3{1.0, -0.10, 0.16});
  Tube neck({0.0, 0.0, 0.0}, direction, 0.5 * shape.neckDiameter);
  const double neckLength = 0.45 * shape.parentDiameter + shape.sacHeight - 0.5 * shape.sacDiameter;
  neck.forward(neckLength);
  return {.tube = {parentTube(shape), branchTube(shape, 0), branchTube(shape, 1)},
          .neck = neck,
          .sac = sacBalls(shape, direction),
          .junctionBlend = 0.35 * shape.parentDiameter,
          .neckBlend = 0.4 * shape.neckDiameter,
          .domeBlend = 0.3 * shape.sacDiameter,
          .blebBlend = 0.5 * shape.blebDiameter};
}
}  // namespace

Vessel aneurysmVessel(const AneurysmShape& shape) {
  const VesselParts parts = makeParts(shape);
  Vessel vessel{.field = [parts](const Double3& p) { return parts.distance(p); },
                .ends = {},
                .low = {1.0, 1.0, 1.0},
                .high = {-1.0, -1.0, -1.0}};
  const double margin = parts.fillet();
  const std::array<std::string, 3> option{"--parent-length", "--branch1-length",
                                          "--branch2-length"};
  for (std::size_t k = 0; k < 3; ++k) {
    const Tube& tube = parts.tube[k];
    tube.widen(vessel.low, vessel.high, margin);
    vessel.ends.push_back(roundEnd(vessel.field, tube, option[k]));
  }
  parts.neck.widen(vessel.low, vessel.high, margin);
  for (const Ball& ball : parts.sac)
    for (std::size_t a = 0; a < 3; ++a) {
      vessel.low[a] = std::min(vessel.low[a], ball.centre[a] - ball.radius - margin);
      vessel.high[a] = std::max(vessel.high[a], ball.centre[a] + ball.radius + margin);
    }
  return vessel;
}

double aneurysmEdge(const AneurysmShape& shape, std::int64_t triangles) {
  return vesselEdge(aneurysmVessel(shape), triangles);
}

geometry::TriangleMesh sampleAneurysm(const AneurysmShape& shape, double edge) {
  return meshVessel(aneurysmVessel(shape), edge);
}

}  // namespace tessera::preprocess::sample
