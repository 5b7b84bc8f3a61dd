// SPDX-License-Identifier: GPL-3.0-or-later
// Implicit vessels; see implicit.hpp.
#include "preprocess/sample/implicit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera {

namespace {
Distance fromNearest(const Double3& point, const Double3& nearest, double radius) {
  const Double3 offset = point - nearest;
  const double distance = length(offset);
  // On the centreline itself any direction is as good.
  if (distance == 0.0) return {-radius, {1.0, 0.0, 0.0}};
  return {distance - radius, (1.0 / distance) * offset};
}

Double3 nearestOnLine(const Stretch& line, const Double3& point) {
  const double along = std::clamp(dot(point - line.start, line.tangent), 0.0, line.length);
  return line.start + along * line.tangent;
}

Double3 onArc(const Stretch& arc, double angle) {
  return arc.start +
         arc.radius * (std::sin(angle) * arc.tangent + (1.0 - std::cos(angle)) * arc.inward);
}

Double3 nearestOnArc(const Stretch& arc, const Double3& point) {
  const Double3 offset = point - (arc.start + arc.radius * arc.inward);
  const double x = -dot(offset, arc.inward);
  const double y = dot(offset, arc.tangent);
  const double angle = std::atan2(y, x);
  if (angle >= 0.0 && angle <= arc.angle) return onArc(arc, angle);
  const Double3 last = onArc(arc, arc.angle);
  return length(point - arc.start) < length(point - last) ? arc.start : last;
}
}  // namespace

Double3 unit(const Double3& vector) {
  return (1.0 / length(vector)) * vector;
}

Double3 rotated(const Double3& vector, const Double3& unitAxis, double angle) {
  const double c = std::cos(angle);
  return c * vector + std::sin(angle) * cross(unitAxis, vector) +
         ((1.0 - c) * dot(unitAxis, vector)) * unitAxis;
}

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

Distance Tube::distance(const Double3& point) const {
  Double3 best{};
  double bestSquare = std::numeric_limits<double>::infinity();
  for (const Stretch& stretch : stretches_) {
    const Double3 nearest =
        stretch.angle == 0.0 ? nearestOnLine(stretch, point) : nearestOnArc(stretch, point);
    const Double3 offset = point - nearest;
    const double square = dot(offset, offset);
    if (square < bestSquare) {
      bestSquare = square;
      best = nearest;
    }
  }
  return fromNearest(point, best, radius_);
}

void Tube::widen(Double3& low, Double3& high, double margin) const {
  constexpr int points = 8;  // an arc's sagitta between them is far below the tube's radius
  for (const Stretch& stretch : stretches_)
    for (int k = 0; k <= points; ++k) {
      const double part = k / double(points);
      const Double3 at = stretch.angle == 0.0
                             ? stretch.start + part * stretch.length * stretch.tangent
                             : onArc(stretch, part * stretch.angle);
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

}  // namespace tessera
