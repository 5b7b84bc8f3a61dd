// SPDX-License-Identifier: GPL-3.0-or-later
// Velocities measured on points of a plane, at one or several times, from a CSV file; interpolated
// between the points by a quadratic that is fitted to the nearest ones with weights that grow
// towards the position (moving least squares, Lancaster & Salkauskas 1981), within their range.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "pipelines/stage/vec3.hpp"
#include "solver/boundary/nearest_points.hpp"

namespace tessera::solver::boundary {

// Measured values of one time. SI units, world axes.
struct VelocityFrame {
  double time = 0.0;
  std::vector<Double3> point;
  std::vector<Double3> velocity;  // or, with VelocityTable::normal, into the fluid in component 0
};

struct VelocityTable {
  std::string name;  // base name of the file
  std::string hash;  // XXH3-128 of its content
  bool normal = false;
  std::vector<VelocityFrame> frames;  // times ascend
};

// Columns x[m], y[m], optionally z[m], u[m/s], v[m/s] and optionally w[m/s], or normal[m/s];
// optionally time[s], of rows that ascend in time. Throws StageError(Usage) naming the line.
VelocityTable parseVelocityTable(std::string_view text, const std::string& name);

// Throws StageError(BadInput) when the file is not there or larger than 512 MiB.
VelocityTable readVelocityTable(const std::filesystem::path& path);

// Interpolation between scattered points of a plane.
class PlaneInterpolation {
 public:
  // position: of each point in the plane, any unit; value: three numbers at each.
  PlaneInterpolation(std::vector<std::array<double, 2>> position, std::vector<Double3> value);

  [[nodiscard]] Double3 at(const std::array<double, 2>& position) const;
  // Distance to the nearest point.
  [[nodiscard]] double distance(const std::array<double, 2>& position) const;

 private:
  NearestPoints points_;
  std::vector<Double3> value_;
};

}  // namespace tessera::solver::boundary
