// SPDX-License-Identifier: GPL-3.0-or-later
// Profiles of velocity across an opening beyond those of profiles.hpp: of a rectangle, of a
// power-law fluid, by a formula, by a table of measured velocities.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "pipelines/stage/case/formula.hpp"
#include "solver/boundary/opening_table.hpp"
#include "solver/boundary/planned_opening.hpp"
#include "solver/boundary/velocity_table.hpp"

namespace tessera::solver::boundary {

// A formula or a table, with the velocity into the fluid that it gives on average over the opening.
struct ProfileShape {
  double exponent = 1.0;                  // n of a power-law fluid
  std::optional<stage::Formula> formula;  // m/s into the fluid of x, y, z (m, world) and r
  std::optional<VelocityTable> table;
  std::vector<double> mean{};  // m/s into the fluid, of each time of the table, or one
  double reference = 0.0;      // the one of largest magnitude
  double peak = 0.0;           // largest speed over |reference|
  std::shared_ptr<const Waveform>
      course;  // mean in the direction of reference in time; of a table with several times
};

// Reads exponent, formula or table of a profile; null for one that needs none. Throws
// StageError(Usage) with file and line.
std::shared_ptr<const ProfileShape> readProfileShape(OpeningTable& from, Profile profile);

// Velocity, m/s, world axes, at a position in lattice coordinates; of a formula and of a table's
// normal velocities along the inward normal.
class ShapeSampler {
 public:
  // frame: of the table. Both must outlive this.
  ShapeSampler(const ProfileShape& shape, std::size_t frame,
               const preprocess::geometry::Opening& opening, const tiler::TiledGeometry& geometry);
  [[nodiscard]] Double3 velocity(const Double3& position) const;
  // The same at a point of a link from a node inside, maybe beyond the rim. Where a formula gives
  // no number there, the velocity is continued oddly, as if a wall at rest were at the last point
  // of the link where it does; 0 where it gives none at the node either, which is beyond the rim
  // itself. NaN where that leads to none.
  [[nodiscard]] Double3 atLink(const Double3& node, const Double3& point) const;
  // Distance to the nearest point of the table in the opening's plane, m; 0 without a table.
  [[nodiscard]] double distance(const Double3& position) const;

 private:
  [[nodiscard]] std::array<double, 2> inPlane(const Double3& world) const;

  const ProfileShape& shape_;
  const preprocess::geometry::Opening& opening_;
  const tiler::TiledGeometry& geometry_;
  std::array<Double3, 2> axes_{};
  std::optional<PlaneInterpolation> table_;
};

// Developed flow of a power-law fluid with exponent n through a tube, in 2D a plane channel, over
// its mean; beyond 1 it goes on with its slope at the wall.
double powerLaw(int dimensions, double exponent, double squaredRadius);

// Product of a parabola over each side of a rectangular opening, over its mean, at positions; 0
// beyond two sides at once. The sides follow from the second moments of the opening, their
// direction for a square from the fourth ones. Throws StageError(Usage) for an opening that is no
// rectangle.
std::vector<double> biParabolic(const PlannedOpening& opening,
                                const std::vector<Double3>& positions);

// Values of the physics hash.
std::vector<double> physicsOfShape(const ProfileShape& shape);

// Weight of the time of frame k at time t: linear between times, the first and last one beyond
// them, or around a period.
double frameWeight(const Waveform& course, std::size_t k, double t);

}  // namespace tessera::solver::boundary
