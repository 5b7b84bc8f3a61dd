// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/sample/implicit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera::preprocess::sample {

using geometry::Distance;

namespace {
Distance fromNearest(const Double3& point, const Double3& nearest, double radius) {
  const Double3 offset = point - nearest;
  const double distance = length(offset);
  // On the centreline the direction is arbitrary.
  if (distance == 0.0) return {-radius, {1.0, 0.0, 0.0}};
  return {distance - radius, (1.0 / distance) * offset};
}

// Point of a segment nearest to another point.
struct Foot {
  Double3 at{};
  double along = 0.0;  // from the start of the segment
};

Foot nearestOnLine(const Stretch& line, const Double3& point) {
  const double along = std::clamp(dot(point - line.start, line.tangent), 0.0, line.length);
  return {line.start + along * line.tangent, along};
}

Double3 onArc(const Stretch& arc, double angle) {
  return arc.start +
         arc.radius * (std::sin(angle) * arc.tangent + (1.0 - std::cos(angle)) * arc.inward);
}

Foot nearestOnArc(const Stretch& arc, const Double3& point) {
  const Double3 offset = point - (arc.start + arc.radius * arc.inward);
  const double x = -dot(offset, arc.inward);
  const double y = dot(offset, arc.tangent);
  const double angle = std::atan2(y, x);
  if (angle >= 0.0 && angle <= arc.angle) return {onArc(arc, angle), angle * arc.radius};
  const Double3 last = onArc(arc, arc.angle);
  if (length(point - arc.start) < length(point - last)) return {arc.start, 0.0};
  return {last, arc.length};
}

Double3 pointOn(const Stretch& stretch, double along) {
  if (stretch.angle == 0.0) return stretch.start + along * stretch.tangent;
  return onArc(stretch, along / stretch.radius);
}

Double3 tangentOn(const Stretch& stretch, double along) {
  if (stretch.angle == 0.0) return stretch.tangent;
  const double angle = along / stretch.radius;
  return std::cos(angle) * stretch.tangent + std::sin(angle) * stretch.inward;
}
}  // namespace

Tube::Tube(const Double3& start, const Double3& direction, double radius)
    : end_(start), direction_(unit(direction)), radius_(radius) {}

Tube& Tube::forward(double length) {
  stretches_.push_back({.start = end_, .tangent = direction_, .length = length});
  end_ = end_ + length * direction_;
  return *this;
}

Tube& Tube::bend(const Double3& unitAxis, double angle, double bendRadius) {
  if (angle == 0.0) return *this;
  const Stretch arc{.start = end_,
                    .tangent = direction_,
                    .inward = cross(unitAxis, direction_),
                    .length = bendRadius * angle,
                    .radius = bendRadius,
                    .angle = angle};
  stretches_.push_back(arc);
  end_ = onArc(arc, angle);
  direction_ = unit(rotated(direction_, unitAxis, angle));
  return *this;
}

Tube& Tube::radii(RadiusProfile profile, double steepest) {
  profile_ = std::move(profile);
  for (double part = 0.0; part <= 1.0; part += 1.0 / 256.0)
    radius_ = std::max(radius_, profile_(part * length()).radius);
  constexpr double innerBend = 3.0;  // speed-up along the inside of a bend of 1.5 radii
  shrink_ = 1.0 / std::hypot(1.0, innerBend * steepest);
  return *this;
}

double Tube::length() const {
  double sum = 0.0;
  for (const Stretch& stretch : stretches_) sum += stretch.length;
  return sum;
}

double Tube::endRadius() const {
  return profile_ ? profile_(length()).radius : radius_;
}

Double3 Tube::at(double along) const {
  for (const Stretch& stretch : stretches_) {
    if (along <= stretch.length) return pointOn(stretch, along);
    along -= stretch.length;
  }
  return end_;
}

Double3 Tube::directionAt(double along) const {
  for (const Stretch& stretch : stretches_) {
    if (along <= stretch.length) return tangentOn(stretch, along);
    along -= stretch.length;
  }
  return direction_;
}

Distance Tube::distance(const Double3& point) const {
  Foot best;
  const Stretch* on = nullptr;
  double before = 0.0;  // length of the preceding segments
  double along = 0.0;
  double bestSquare = std::numeric_limits<double>::infinity();
  for (const Stretch& stretch : stretches_) {
    const Foot foot =
        stretch.angle == 0.0 ? nearestOnLine(stretch, point) : nearestOnArc(stretch, point);
    const Double3 offset = point - foot.at;
    const double square = dot(offset, offset);
    if (square < bestSquare) {
      bestSquare = square;
      best = foot;
      on = &stretch;
      along = before + foot.along;
    }
    before += stretch.length;
  }
  if (!profile_) return fromNearest(point, best.at, radius_);
  const TubeRadius here = profile_(along);
  Distance d = fromNearest(point, best.at, here.radius);
  if (here.slope != 0.0) {  // speed of the foot along the centreline relative to the point's
    const double inwards =
        on->angle == 0.0
            ? 0.0
            : dot(point - best.at, std::cos(best.along / on->radius) * on->inward -
                                       std::sin(best.along / on->radius) * on->tangent) /
                  on->radius;
    const double faster = 1.0 / std::max(1.0 - inwards, 1.0 / 3.0);
    d.gradient = d.gradient - (here.slope * faster) * tangentOn(*on, best.along);
  }
  return {shrink_ * d.value, shrink_ * d.gradient};
}

void Tube::widen(Double3& low, Double3& high, double margin) const {
  constexpr int points = 16;  // an arc's sagitta between them is well below the tube's radius
  for (const Stretch& stretch : stretches_)
    for (int k = 0; k <= points; ++k) {
      const Double3 at = pointOn(stretch, k * stretch.length / points);
      for (std::size_t a = 0; a < 3; ++a) {
        low[a] = std::min(low[a], at[a] - 1.1 * radius_ - margin);
        high[a] = std::max(high[a], at[a] + 1.1 * radius_ + margin);
      }
    }
}

Distance sphereDistance(const Double3& point, const Double3& centre, double radius) {
  return fromNearest(point, centre, radius);
}

Distance smoothUnion(const Distance& a, const Distance& b, double blend) {
  const Distance& near = a.value <= b.value ? a : b;
  const Distance& far = a.value <= b.value ? b : a;
  const double overlap = 1.0 - (far.value - near.value) / blend;
  if (overlap <= 0.0) return near;
  const double weight = 0.5 * overlap * overlap;
  return {near.value - blend * overlap * overlap * overlap / 6.0,
          (1.0 - weight) * near.gradient + weight * far.gradient};
}

}  // namespace tessera::preprocess::sample
