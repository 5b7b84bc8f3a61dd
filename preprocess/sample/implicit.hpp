// SPDX-License-Identifier: GPL-3.0-or-later
// Implicit vessels: signed distances to tubes along straight and circular centrelines and to
// spheres, joined by a smooth union with compact support (Quilez' cubic polynomial minimum), so
// that away from junctions a tube is exactly a circular cylinder or torus. Lengths in metres.
#pragma once

#include <functional>
#include <vector>

#include "preprocess/geometry/distance_field.hpp"

namespace tessera::preprocess::sample {

// Segment of a centreline: straight if angle is 0, else a circular arc.
struct Stretch {
  Double3 start{};
  Double3 tangent{};  // unit, at the start
  Double3 inward{};   // unit, from the start to the arc's centre
  double length = 0.0;
  double radius = 0.0;  // of the arc
  double angle = 0.0;   // rad, below pi
};

// Radius and its slope at a length along a centreline.
struct TubeRadius {
  double radius = 0.0;
  double slope = 0.0;
};
using RadiusProfile = std::function<TubeRadius(double along)>;

// Tube along a smooth centreline that is built segment by segment.
class Tube {
 public:
  Tube(const Double3& start, const Double3& direction, double radius);
  Tube& forward(double length);
  // Turns by an angle (rad, 0 to below pi) about the unit axis, on a circle of bendRadius.
  Tube& bend(const Double3& unitAxis, double angle, double bendRadius);

  // Radius that varies along the centreline with slopes up to `steepest`; cross-sections stay
  // circles. Bends must be wider than 1.5 radii.
  Tube& radii(RadiusProfile profile, double steepest);

  // Length of the whole centreline.
  [[nodiscard]] double length() const;
  // Position and direction at a length along the centreline.
  [[nodiscard]] Double3 at(double along) const;
  [[nodiscard]] Double3 directionAt(double along) const;
  [[nodiscard]] const Double3& end() const { return end_; }
  [[nodiscard]] const Double3& direction() const { return direction_; }
  [[nodiscard]] double radius() const { return radius_; }  // if constant
  [[nodiscard]] double endRadius() const;
  [[nodiscard]] geometry::Distance distance(const Double3& point) const;
  // Extends the box to enclose the tube with a margin.
  void widen(Double3& low, Double3& high, double margin) const;

 private:
  std::vector<Stretch> stretches_;
  Double3 end_;
  Double3 direction_;
  double radius_;
  RadiusProfile profile_;  // empty: radius_ throughout
  double shrink_ = 1.0;    // scales values so that their gradient is at most 1
};

geometry::Distance sphereDistance(const Double3& point, const Double3& centre, double radius);
// Union with a fillet; parts farther apart than blend do not interact.
geometry::Distance smoothUnion(const geometry::Distance& a, const geometry::Distance& b,
                               double blend);

}  // namespace tessera::preprocess::sample
