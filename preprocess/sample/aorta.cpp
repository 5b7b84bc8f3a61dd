// SPDX-License-Identifier: GPL-3.0-or-later
// Sample aorta with a coarctation: one tube of varying radius along a centreline of straight and
// circular segments, three branches from its arch, smooth unions; see vessels.hpp for the sources.
#include <algorithm>
#include <cmath>
#include <string>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/sample/vessels.hpp"

namespace tessera::preprocess::sample {

namespace {
constexpr double degree = M_PI / 180.0;
constexpr double lean = 15.0 * degree;   // tilt of the ascending part, away from the arch
constexpr double roll = 12.0 * degree;   // rotation of the arch's second half to the back
constexpr double straightening = 80e-3;  // bend radius to the vertical descending part, m
constexpr double beforeBend = 10e-3;     // straight length between the arch and that bend, m
constexpr std::array<double, 2> gap{4.4e-3, 6.4e-3};  // wall between branches, m
constexpr double toCoarctation = 6e-3;                // from the last branch, m

const Double3 up{0.0, 0.0, 1.0};
// Between the first and the last branch the arch is at 50 degrees to the sagittal plane (Yan Yu).
const Double3 heading{std::sin(50.0 * degree), std::cos(50.0 * degree), 0.0};

void require(bool good, const std::string& sentence) {
  if (!good) stage::fail(stage::ExitCode::Usage, sentence);
}

std::string lengthText(double length) {
  return stage::formatQuantity(length, stage::Dimension::Length);
}

// Lengths along the centreline, m.
struct Stations {
  double archStart = 0.0;
  double top = 0.0;
  double archEnd = 0.0;
  std::array<double, 3> branch{};
  double coarctation = 0.0;  // its middle
  double end = 0.0;
};

Stations stationsOf(const AortaShape& shape) {
  Stations s;
  s.archStart = shape.ascendingLength;
  s.top = s.archStart + (0.5 * M_PI + lean) * shape.archRadius;
  s.archEnd = s.top + 0.5 * M_PI * shape.archRadius;
  // Distances between branches are given by the wall between them, on the outside of the arch.
  const double outside =
      1.0 + 0.25 * (shape.ascendingDiameter + shape.descendingDiameter) / shape.archRadius;
  const auto& d = shape.branchDiameter;
  s.branch[1] = s.top - 0.05 * shape.archRadius;
  s.branch[0] = s.branch[1] - (0.5 * (d[0] + d[1]) + gap[0]) / outside;
  s.branch[2] = s.branch[1] + (0.5 * (d[1] + d[2]) + gap[1]) / outside;
  s.coarctation = s.branch[2] + 0.5 * d[2] + toCoarctation + 0.5 * shape.coarctationLength;
  s.end = s.archEnd + shape.descendingLength;
  return s;
}

// Smooth taper from the beginning of the arch to its last branch; the coarctation is one period of
// a cosine.
TubeRadius radiusAt(const AortaShape& shape, const Stations& s, double along) {
  const double from = 0.5 * shape.ascendingDiameter;
  const double to = 0.5 * shape.descendingDiameter;
  const double span = s.branch[2] - s.archStart;
  const double t = std::clamp((along - s.archStart) / span, 0.0, 1.0);
  const TubeRadius wide{from + (to - from) * t * t * (3.0 - 2.0 * t),
                        (to - from) * 6.0 * t * (1.0 - t) / span};
  const double half = 0.5 * shape.coarctationLength;
  const double x = (along - s.coarctation) / half;
  if (std::abs(x) >= 1.0) return wide;
  const double depth = 1.0 - std::sqrt(1.0 - shape.coarctation);
  const double open = 1.0 - 0.5 * depth * (1.0 + std::cos(M_PI * x));
  const double opening = 0.5 * depth * std::sin(M_PI * x) * M_PI / half;
  return {wide.radius * open, wide.slope * open + wide.radius * opening};
}

void requireAorta(const AortaShape& shape, const Stations& s) {
  require(shape.descendingDiameter <= shape.ascendingDiameter,
          "--descending-diameter must not be larger than --ascending-diameter.");
  require(shape.archRadius >= 0.8 * shape.ascendingDiameter,
          fmt::format("--arch-radius must be at least 0.8 x --ascending-diameter ({}), or the arch "
                      "touches itself.",
                      lengthText(0.8 * shape.ascendingDiameter)));
  const double widest = *std::max_element(shape.branchDiameter.begin(), shape.branchDiameter.end());
  require(widest <= 0.7 * shape.descendingDiameter,
          "branch diameters must be at most 0.7 x --descending-diameter.");
  require(s.branch[0] - 0.5 * shape.branchDiameter[0] > s.archStart,
          "the branches do not fit onto the arch: reduce them or increase --arch-radius.");
  require(shape.ascendingLength >= shape.ascendingDiameter,
          "--ascending-length must be at least one diameter for a straight, round end.");
  const double shortest = std::max(s.coarctation + 0.5 * shape.coarctationLength - s.archEnd, 0.0) +
                          beforeBend + straightening * roll + shape.descendingDiameter;
  require(shape.descendingLength >= shortest,
          fmt::format("--descending-length must be at least {} for a straight, round end.",
                      lengthText(shortest)));
}

Tube aortaTube(const AortaShape& shape, const Stations& s) {
  const Double3 start = std::cos(lean) * up - std::sin(lean) * heading;
  const Double3 over = unit(cross(up, heading));  // rotates up into heading
  Tube tube({0.0, 0.0, 0.0}, start, 0.5 * shape.ascendingDiameter);
  tube.forward(shape.ascendingLength)
      .bend(over, 0.5 * M_PI + lean, shape.archRadius)
      .bend(rotated(over, heading, roll), 0.5 * M_PI, shape.archRadius)
      .forward(beforeBend);
  const Double3 down = tube.direction();
  tube.bend(unit(cross(down, -1.0 * up)), roll, straightening)
      .forward(shape.descendingLength - beforeBend - straightening * roll +
               tubeStub * 0.5 * shape.descendingDiameter);
  const auto profile = [shape, s](double along) { return radiusAt(shape, s, along); };
  double steepest = 0.0;
  constexpr int steps = 4096;
  for (int k = 0; k <= steps; ++k)
    steepest = std::max(steepest, std::abs(profile(s.end * k / steps).slope));
  require(steepest < 0.95,
          "the coarctation is too steep: increase --coarctation-length or reduce --coarctation.");
  return tube.radii(profile, 1.01 * steepest);
}

// Directions of the three branches: to the right, up, and to the left.
const std::array<Double3, 3> branchTarget{
    {{-0.5, 0.1, 0.86}, {-0.05, 0.2, 0.98}, {0.5, 0.2, 0.84}}};

// Branch from the centreline of the arch straight outwards, then a bend to its direction.
Tube branchTube(const AortaShape& shape, const Tube& aorta, double along, std::size_t k) {
  const double diameter = shape.branchDiameter[k];
  const Double3 tangent = aorta.directionAt(along);
  const Double3 sideways = unit(cross(tangent, up));
  const Double3 outwards = unit(cross(sideways, tangent));
  const Double3 target = unit(branchTarget[k]);
  const double wall = 0.5 * shape.ascendingDiameter;
  const double angle = std::acos(std::clamp(dot(outwards, target), -1.0, 1.0));
  const double bendRadius = 2.5 * diameter;
  const double straight = wall + 0.4 * diameter;
  const double rest = wall + shape.branchLength - straight - angle * bendRadius;
  require(rest >= diameter,
          fmt::format("--branch-length must be at least {} for a straight, round end.",
                      lengthText(shape.branchLength + diameter - rest)));
  Tube tube(aorta.at(along), outwards, 0.5 * diameter);
  tube.forward(straight);
  if (angle > 1e-6) tube.bend(unit(cross(outwards, target)), angle, bendRadius);
  return tube.forward(rest + tubeStub * 0.5 * diameter);
}

struct AortaParts {
  Tube aorta;
  std::vector<Tube> branch;
  std::vector<double> blend;  // of each branch with the arch
  Tube start;                 // extends the aorta before its beginning, for the cut

  [[nodiscard]] geometry::Distance distance(const Double3& p) const {
    geometry::Distance d = aorta.distance(p);
    for (std::size_t k = 0; k < branch.size(); ++k)
      d = smoothUnion(d, branch[k].distance(p), blend[k]);
    const geometry::Distance before = start.distance(p);
    return before.value < d.value ? before : d;
  }
};

// Ascending end: the aorta's start as the end of a tube in the opposite direction.
Tube ascendingEnd(const AortaShape& shape, const Tube& aorta) {
  const double radius = 0.5 * shape.ascendingDiameter;
  Tube tube(aorta.at(0.0), -1.0 * aorta.directionAt(0.0), radius);
  return tube.forward(tubeStub * radius);
}
}  // namespace

TubeEnd aortaThroat(const AortaShape& shape) {
  const Stations s = stationsOf(shape);
  requireAorta(shape, s);
  const Tube aorta = aortaTube(shape, s);
  const double radius = radiusAt(shape, s, s.coarctation).radius;
  return {.centre = aorta.at(s.coarctation),
          .normal = aorta.directionAt(s.coarctation),
          .radius = radius,
          .reach = 2.0 * radius};
}

Vessel aortaVessel(const AortaShape& shape) {
  const Stations s = stationsOf(shape);
  requireAorta(shape, s);
  const Tube aorta = aortaTube(shape, s);
  AortaParts parts{.aorta = aorta, .branch = {}, .blend = {}, .start = ascendingEnd(shape, aorta)};
  for (std::size_t k = 0; k < 3; ++k) {
    parts.branch.push_back(branchTube(shape, aorta, s.branch[k], k));
    parts.blend.push_back(0.35 * shape.branchDiameter[k]);
  }
  Vessel vessel{.field = [parts](const Double3& p) { return parts.distance(p); },
                .ends = {},
                .low = {1.0, 1.0, 1.0},
                .high = {-1.0, -1.0, -1.0}};
  constexpr double margin = 3e-3;
  aorta.widen(vessel.low, vessel.high, margin);
  parts.start.widen(vessel.low, vessel.high, margin);
  for (const Tube& tube : parts.branch) tube.widen(vessel.low, vessel.high, margin);
  vessel.ends = {roundEnd(vessel.field, parts.start, "--ascending-length"),
                 roundEnd(vessel.field, aorta, "--descending-length")};
  for (std::size_t k = 0; k < 3; ++k)
    vessel.ends.push_back(roundEnd(vessel.field, parts.branch[k], "--branch-length"));
  return vessel;
}

}  // namespace tessera::preprocess::sample
